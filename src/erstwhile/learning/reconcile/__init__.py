"""What shall happen to memory because of what was found in a turn: pure rules, no I/O."""

from erstwhile.learning.reconcile.turn import reconcile

__all__ = ["reconcile"]
