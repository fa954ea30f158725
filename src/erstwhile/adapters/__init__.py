"""Connections to models: embedders, language models and tokenizers.

Only `bootstrap` and `model_factories` choose one; other packages use the protocols in `core.ports`.
Begin with `registry.py`.
"""
