"""Facts: atomic, bi-temporal statements, with their entities, conflicts and quarantine.

Recall, learning, context and memory import this package; it imports storage and core. Begin with
`fact.py` (the record) and `collection.py` (the verbs). `remember.py` stores and supersedes facts,
`lifecycle.py` computes their next states, and `table.py` writes every change.
"""
