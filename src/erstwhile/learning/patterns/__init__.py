"""Patterns: learning from a turn without a language model.

Only what a rule can prove is learned. Begin with `read`. The words and the rules of each language
are in its TOML file: `english.toml`, `chinese.toml` and so on. A sentence in doubt is skipped,
since a wrong fact is worse than a missing one.
"""

from erstwhile.learning.patterns.read import candidates

__all__ = ["candidates"]
