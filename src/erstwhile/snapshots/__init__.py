"""Snapshots: named moments of the recorded time, to compare facts and blocks with and to return to.

A snapshot copies nothing, because every earlier state is kept anyway.
Begin with `collection.py` (`memory.snapshots`).
"""
