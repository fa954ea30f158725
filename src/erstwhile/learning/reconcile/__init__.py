"""Reconciliation: decide how each candidate of a turn changes memory.

Pure rules without I/O, used by `learning.apply_changes`. Begin with `turn`, then `decide` and
`compare`; the lists of words are in `words.toml`.
"""

from erstwhile.learning.reconcile.turn import reconcile

__all__ = ["reconcile"]
