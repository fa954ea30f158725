"""The words of proposals: the only part of an attempt that quotes facts and messages.

They have a column of their own, so that erasing a fact or a message can empty it. The rest of an
attempt names facts and messages by their ids, and stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from erstwhile.core.scope import to_scope
from erstwhile.secrets.masking import mask_text
from erstwhile.storage import columns, erasure

if TYPE_CHECKING:
    from erstwhile.core.ports import Row
    from erstwhile.core.scope import Scope
    from erstwhile.storage.unit import Unit

MAX_LENGTH = 300
"""The characters that are kept of a text: enough to recognise a statement."""


def encode(words: Iterable[tuple[str, str]]) -> str:
    """Return the texts and quotations of an attempt, which are `shortened`, for its column."""
    return columns.encode([list(each) for each in words])


def decode(stored: str, count: int) -> list[tuple[str, str]]:
    """Return the texts and quotations of so many changes; blank ones after an erasure."""
    words: list[tuple[str, str]] = json.loads(stored)
    return words or [("", "")] * count


def shortened(text: str) -> str:
    """Return a text as an attempt keeps it; what cannot be stored is replaced."""
    return _cut(mask_text(text.encode("utf-8", "replace").decode().replace("\0", "?")))


def _cut(storable: str) -> str:
    return storable if len(storable) <= MAX_LENGTH else f"{storable[: MAX_LENGTH - 1]}…"


def forget_facts(unit: Unit, scope: Scope, facts: Sequence[tuple[str, str]]) -> int:
    """Empty the attempts of a scope that name or quote facts, given by id and text.

    Return the number of audit entries that were blanked.
    """
    ids = {id for id, _ in facts}
    texts = {_cut(text) for _, text in facts}  # a fact is masked when it is stored
    rows = unit.rows("attempts_with_words", {"scope": unit.scope_id(scope)})
    return sum(_forget(unit, row[0], scope) for row in rows if _tells(row, ids, texts))


def forget_messages(unit: Unit, conversation: str, position: int) -> int:
    """Empty the attempts of a conversation that may quote a message at this position.

    A later turn is learned from together with the messages before it.
    """
    place = {"conversation": conversation, "position": position}
    rows = unit.rows("attempts_with_words_since", place)
    return sum(_forget(unit, id, to_scope(*dimensions)) for id, *dimensions in rows)


def _tells(row: Row, ids: set[str], texts: set[str]) -> bool:
    _, changes, words = row
    named = {fact for _, fact, *_ in json.loads(changes)}
    return bool(named & ids) or any(text in texts for text, _ in json.loads(words))


def _forget(unit: Unit, id: str, scope: Scope) -> int:
    blanked = erasure.blank(unit, id, scope)
    unit.run("forget_words", {"id": id, "now": unit.stamp})
    [(_, _, _, *state)] = unit.rows("attempt_state", {"id": id})
    unit.record("attempt.forget", id, scope, None, state)
    return blanked
