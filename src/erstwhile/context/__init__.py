"""Contexts: memory as text for a prompt, within a budget of tokens.

Only `memory` and the packages above it may import this one.
Begin with `build.py`, the stages; `budget.py` decides what fits and cuts the text.
"""
