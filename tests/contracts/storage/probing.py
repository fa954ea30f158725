"""Calling verbs as another user, to find those that show or change another user's records."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from erstwhile.core.errors import ErstwhileError
from erstwhile.memory import Memory
from erstwhile.storage.record import Identified
from tests.contracts.base import contents, told

UNKNOWN = "0198c0de-0000-7000-8000-000000000000"
Verb = Callable[[Memory, str], Any]


def by_id(collection: str, verbs: str) -> dict[str, Verb]:
    """Return calls of verbs whose only argument is an id."""

    def call(verb: str) -> Verb:
        return lambda memory, id: getattr(getattr(memory, collection), verb)(id)

    return {f"{collection.capitalize()}.{verb}": call(verb) for verb in verbs.split()}


def with_arguments(collection: str, **verbs: tuple[Any, ...]) -> dict[str, Verb]:
    """Return calls of verbs with their arguments."""

    def call(verb: str, given: tuple[Any, ...]) -> Verb:
        return lambda memory, _: getattr(getattr(memory, collection), verb)(*given)

    return {f"{collection.capitalize()}.{verb}": call(verb, given) for verb, given in verbs.items()}


def outcome(verb: Verb, memory: Memory, id: str) -> str:
    """Return the answer or the error of a call, with the given id replaced."""
    try:
        result = verb(memory, id)
    except ErstwhileError as error:
        result = (type(error), str(error), error.remedy)
    return told(result).replace(id, UNKNOWN)


def answering_otherwise(
    verbs: Mapping[str, Verb], bob: Memory, records: Sequence[Identified], before: Mapping[str, str]
) -> set[str]:
    """Return the verbs whose answer about another user's id differs from an unknown id."""
    ids = [id for record in records for id in (record.id, record.short_id)]
    return {
        name
        for name, verb in verbs.items()
        if any(
            outcome(verb, bob, id) != before[name] for id in (ids if takes_id(verb) else [UNKNOWN])
        )
    }


def takes_id(verb: Verb) -> bool:
    return "id" in inspect.signature(verb).parameters


def disturbing(
    verbs: Mapping[str, Verb], ana: Memory, newcomer: Callable[[str], Memory]
) -> set[str]:
    """Return the verbs that change ana's records when another user calls them."""
    found, before = set(), contents(ana)
    for name, verb in verbs.items():
        outcome(verb, newcomer(name), UNKNOWN)
        after = contents(ana)
        if after != before:
            found.add(name)
        before = after
    return found
