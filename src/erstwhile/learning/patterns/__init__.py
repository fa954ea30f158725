"""Patterns: learning without a language model, in English and Chinese.

Only `learning.extraction` imports this package. Begin with `read`; the rules are in `english.toml`
and `chinese.toml`. They are narrow on purpose: a wrong fact is worse than a missing one.
"""

from erstwhile.learning.patterns.read import candidates

__all__ = ["candidates"]
