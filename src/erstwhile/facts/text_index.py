"""A fact in the search index: its text, with its key and labels as further words."""

from __future__ import annotations

from erstwhile.core.kinds import TextKind, Trust
from erstwhile.core.text import folded
from erstwhile.facts.fact import Fact
from erstwhile.storage.passages import IndexedText


def indexed_text(fact: Fact, scope: int) -> IndexedText:
    """Return a fact as the index needs it."""
    return IndexedText(
        kind=TextKind.FACTS,
        id=fact.id,
        scope=scope,
        text=fact.text,
        labels=labels(fact),
        open=_is_open(fact),
        conversation=fact.source.conversation if fact.source else None,
    )


def labels(fact: Fact) -> str:
    """Return the key of a fact, and the value, entities and tags that its text does not contain."""
    names = (*fact.entities, *fact.tags, *filter(None, [fact.value]))
    text = folded(fact.text) if names else ""
    missing = [name for name in names if folded(name) not in text]
    return " \n ".join([fact.key or "", *missing])


def _is_open(fact: Fact) -> bool:
    ended = fact.retired_at is not None or fact.deleted_at is not None
    return not ended and fact.trust is Trust.TRUSTED
