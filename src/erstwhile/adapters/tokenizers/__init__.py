"""The tokenizers, which count the tokens of a text: exactly, or by an upper bound.

Packages above `adapters` use them through `core.ports.Tokenizers`.
Begin with `registry.py`.
"""
