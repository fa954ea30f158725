"""Patterns: learning without a language model.

Only `learning.extraction` imports this package. Begin with `read`. The rules in `english.toml` and
`chinese.toml` give keys, dates and replaced values; `plain` keeps what else is plainly said, in
more languages. Both leave out what is in doubt: a wrong fact is worse than a missing one.
"""

from erstwhile.learning.patterns.read import candidates

__all__ = ["candidates"]
