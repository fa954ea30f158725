"""What an agent may do: a caller that has not the standing of a person.

A token without `person`, a client over MCP and a model with tools are agents: they have a view by
`acting_as(…, person=False)`. Every change is judged inside its transaction, where its audit entry
is written (`Unit.record`). So all verbs and all doors have these rules, also those written later.

1. An agent adds records and works with them: `WORK`. The guard judges its texts (`Unit.admit`).
2. It may correct and hide what somebody said, since a person may ask for that in a chat. The audit
   trail has its name, and a person can take it back. It may not touch what a person pinned or
   confirmed, nor decide about what waits in quarantine.
3. It takes back only what it did itself: `TAKES_BACK`. It does not say again what a person
   rejected, retired as wrong or deleted (`facts/rejected.py`).
4. It changes decisions, and hides or destroys records, only if nobody else touched them: `OWN`.
5. Everything else is for people, also an action that is listed nowhere here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from erstwhile.core.errors import RefusedError
from erstwhile.core.ids import short_id
from erstwhile.core.kinds import Origin, Tier, Trust
from erstwhile.core.time import FOREVER

if TYPE_CHECKING:
    from erstwhile.core.scope import Scope, Viewer
    from erstwhile.decisions.decision import Decision
    from erstwhile.facts.draft import Draft
    from erstwhile.facts.fact import Fact
    from erstwhile.storage.unit import Unit


def _actions(noun: str, verbs: str) -> frozenset[str]:
    return frozenset(f"{noun}.{verb}" if noun else verb for verb in verbs.split())


WORK = frozenset[str]().union(
    _actions("", "remember repeat replace supersede retire expire delete unlink alias"),
    _actions("block", "add edit append insert replace rename describe limit delete"),
    _actions("task", "add claim heartbeat complete fail expire release update defer cancel delete"),
    _actions("run", "start completed failed expired released cancelled"),
    _actions("checkpoint", "plan start save complete fail delete"),
    _actions("conversation", "start close branch"),
    _actions("message", "copy"),
    _actions("compaction", "add copy"),
    _actions("session", "set clear"),
    _actions("lesson", "add reinforce"),
    _actions("limitation", "add report resolve"),
    _actions("feedback", "useful irrelevant"),
    ("decision.record", "observation.add", "outcome.add", "snapshot.create", "usage.record"),
    ("onboarding.reach",),
)
"""What an agent does with any record of its scope."""
TAKES_BACK: Mapping[str, frozenset[str]] = {
    "undo": frozenset(("retire", "supersede", "reject", "confirm", "approve", "revert")),
    "restore": frozenset(("delete",)),
    "block.restore": frozenset(("block.delete",)),
    "task.restore": frozenset(("task.delete",)),
    "checkpoint.restore": frozenset(("checkpoint.delete",)),
    "conversation.reopen": frozenset(("conversation.close",)),
    "compaction.undo": frozenset(("compaction.add", "compaction.copy")),
}
"""The actions that take others back. The last of these on the record must be the agent's own."""
OWN = frozenset(("erase", "unalias")).union(
    _actions("decision", "outcome supersede delete restore"),
    _actions("lesson", "drop delete restore"),
    _actions("limitation", "delete restore"),
    _actions("observation", "delete restore"),
    _actions("outcome", "delete restore"),
    _actions("snapshot", "delete"),
)
"""What an agent does only with a record that nobody else made or changed."""
_WORDS = frozenset((Origin.AGENT, Origin.TOOL, Origin.WEB, Origin.DOCUMENT))
"""The origins that an agent can give to a fact."""
_PEOPLE_CONFIRM = frozenset(("confirm", "approve"))
_DECIDERS = frozenset(("model", "agent", "advice"))
_REMEDY = "let a person do it: at the command line, or with a token that has `person`"


def check_person(viewer: Viewer, act: str) -> None:
    """Raise RefusedError if an agent is about to do what only a person may."""
    if not viewer.person:
        raise RefusedError(f"only a person may {act}, and this caller is an agent", remedy=_REMEDY)


def check_act(unit: Unit, action: str, subject: str, scope: Scope) -> None:
    """Raise RefusedError if the viewer of a transaction may not do this to a record."""
    if unit.viewer.person or action in WORK:
        return
    if action in OWN and not _is_own(unit, subject, scope):
        raise RefusedError(
            f"others than this agent made or changed {short_id(subject)}", remedy=_REMEDY
        )
    if action in TAKES_BACK and not _did_it(unit, action, subject, scope):
        raise RefusedError(
            f"others than this agent did what it would take back of {short_id(subject)}",
            remedy=_REMEDY,
        )
    if action not in OWN and action not in TAKES_BACK:
        check_person(unit.viewer, f"do this to {short_id(subject)}: {action}")


def check_words(viewer: Viewer, said: Draft) -> None:
    """Raise RefusedError if an agent claims that a person said something, or pins it.

    Words with the origin `agent` are those of an agent in any view.
    """
    if viewer.person and said.origin is not Origin.AGENT:
        return
    if said.origin not in _WORDS:
        raise RefusedError(
            f"an agent cannot store a fact with the origin {said.origin.value!r}",
            remedy=f"use the origin agent, or {_REMEDY}",
        )
    if said.pinned or said.tier is not Tier.INFERRED:
        raise RefusedError(
            "an agent cannot pin a fact, nor say that it is certain",
            remedy=f"leave pinned and tier out, or {_REMEDY}",
        )


def check_decider(viewer: Viewer, decision: Decision) -> None:
    """Raise RefusedError if an agent decides as a person, or as a rule that a person wrote."""
    if not viewer.person and decision.decided_by not in _DECIDERS:
        raise RefusedError(
            f"an agent cannot decide as a {decision.decided_by}",
            remedy=f"say decided_by='agent', or {_REMEDY}",
        )


def check_fact(unit: Unit, old: Fact, new: Fact, action: str) -> None:
    """Raise RefusedError if an agent may not change a fact in this way."""
    if unit.viewer.person or action == "expire":  # time ends a fact, whoever notices it
        return
    if (new.pinned, new.trust) != (old.pinned, old.trust):
        check_person(unit.viewer, f"pin or confirm {old.short_id}")
    if _ends(old, new):
        check_unprotected(unit, old)
        if old.trust is Trust.QUARANTINED and not _is_own(unit, old.id, old.scope):
            raise RefusedError(
                f"{old.short_id} waits for a person, who decides about it", remedy=_REMEDY
            )


def is_protected(unit: Unit, fact: Fact) -> bool:
    """Return whether a person pinned or confirmed a fact."""
    return fact.pinned or _is_confirmed(unit, fact.id, unit.scope_id(fact.scope))


def check_unprotected(unit: Unit, fact: Fact) -> None:
    """Raise RefusedError if a person pinned or confirmed a fact that an agent is about to end."""
    if is_protected(unit, fact):
        done = "pinned" if fact.pinned else "confirmed"
        raise RefusedError(
            f"a person {done} {fact.short_id}, so an agent cannot change or hide it",
            remedy="remember what is new as another fact, and let the person change this one",
        )


def as_agent(viewer: Viewer, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details of a new fact; what an agent says without an origin is its own word."""
    return {**details} if viewer.person else {"origin": Origin.AGENT, **details}


def _is_confirmed(unit: Unit, id: str, scope: int) -> bool:
    """Return whether a person confirmed a fact, also in a scope from which it was moved."""
    acts = unit.rows("acts_on", {"subject": id, "scope": scope})
    former = unit.rows("former_places", {"id": id, "scope": scope})
    confirmed = not _PEOPLE_CONFIRM.isdisjoint(act for act, _ in acts)
    return confirmed or any(_is_confirmed(unit, *each) for each in former)


def _ends(old: Fact, new: Fact) -> bool:
    """Return whether a fact is hidden, or is true for a shorter time than before."""
    hidden = new.deleted_at is not None and old.deleted_at is None
    retired = new.retired_at is not None and old.retired_at is None
    return hidden or retired or (new.ends_at or FOREVER) < (old.ends_at or FOREVER)


def _did_it(unit: Unit, action: str, subject: str, scope: Scope) -> bool:
    """Return whether the agent itself did what an action takes back."""
    undone = TAKES_BACK[action]
    acts = [each for each in _acts(unit, subject, scope) if each[0] == action or each[0] in undone]
    if not acts or acts[0][0] == action:  # a block that is not deleted gets an earlier text
        return action == "block.restore"
    return acts[0][1] == unit.viewer.actor


def _is_own(unit: Unit, subject: str, scope: Scope) -> bool:
    acts = _acts(unit, subject, scope)
    return bool(acts) and all(actor == unit.viewer.actor for _, actor in acts)


def _acts(unit: Unit, subject: str, scope: Scope) -> list[tuple[str, str]]:
    """Return what was done to a record, newest first: each action and its actor."""
    place = {"subject": subject, "scope": unit.scope_id(scope)}
    return [(action, actor) for action, actor in unit.rows("acts_on", place)]
