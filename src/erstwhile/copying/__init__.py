"""Copies a whole memory from one engine to another.

Only `bootstrap` imports it. It knows the tables of all collections. Begin with `copy.py`.
"""
