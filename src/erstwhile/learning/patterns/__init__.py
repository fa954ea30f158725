"""Patterns: learning from a turn without a language model.

Only what a rule can prove is learned. Begin with `read.py`. The words and rules of each language
are in its TOML file, such as `english.toml`. A sentence in doubt is skipped, since a wrong fact is
worse than a missing one.
"""
