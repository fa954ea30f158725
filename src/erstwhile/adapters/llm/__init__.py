"""The language models: the vendors' packages, retries, and the parsing of answers.

Packages above `adapters` use them through `core.ports.Llm`.
Begin with `registry.py`, then `vendor.py`.
"""
