"""Several statements in one transaction: all of them, or none; an error says which it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from erstwhile.core.errors import InvalidInputError, RefusedError
from erstwhile.facts import remembering
from erstwhile.facts.draft import Draft, to_draft
from erstwhile.facts.fact import Fact
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit


def remember_many(access: Access, items: Iterable[str | Mapping[str, Any] | Draft]) -> list[Fact]:
    if isinstance(items, str | bytes | Mapping):
        raise InvalidInputError("the items must be a list", remedy="for one, use `remember`")
    now, drafts = access.clock.now(), list[Draft]()
    with _naming_the_item(after=drafts):
        for item in items:
            drafts.append(to_draft(item, now=now))
    return access.change(lambda unit: _remembered(unit, drafts)) if drafts else []


def _remembered(unit: Unit, drafts: Sequence[Draft]) -> list[Fact]:
    facts: list[Fact] = []
    with _naming_the_item(after=facts):
        for said in drafts:
            facts.append(remembering.remember(unit, said))
            unit.tick()
    return facts


@contextmanager
def _naming_the_item(after: Sequence[object]) -> Iterator[None]:
    """Let an error say which of several items it is about: the one after those that are done."""
    try:
        yield
    except (InvalidInputError, RefusedError) as error:
        error.message = f"item {len(after)}: {error.message}"
        raise
