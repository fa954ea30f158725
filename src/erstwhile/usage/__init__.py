"""Usage: which language models were called, how many tokens they took, and what that cost.

Learning and context import it to keep their own spending below a daily limit.
Begin with `collection.py` (`memory.usage`); `prices.py` reads the price table.
"""
