"""The databases: SQLite and PostgreSQL. They know transactions and errors, but no facts.

Only `bootstrap` and the tests import them; other packages use `core.ports.Engine`.
Begin with `selection.py`, then `engine.py` in a folder.
"""
