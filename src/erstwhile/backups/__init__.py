"""Backs up a memory into files of its own, and restores them.

Only `bootstrap` imports it. Begin with `backup.py`.
"""
