"""Contexts: memory as text for a prompt, within a budget of tokens.

Only `memory` and the packages above it may import this one.
Begin with `build.py`, which lists the stages, and `model.py`, the result.
"""
