"""Read what a scope knew at a moment, from the kept states of its facts and blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from erstwhile.blocks.block import Block
from erstwhile.blocks.rows import to_block
from erstwhile.core.errors import PurgedError
from erstwhile.core.scope import Scope, scope_params
from erstwhile.core.time import to_micros
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.storage.audit_seal import find_seal
from erstwhile.storage.view import View

_ENDING = frozenset(("retire", "supersede", "expire", "reject"))
_NAMED = 5
"""The most names that an error lists."""


@dataclass(frozen=True, slots=True)
class Period:
    """A part of the recorded time of one scope."""

    scope: Scope
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Known:
    """The touched facts of a period, and all blocks, as they were known at a moment, by id."""

    facts: Mapping[str, Fact]
    blocks: Mapping[str, Block]


def known_at(view: View, period: Period, moment: datetime) -> Known:
    """Return the facts that changed in a period or later, and all blocks, as of a moment."""
    params = {
        "scope": _scope_id(view, period.scope),
        "since": to_micros(period.since),
        "until": to_micros(period.until),
        "known_at": to_micros(moment),
    }
    facts = [to_fact(row) for row in view.rows("facts_known", params, "past")]
    blocks = [to_block(row) for row in view.rows("blocks_known", params)]
    return Known({fact.id: fact for fact in facts}, {block.id: block for block in blocks})


def check_whole(view: View, scope: Scope, moment: datetime, then: Known, now: Known) -> None:
    """Raise PurgedError if a state of a moment was erased, purged or pruned since."""
    pruned = [block.name for block in pruned_since(moment, then, now)]
    erased, sealed = erased_since(view, scope, moment), _was_sealed(view, scope, moment)
    if not (pruned or erased or sealed):
        return
    parts = [f"{len(erased):,} records were erased"] if erased else []
    parts += [f"earlier versions were pruned of {', '.join(pruned[:_NAMED])}"] if pruned else []
    parts += ["the audit trail was sealed, so it is unknown what was erased"] if sealed else []
    raise PurgedError(
        f"the state of {moment:%Y-%m-%d %H:%M:%S} is not whole any more: {'; '.join(parts)}",
        remedy="use partial=True for what is left",
    )


def pruned_since(moment: datetime, then: Known, now: Known) -> list[Block]:
    """Return the blocks that existed at a moment, and whose state of then is gone."""
    return [b for b in now.blocks.values() if b.created_at <= moment and b.id not in then.blocks]


def erased_since(view: View, scope: Scope, moment: datetime) -> list[str]:
    """Return the ids of the facts and blocks that were open at a moment, and were erased since.

    Of an erased record the audit trail still has its changes, without their content.
    """
    params = {"scope": _scope_id(view, scope), "since": to_micros(moment)}
    lives: dict[str, list[str]] = {}
    for subject, action in view.rows("lives_of_erased", params):
        lives.setdefault(subject, []).append(action)
    return [subject for subject, actions in lives.items() if _was_open(actions)]


def _was_sealed(view: View, scope: Scope, moment: datetime) -> bool:
    """Return whether changes after a moment were sealed: erasures may be among them."""
    number = _scope_id(view, scope)
    last = find_seal(view, number).last
    params = {"scope": number, "last": last, "since": to_micros(moment)}
    return bool(last and view.rows("sealed_since", params)[0][0])


def _was_open(actions: Iterable[str]) -> bool:
    """Return whether a life of changes ends with an open fact, or with a block that is there."""
    ended = deleted = False
    for action in actions:
        noun, _, verb = action.rpartition(".")
        if noun not in ("", "block"):
            return False
        ended = (ended or verb in _ENDING) and verb != "undo"
        deleted = (deleted or verb == "delete") and verb != "restore"
    return not (ended or deleted)


def _scope_id(view: View, scope: Scope) -> int:
    return int(view.rows("find_scope", scope_params(scope))[0][0])
