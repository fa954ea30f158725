"""The PostgreSQL engine: many spaces in one database, walls between them, LISTEN.

Only `engines.selection`, `bootstrap` and the tests import it.
Begin with `engine.py`.
"""
