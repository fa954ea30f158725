"""Facts: atomic, bi-temporal statements, with their entities, conflicts and quarantine.

The packages above (recall, learning, context, memory) import it; it imports storage and core.
Begin with `fact.py` (the record) and `collection.py` (the verbs); `table.py` writes every change.
"""
