"""Decisions: records of allowed and denied tool calls, and advice for the next call.

Only the memory and the command line import it; its hook must start quickly.
Begin with `collection.py` (`memory.decisions`); `advice.py` holds the rules of advice.
"""
