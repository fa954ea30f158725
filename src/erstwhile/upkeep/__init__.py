"""Maintains a memory: retention, sealing of the audit trail, sweeping, and upkeep of the store.

`lazy_collections` imports it. It knows the tables of all collections. Begin with `maintain.py`.
"""
