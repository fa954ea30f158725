"""Limits: sizes, and characters that an engine cannot store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError, TooLargeError
from erstwhile.memory import Memory
from tests.contracts.base import Contract, input_check, unchanged

Call = Callable[[Memory, str], Any]

# Every place that takes a text from the caller and hands it to the store.
PLACES: dict[str, Call] = {
    "text": lambda memory, bad: memory.remember(bad),
    "key": lambda memory, bad: memory.remember("x", key=bad),
    "tag": lambda memory, bad: memory.remember("x", tags=["fine", bad]),
    "entity": lambda memory, bad: memory.remember("x", entities=[bad]),
    "subject": lambda memory, bad: memory.remember("x", relations=[(bad, "knows", "Bob")]),
    "predicate": lambda memory, bad: memory.remember("x", relations=[("Ana", bad, "Bob")]),
    "object": lambda memory, bad: memory.remember("x", relations=[("Ana", "knows", bad)]),
    "metadata value": lambda memory, bad: memory.remember("x", metadata={"a": [{"b": bad}]}),
    "metadata key": lambda memory, bad: memory.remember("x", metadata={"a": {bad: 1}}),
    "conversation": lambda memory, bad: memory.remember("x", source=bad),
    "message": lambda memory, bad: memory.remember("x", source={"messages": [bad]}),
    "user": lambda memory, bad: memory.scoped(user=bad),
    "agent": lambda memory, bad: memory.scoped(agent=bad),
    "project": lambda memory, bad: memory.scoped(project=bad),
    "session": lambda memory, bad: memory.scoped(session=bad),
    "new text": lambda memory, bad: memory.facts.replace(_known(memory), bad),
    "reason of replace": lambda memory, bad: memory.facts.replace(
        _known(memory), "new", reason=bad
    ),
    "reason": lambda memory, bad: memory.facts.retire(_known(memory), "wrong", reason=bad),
    "reason of alias": lambda memory, bad: memory.entities.add_alias("Ana", "Annie", reason=bad),
    "reason of unalias": lambda memory, bad: memory.entities.remove_alias(
        "Ana", "Anna", reason=bad
    ),
    "alias": lambda memory, bad: memory.entities.add_alias("Ana", bad),
    "aliased": lambda memory, bad: memory.entities.add_alias(bad, "Annie"),
    "value": lambda memory, bad: memory.facts.set("city", bad),
    "id": lambda memory, bad: memory.facts.get(bad),
    "asked key": lambda memory, bad: memory.facts.value(bad),
    "asked entity": lambda memory, bad: memory.entities.get(bad),
    "filter by tag": lambda memory, bad: memory.facts.list(tag=bad),
    "filter by entity": lambda memory, bad: memory.facts.count(entity=bad),
    "filter by key": lambda memory, bad: memory.facts.list(key=bad),
    "filter by text": lambda memory, bad: memory.facts.list(contains=bad),
    "filter by kind": lambda memory, bad: memory.facts.list(kind=bad),
    "filter by time": lambda memory, bad: memory.facts.list(since=bad),
    "cursor": lambda memory, bad: memory.facts.list(cursor=bad),
    "cursor of entities": lambda memory, bad: memory.entities.list(cursor=bad),
    "cursor of audit": lambda memory, bad: memory.audit.list(cursor=bad),
    "audited subject": lambda memory, bad: memory.audit.list(subject=bad),
    "audited action": lambda memory, bad: memory.audit.list(action=bad),
    "expiry": lambda memory, bad: memory.remember("x", expires_at=bad),
    "valid_from": lambda memory, bad: memory.remember("x", valid_from=bad),
    "as_of": lambda memory, bad: memory.facts.list(as_of=bad),
    "known_at": lambda memory, bad: memory.facts.list(known_at=bad),
    "age": lambda memory, bad: memory.facts.purge(bad),
}
NESTED = {"metadata value", "metadata key"}
# Every name that is a segment of an address of the HTTP API.
NAMED: dict[str, Call] = {
    **{name: PLACES[name] for name in ("entity", "subject", "object", "alias", "aliased")},
    "block": lambda memory, bad: memory.blocks.add(bad, "text"),
    "folder": lambda memory, bad: memory.blocks.rename_folder("notes", bad),
    "snapshot": lambda memory, bad: memory.snapshots.create(bad),
    "run": lambda memory, bad: memory.checkpoints.plan(bad, "build"),
    "phase": lambda memory, bad: memory.checkpoints.start("deploy", bad),
    "person": lambda memory, bad: memory.identities.link("ana@example.com", bad),
}


def _known(memory: Memory) -> str:
    return memory.facts.list()[0].id


class LimitsContract(Contract):
    @pytest.fixture(autouse=True)
    def known(self, memory: Memory) -> None:
        memory.remember("Ana is here", entities=["Ana"])
        memory.entities.add_alias("Ana", "Anna")

    @input_check
    @pytest.mark.parametrize("place", PLACES)
    def test_nul_and_lone_surrogates_are_refused(self, memory: Memory, place: str) -> None:
        for bad in ("a\0b", "a\ud800b", "\udfff"):
            with unchanged(memory), pytest.raises(InvalidInputError):
                PLACES[place](memory, bad)

    @input_check
    @pytest.mark.parametrize("place", sorted(set(PLACES) - NESTED))
    def test_blank_means_nothing_and_never_everything(self, memory: Memory, place: str) -> None:
        for blank in ("", "  ", "\n\t", "\u3000"):
            with unchanged(memory), pytest.raises(InvalidInputError):
                PLACES[place](memory, blank)

    @input_check
    @pytest.mark.parametrize("named", NAMED)
    def test_a_name_that_no_address_can_hold_is_refused(self, memory: Memory, named: str) -> None:
        for dots in (".", "..", " .. "):
            with unchanged(memory), pytest.raises(InvalidInputError):
                NAMED[named](memory, dots)

    @pytest.mark.parametrize(
        ("fits", "details"),
        [
            ("x" * 100_000, {}),
            ("名" * 100_000, {}),
            ("tags", {"tags": [f"t{n}" for n in range(50)]}),
            ("entities", {"entities": [f"e{n}" for n in range(50)]}),
            ("relations", {"relations": [("a", f"p{n}", "b") for n in range(50)]}),
            ("messages", {"source": {"messages": [f"m{n}" for n in range(50)]}}),
            ("metadata", {"metadata": {"a": "x" * 49_991}}),
            ("wide metadata", {"metadata": {"a": "名" * 49_991}}),
            ("key", {"key": "k" * 200}),
            ("tag", {"tags": ["t" * 200]}),
        ],
        ids=lambda case: str(case)[:20],
    )
    def test_the_limit_is_allowed(self, memory: Memory, fits: str, details: dict[str, Any]) -> None:
        fact = memory.remember(fits, **details)
        assert memory.facts.get(fact.id) == fact

    @input_check
    @pytest.mark.parametrize(
        ("text", "details"),
        [
            ("x" * 100_001, {}),
            ("tags", {"tags": [f"t{n}" for n in range(51)]}),
            ("entities", {"entities": [f"e{n}" for n in range(51)]}),
            ("relations", {"relations": [("a", f"p{n}", "b") for n in range(51)]}),
            ("messages", {"source": {"messages": [f"m{n}" for n in range(51)]}}),
            ("metadata", {"metadata": {"a": "x" * 49_992}}),
            ("key", {"key": "k" * 201}),
            ("tag", {"tags": ["t" * 201]}),
            ("entity", {"entities": ["e" * 201]}),
        ],
        ids=lambda case: str(case)[:20],
    )
    def test_more_than_the_limit_is_refused(
        self, memory: Memory, text: str, details: dict[str, Any]
    ) -> None:
        with unchanged(memory), pytest.raises(TooLargeError):
            memory.remember(text, **details)

    @input_check
    def test_a_reason_has_a_limit(self, memory: Memory) -> None:
        with unchanged(memory), pytest.raises(TooLargeError):
            memory.facts.delete(_known(memory), reason="r" * 2_001)
        memory.facts.delete(_known(memory), reason="r" * 2_000)

    def test_the_text_of_an_escape_is_not_the_character(self, memory: Memory) -> None:
        spoken = {"pattern": "\\u0000", "path": "C:\\\\u0000", "\\": "\\"}
        assert memory.facts.get(memory.remember("x", metadata=spoken).id).metadata == spoken

    @input_check
    @pytest.mark.parametrize("place", ["key", "tag", "entity", "user", "alias", "conversation"])
    def test_labels_hold_no_control_characters(self, memory: Memory, place: str) -> None:
        for label in ("two\nlines", "tab\there", "bell\a", "del\x7f"):
            with unchanged(memory), pytest.raises(InvalidInputError):
                PLACES[place](memory, label)

    @input_check
    def test_metadata_too_deep_to_write_is_refused(self, memory: Memory) -> None:
        nest: dict[str, Any] = {}
        for _ in range(100_000):
            nest = {"a": nest}
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.remember("x", metadata=nest)
        nest.clear()
