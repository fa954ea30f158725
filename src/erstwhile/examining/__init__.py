"""Examines a memory, and names a remedy for everything that is wrong.

Only `keeping` imports it. It changes nothing that is stored. Begin with `examine.py`.
"""
