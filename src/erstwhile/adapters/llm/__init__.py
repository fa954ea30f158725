"""Language models behind vendors' packages, with retries.

Packages above `adapters` use them through `core.ports.Llm`. Begin with `vendor.py`.
"""
