"""Decisions: whether a call of a tool was allowed or denied, and what that suggests for the next.

Only the memory and the command line import it; its hook must start quickly.
Begin with `collection.py` (`memory.decisions`); `advice.py` holds the rules of advice.
"""
