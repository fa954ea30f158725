"""The guard: small checks of what is about to be learned, and the one list of them."""

from erstwhile.learning.guard.guard import examine, gravest, judge, kept

__all__ = ["examine", "gravest", "judge", "kept"]
