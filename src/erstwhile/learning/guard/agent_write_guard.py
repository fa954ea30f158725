"""Guard for direct writes of an agent: facts, and notes such as blocks.

Facts have the rules and limits of learning. A note holds many statements, and may hold what a
person wrote. So an edit is judged by what it adds: by the new lines, and by what the whole text
says only since the edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from erstwhile.core.kinds import Kind, Tier, Trust
from erstwhile.core.policies import Policy
from erstwhile.core.text import fingerprint
from erstwhile.facts.draft import Draft
from erstwhile.facts.held import held_because
from erstwhile.learning.candidate import Candidate, GuardAction, Verdict
from erstwhile.learning.guard.checks import (
    check_budget,
    examine,
    examine_label,
    examine_note,
    group_of,
    kept,
    room_left,
)
from erstwhile.storage.access import Access

_POLICY = Policy()
_STOPPING = (GuardAction.HOLD, GuardAction.REFUSE)


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
        raise verdict.to_error()


def _stopping(text: str) -> Iterator[Verdict]:
    return (verdict for verdict in examine_note(text, _POLICY) if verdict.action in _STOPPING)


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
        found = [*_lasting(draft, on_text), *self._on_labels(draft), *self._on_budget(draft)]
        found += _instructing(draft)
        refusing = [verdict for verdict in found if verdict.action is GuardAction.REFUSE]
        if refusing:
            raise refusing[0].to_error()
        text = kept(draft.text, on_text)
        clean = draft._replace(text=text, fingerprint=fingerprint(text, draft.key))
        holding = [verdict for verdict in found if verdict.action is GuardAction.HOLD]
        return _held(clean, holding[0]) if holding else clean

    def _on_labels(self, draft: Draft) -> Iterator[Verdict]:
        relations = [part for relation in draft.relations for part in relation]
        for label in (draft.key, draft.value, *draft.entities, *relations, *draft.tags):
            if label:
                yield from examine_label(label, self._policy)

    def _on_budget(self, draft: Draft) -> Iterator[Verdict]:
        """Yield a verdict if the room is used up; the drafts before it in the call count."""
        if draft.tier is not Tier.INFERRED:
            return
        if self._room is None:
            self._room = room_left(self._access)
        full = list(check_budget(Candidate(text=draft.text, kind=draft.kind), self._room))
        if not full:
            self._room[group_of(draft.kind)] -= len(draft.text)
        yield from full


def _lasting(draft: Draft, verdicts: Sequence[Verdict]) -> Iterator[Verdict]:
    """Yield the verdicts that count: a state that expires may tell what is passing."""
    passing = draft.kind is Kind.STATE and draft.expires_at is not None
    yield from (each for each in verdicts if not (passing and each.rule.startswith("transient/")))


def _instructing(draft: Draft) -> Iterator[Verdict]:
    """Hold a standing instruction: it is for the person to give."""
    if draft.kind is Kind.INSTRUCTION:
        reason = "an agent proposes standing instructions, and a person approves them"
        yield Verdict(
            action=GuardAction.HOLD, text=draft.text, reason=reason, rule="agent/instruction"
        )


def _held(draft: Draft, verdict: Verdict) -> Draft:
    """Return the draft in quarantine, with the reason."""
    return draft._replace(
        trust=Trust.QUARANTINED,
        tier=Tier.INFERRED,
        confidence=min(draft.confidence, Tier.INFERRED.cap),
        metadata={**draft.metadata, **held_because(verdict.rule, verdict.reason)},
    )
