"""Guard for direct writes of an agent: facts, and notes such as blocks.

Facts have the rules and limits of learning. A note holds many statements, and may hold what a
person wrote. So an edit is judged by what it adds: by the new lines, and by what the whole text
says only since the edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from erstwhile.core.kinds import Kind, Tier, Trust
from erstwhile.core.policies import Policy
from erstwhile.core.text import fingerprint
from erstwhile.facts.draft import Draft
from erstwhile.facts.held import held_because
from erstwhile.learning.candidate import GuardAction, Verdict
from erstwhile.learning.guard.checks import (
    LABEL_CHECKS,
    NOTE_CHECKS,
    check_budget,
    examine,
    group_of,
    kept,
    room_left,
)
from erstwhile.storage.access import Access

_STOPPING = (GuardAction.HOLD, GuardAction.REFUSE)


def check_note(old: str, new: str) -> None:
    """Raise RefusedError if a note may not change in this way.

    A note has no quarantine, so what would be held is refused, too.
    """
    known = set(old.splitlines())
    added = "\n".join(line for line in new.splitlines() if line not in known)
    before = {verdict.rule for verdict in _stopping(old)}
    since = (verdict for verdict in _stopping(new) if verdict.rule not in before)
    for verdict in chain(_stopping(added), since):
        raise verdict.to_error()


def _stopping(text: str) -> Iterator[Verdict]:
    verdicts = examine(text, checks=NOTE_CHECKS)
    return (verdict for verdict in verdicts if verdict.action in _STOPPING)


class AgentWriteGuard:
    """Guard for the drafts of one call of an agent."""

    def __init__(self, access: Access, policy: Policy) -> None:
        self._access = access
        self._policy = policy
        self._room: dict[str, int] | None = None
        """The characters left for each group of kinds, once the first draft was judged."""

    def __call__(self, draft: Draft) -> Draft:
        """Return a draft as it may be stored, perhaps in quarantine; else raise RefusedError."""
        on_text = examine(draft.text, self._policy)
        # A state that expires may tell what is passing.
        passing = draft.kind is Kind.STATE and draft.expires_at is not None
        found = [each for each in on_text if not (passing and each.rule.startswith("transient/"))]
        found += (*self._on_labels(draft), *self._on_budget(draft))
        if draft.kind is Kind.INSTRUCTION:
            reason = "an agent proposes standing instructions, and a person approves them"
            found.append(Verdict(GuardAction.HOLD, draft.text, reason, "agent/instruction"))
        refusing = [verdict for verdict in found if verdict.action is GuardAction.REFUSE]
        if refusing:
            raise refusing[0].to_error()
        text = kept(draft.text, on_text)
        clean = draft._replace(text=text, fingerprint=fingerprint(text, draft.key))
        holding = [verdict for verdict in found if verdict.action is GuardAction.HOLD]
        if not holding:
            return clean
        return clean._replace(
            trust=Trust.QUARANTINED,
            tier=Tier.INFERRED,
            confidence=min(clean.confidence, Tier.INFERRED.cap),
            metadata={**clean.metadata, **held_because(holding[0].rule, holding[0].reason)},
        )

    def _on_labels(self, draft: Draft) -> Iterator[Verdict]:
        relations = [part for relation in draft.relations for part in relation]
        for label in (draft.key, draft.value, *draft.entities, *relations, *draft.tags):
            if label:
                yield from examine(label, self._policy, LABEL_CHECKS)

    def _on_budget(self, draft: Draft) -> Iterator[Verdict]:
        """Yield a verdict if the room is used up; the drafts before it in the call count."""
        if draft.tier is not Tier.INFERRED:
            return
        if self._room is None:
            self._room = room_left(self._access, self._policy)
        full = list(check_budget(draft.text, draft.kind, self._room))
        if not full:
            self._room[group_of(draft.kind)] -= len(draft.text)
        yield from full
