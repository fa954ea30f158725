"""The PostgreSQL engine: many separate spaces in one database, and LISTEN.

Only `engines.selection`, `bootstrap` and the tests import it.
Begin with `engine.py`.
"""
