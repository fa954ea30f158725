"""The SQLite engine: one file, many readers, and writers that share commits.

Only `engines.selection` and the tests import it.
Begin with `engine.py`.
"""
