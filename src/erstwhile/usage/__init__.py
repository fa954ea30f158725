"""Usage: calls of language models, with their tokens and their cost.

Learning and context import it to keep their own spending below a daily limit.
Begin with `collection.py` (`memory.usage`); `prices.py` reads the price table.
"""
