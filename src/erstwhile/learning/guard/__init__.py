"""Guard: checks of every text before it is learned.

Learning, imports, agents and `erstwhile guard` use it. Begin with `checks.py`; the rules are in the
TOML files beside it.
"""
