"""The guard: checks of every text before it is learned.

Learning and `erstwhile guard` use it. Begin with `guard`, the list of checks; the rules are in the
TOML files beside it.
"""

from erstwhile.learning.guard.guard import examine, examine_label, guarded, kept, masked

__all__ = ["examine", "examine_label", "guarded", "kept", "masked"]
