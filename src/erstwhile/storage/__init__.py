"""Storage for every collection, independent of the engine: transactions, tables, audit, erasure.

All packages above engines import it; it imports only core. Begin with `access.py` (reading and
changing), then `table.py` (how a collection stores its records) and `statements.py` (named SQL).
"""
