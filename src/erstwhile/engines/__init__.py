"""The databases: SQLite and PostgreSQL. They know nothing about facts.

Only `bootstrap` and the tests import them; other packages use `core.ports.Engine`.
Begin with `selection.py`, then `engine.py` in a folder.
"""
