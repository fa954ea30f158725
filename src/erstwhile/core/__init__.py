"""The base of all packages: errors, ids, time, text, scopes, ports and settings.

Every package may import it; it imports only `secrets`.
Begin with `ports.py` and `errors.py`.
"""
