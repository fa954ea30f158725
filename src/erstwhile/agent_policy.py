"""Permissions for non-human callers (agents).

Tokens without `person`, MCP clients and models with tools act as agents: their view comes from
`acting_as(…, person=False)`. `Unit.record` checks every change where it writes the audit entry, so
the rules hold for all verbs and all servers.

1. An agent adds records and works with them: `ALLOWED`. The guard checks its texts (`Unit.admit`).
2. It may correct and hide facts that no person stated, because a person may ask for that in a chat.
   The audit trail has its name, and a person can undo it. Its new value of what a person stated
   waits in quarantine. It may not touch facts that a person pinned or confirmed, nor decide about
   quarantined facts (`facts/agent_rules.py`).
3. It undoes only its own actions: `UNDO_OWN`. It does not add again what a person rejected, retired
   as wrong or deleted (`facts/agent_rules.py`).
4. It changes decisions, and hides or destroys records, only if all are its own: `OWN_ONLY`.
5. Every other action, also an unlisted one, needs a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from erstwhile.core.errors import RefusedError
from erstwhile.core.ids import short_id
from erstwhile.core.kinds import Origin
from erstwhile.core.scope import PERSON_REMEDY, Scope

if TYPE_CHECKING:
    from erstwhile.core.policies import Policy
    from erstwhile.facts.draft import Draft
    from erstwhile.storage.access import Access
    from erstwhile.storage.unit import Unit


def _actions(noun: str, verbs: str) -> frozenset[str]:
    return frozenset(f"{noun}.{verb}" if noun else verb for verb in verbs.split())


ALLOWED = frozenset[str]().union(
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
    (
        "conflict.note",
        "decision.record",
        "observation.add",
        "outcome.add",
        "snapshot.create",
        "usage.record",
    ),
    ("onboarding.reach",),
)
"""Actions allowed on any record of the agent's scope."""
UNDO_OWN: Mapping[str, frozenset[str]] = {
    "undo": frozenset(("retire", "supersede", "reject", "confirm", "approve", "revert")),
    "restore": frozenset(("delete",)),
    "block.restore": frozenset(("block.delete",)),
    "task.restore": frozenset(("task.delete",)),
    "checkpoint.restore": frozenset(("checkpoint.delete",)),
    "conversation.reopen": frozenset(("conversation.close",)),
    "compaction.undo": frozenset(("compaction.add", "compaction.copy")),
}
"""Actions that undo others. The newest undone action on the record must be the agent's own."""
OWN_ONLY = frozenset(("erase", "unalias")).union(
    _actions("decision", "outcome supersede delete restore"),
    _actions("lesson", "drop delete restore"),
    _actions("limitation", "delete restore"),
    _actions("observation", "delete restore"),
    _actions("outcome", "delete restore"),
    _actions("snapshot", "delete"),
)
"""Actions allowed only on records that nobody else made or changed."""


class AgentPolicy:
    """The agent rules of a memory; see `storage.unit.AgentRules`."""

    def check_action(self, unit: Unit, action: str, subject: str, scope: Scope) -> None:
        """Raise RefusedError if an agent may not do this to a record."""
        if action in ALLOWED:
            return
        if action in OWN_ONLY:
            if not unit.is_own(subject, scope):
                raise RefusedError(
                    f"not the work of this agent: someone else changed {short_id(subject)}",
                    remedy=PERSON_REMEDY,
                )
        elif action in UNDO_OWN:
            if not _did_undone_action(unit, action, subject, scope):
                raise RefusedError(
                    f"not the work of this agent: someone else last changed {short_id(subject)}",
                    remedy=PERSON_REMEDY,
                )
        else:
            unit.viewer.check_person(f"do this to {short_id(subject)}: {action}")

    def check_text(self, old: str, new: str) -> None:
        """Raise RefusedError if the guard objects to what an agent adds to a text."""
        from erstwhile.learning.guard.agent_write_guard import check_note  # only agents need it

        check_note(old, new)


def _did_undone_action(unit: Unit, action: str, subject: str, scope: Scope) -> bool:
    """Return whether the agent itself did the newest action that `action` undoes."""
    relevant = UNDO_OWN[action] | {action}
    acts = [each for each in unit.acts_on(subject, scope) if each[0] in relevant]
    if not acts or acts[0][0] == action:  # a block that is not deleted gets an earlier text
        return action == "block.restore"
    return bool(acts[0][1] == unit.viewer.actor)


def draft_guard(access: Access, policy: Policy) -> Callable[[Draft], Draft]:
    """Return the guard for the drafts of one call. Drafts of people and programs pass."""
    guards: list[Callable[[Draft], Draft]] = []

    def admitted(draft: Draft) -> Draft:
        if draft.origin is not Origin.AGENT:
            return draft
        if not guards:
            # Imported here: only agents that write facts themselves need it.
            from erstwhile.learning.guard.agent_write_guard import AgentWriteGuard

            guards.append(AgentWriteGuard(access, policy))
        return guards[0](draft)

    return admitted
