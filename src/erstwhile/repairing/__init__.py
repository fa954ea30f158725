"""Repairs a memory: rebuilds what can be derived, and salvages a damaged file into a new one.

Only `keeping` imports it. Begin with `repair.py`.
"""
