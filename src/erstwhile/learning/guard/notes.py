"""The guard for notes that a model edits itself, such as blocks.

A note holds many statements, and may hold what a person wrote. So an edit is judged by what it
adds: by the new lines, and by what the whole text says only since the edit.
"""

from __future__ import annotations

from collections.abc import Iterator

from erstwhile.core.policy import Policy
from erstwhile.learning.guard.guard import examine_note
from erstwhile.learning.verdict import Action, Verdict, refused

_POLICY = Policy()
_STOPPING = (Action.HOLD, Action.REFUSE)


def objection(old: str, new: str) -> Verdict | None:
    """Return why a note may not change in this way; None if it may.

    A note has no quarantine, so what would be held is an objection, too.
    """
    known = set(old.splitlines())
    added = "\n".join(line for line in new.splitlines() if line not in known)
    before = {verdict.rule for verdict in _stopping(old)}
    since = (verdict for verdict in _stopping(new) if verdict.rule not in before)
    return next(_stopping(added), None) or next(since, None)


def check_note(old: str, new: str) -> None:
    """Raise RefusedError if a note may not change in this way."""
    verdict = objection(old, new)
    if verdict is not None:
        raise refused(verdict)


def _stopping(text: str) -> Iterator[Verdict]:
    return (verdict for verdict in examine_note(text, _POLICY) if verdict.action in _STOPPING)
