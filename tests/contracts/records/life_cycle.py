"""Rules for all records: finding, listing, deleting, erasing, and scopes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from erstwhile.core.errors import AmbiguousIdError, InvalidInputError, NotFoundError, ScopeError
from erstwhile.memory import Memory
from erstwhile.storage.record import Record
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, paged, told, unchanged

RECORDS: dict[str, Callable[[Memory, str], Record]] = {
    "outcomes": lambda memory, text: memory.outcomes.add(text, 1, note=text),
    "lessons": lambda memory, text: memory.lessons.add(text, text),
    "observations": lambda memory, text: memory.observations.add("bugfix", text, what=text),
    "limitations": lambda memory, text: memory.limitations.add(text, plan=text),
    "usage": lambda memory, text: memory.usage.record(text, input=1),
}
"""Each collection, and how to add a record with a text."""

FIRST_ACTIONS = {
    "outcomes": "outcome.add", "lessons": "lesson.add", "observations": "observation.add",
    "limitations": "limitation.add", "usage": "usage.record",
}  # fmt: skip

TEXTS: dict[str, Callable[[Memory, str], Any]] = {
    "domain": lambda memory, bad: memory.outcomes.add(bad, 1),
    "note": lambda memory, bad: memory.outcomes.add("x", 1, note=bad),
    "source": lambda memory, bad: memory.outcomes.add("x", 1, source=bad),
    "asked domain": lambda memory, bad: memory.outcomes.list(domain=bad),
    "tallied domain": lambda memory, bad: memory.outcomes.tally(domain=bad),
    "domain of a lesson": lambda memory, bad: memory.lessons.add(bad, "x"),
    "rule": lambda memory, bad: memory.lessons.add("x", bad),
    "domain of lessons": lambda memory, bad: memory.lessons.list(domain=bad),
    "cursor of lessons": lambda memory, bad: memory.lessons.list(cursor=bad),
    "type": lambda memory, bad: memory.observations.add(bad, "x"),
    "title": lambda memory, bad: memory.observations.add("bugfix", bad),
    "what": lambda memory, bad: memory.observations.add("bugfix", "x", what=bad),
    "why": lambda memory, bad: memory.observations.add("bugfix", "x", why=bad),
    "where": lambda memory, bad: memory.observations.add("bugfix", "x", where=bad),
    "learned": lambda memory, bad: memory.observations.add("bugfix", "x", learned=bad),
    "query": lambda memory, bad: memory.observations.search(bad),
    "asked type": lambda memory, bad: memory.observations.search("x", type=bad),
    "title of a limitation": lambda memory, bad: memory.limitations.add(bad),
    "description": lambda memory, bad: memory.limitations.add("x", description=bad),
    "plan": lambda memory, bad: memory.limitations.add("x", plan=bad),
    "status": lambda memory, bad: memory.limitations.list(status=bad),
    "model": lambda memory, bad: memory.usage.record(bad),
    "session": lambda memory, bad: memory.usage.record("x", session=bad),
    "cost": lambda memory, bad: memory.usage.record("x", cost=bad),
    "time of a call": lambda memory, bad: memory.usage.record("x", at=bad),
    "asked model": lambda memory, bad: memory.usage.summary(model=bad),
    "asked session": lambda memory, bad: memory.usage.list(session=bad),
    "period": lambda memory, bad: memory.usage.summary(bad),
    "since": lambda memory, bad: memory.usage.summary(since=bad),
    "language": lambda memory, bad: memory.profile.set_language(bad),
    "noticed text": lambda memory, bad: memory.profile.notice_language(bad),
}
REQUIRED = (
    "domain", "domain of a lesson", "rule", "type", "title", "query", "title of a limitation",
    "status", "model", "language", "noticed text",
)  # fmt: skip
"""The texts that are required."""
BAD_TEXTS = [(place, bad) for place in TEXTS for bad in ("", "  ", "a\0b", "\ud800", b"x")]


class RecordsContract(Contract):
    """Each test runs for every collection."""

    @pytest.fixture(params=RECORDS)
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    def test_an_id_or_its_beginning_finds_a_record(self, memory: Memory, name: str) -> None:
        record = RECORDS[name](memory, "x")
        for given in (record.id, record.short_id, f" {record.id.upper()}\n"):
            assert _of(memory, name).get(given) == record

    def test_an_ambiguous_id_picks_none(self, memory: Memory, name: str) -> None:
        records = [RECORDS[name](memory, text) for text in ("a", "b")]
        for verb in ("get", "delete", "erase"):
            with unchanged(memory), pytest.raises(AmbiguousIdError) as caught:
                getattr(_of(memory, name), verb)(records[0].id[:8])
            assert set(caught.value.candidates) == {record.id for record in records}
        with unchanged(memory), pytest.raises(InvalidInputError):
            _of(memory, name).delete("")

    def test_an_unknown_name_or_id_is_not_found(self, memory: Memory, name: str) -> None:
        collection = _of(memory, name)
        for verb in (collection.get, collection.delete, collection.restore, collection.erase):
            with unchanged(memory), pytest.raises(NotFoundError):
                verb("0198c0de-0000-7000-8000-000000000000")

    def test_a_list_is_paged_and_complete(self, memory: Memory, name: str) -> None:
        records = [RECORDS[name](memory, f"text {number}") for number in range(5)]
        assert paged(_of(memory, name).list) == records[::-1]

    def test_the_order_is_that_of_recording_though_the_clock_goes_back(
        self, memory: Memory, clock: FakeClock, name: str
    ) -> None:
        records = []
        for number in range(3):
            records.append(RECORDS[name](memory, f"text {number}"))
            clock.advance(minutes=-10)
        assert list(_of(memory, name).list()) == records[::-1]

    @pytest.mark.parametrize("project", [None, "default", "shop"])
    def test_records_belong_to_scopes(self, memory: Memory, name: str, project: str | None) -> None:
        mine = memory.scoped(user="ana", project=project)
        record = RECORDS[name](mine, "x")
        assert list(_of(mine, name).list()) == [record]
        other = memory.scoped(user="ana", project="other")
        assert list(_of(other, name).list()) == ([] if project else [record])
        assert _of(memory.scoped(user="bob", project=project), name).list().items == ()

    def test_shared_records_are_visible_but_not_changed(self, memory: Memory, name: str) -> None:
        shared = RECORDS[name](memory, "x")
        ana = memory.scoped(user="ana")
        assert _of(ana, name).get(shared.id) == shared
        for verb in ("delete", "erase"):
            with unchanged(memory), pytest.raises(ScopeError):
                getattr(_of(ana, name), verb)(shared.id)

    def test_an_administrator_sees_all_and_records_nothing(self, memory: Memory, name: str) -> None:
        record = RECORDS[name](memory.scoped(user="ana"), "x")
        admin = memory.everything()
        assert list(_of(admin, name).list()) == [record]
        with unchanged(memory), pytest.raises(ScopeError, match="administrator"):
            RECORDS[name](admin, "y")
        _of(admin, name).delete(record.id)
        assert not _of(memory.scoped(user="ana"), name).list()

    def test_deleting_hides_and_restoring_brings_it_back_as_it_was(
        self, memory: Memory, clock: FakeClock, name: str
    ) -> None:
        record, collection = RECORDS[name](memory, "x"), _of(memory, name)
        clock.advance(hours=1)
        deleted = collection.delete(record.id, reason="a mistake")
        assert deleted == replace(record, changed_at=clock.now(), deleted_at=clock.now())
        assert not collection.list()
        assert list(collection.list(deleted=True)) == [deleted]
        with pytest.raises(NotFoundError, match=f"{name}.restore"):
            collection.get(record.id)
        with pytest.raises(NotFoundError, match="deleted"):
            collection.delete(record.id)
        clock.advance(hours=1)
        restored = collection.restore(record.id)
        assert restored == replace(record, changed_at=clock.now())
        assert list(collection.list()) == [restored]
        with pytest.raises(NotFoundError, match="not deleted"):
            collection.restore(record.id)

    def test_purging_erases_records_deleted_long_ago_in_this_scope(
        self, memory: Memory, clock: FakeClock, name: str
    ) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        collection = _of(bob, name)
        hers, old, new = RECORDS[name](ana, "x"), *(RECORDS[name](bob, t) for t in ("x", "y"))
        _of(ana, name).delete(hers.id)
        collection.delete(old.id)
        clock.advance(days=31)
        collection.delete(new.id)
        receipt = collection.purge()
        assert (receipt.ids, receipt.records, receipt.facts) == ((old.id,), 1, 0)
        assert [record.id for record in collection.list(deleted=True)] == [new.id]
        assert [record.id for record in _of(ana, name).list(deleted=True)] == [hers.id]
        assert collection.purge().ids == ()
        with pytest.raises(InvalidInputError, match="future"):
            collection.purge("in 3 days")
        assert memory.everything().audit.verify().ok

    def test_erasing_leaves_only_that_something_was_erased(self, memory: Memory, name: str) -> None:
        records, collection = [RECORDS[name](memory, text) for text in "abc"], _of(memory, name)
        collection.delete(records[1].id, reason="secret")
        receipt = collection.erase(records[0].id, records[1].short_id)
        assert receipt.ids == (records[0].id, records[1].id)
        assert (receipt.records, receipt.audit_entries) == (2, 3)
        assert list(collection.list()) == [records[2]]
        assert not collection.list(deleted=True)
        entries = memory.audit.list(subject=records[1].id)
        assert [entry.reason for entry in entries] == [None] * 3
        assert entries[0].action == "erase"
        assert collection.erase(records[0].id).records == 1
        assert memory.audit.verify().ok
        with pytest.raises(InvalidInputError, match="no id"):
            collection.erase()

    def test_every_change_is_on_the_trail(self, memory: Memory, name: str) -> None:
        record, collection = RECORDS[name](memory, "a secret"), _of(memory, name)
        collection.delete(record.id, reason="wrong")
        collection.restore(record.id)
        entries = memory.audit.list(subject=record.id)
        noun = FIRST_ACTIONS[name].partition(".")[0]
        assert [entry.action for entry in entries] == [
            f"{noun}.restore", f"{noun}.delete", FIRST_ACTIONS[name],
        ]  # fmt: skip
        assert [entry.reason for entry in entries] == [None, "wrong", None]
        assert "secret" not in told(entries)
        checked = memory.audit.verify()
        assert checked.ok
        assert checked.records == 1


class RecordLimitsContract(Contract):
    @input_check
    @pytest.mark.parametrize(("place", "bad"), BAD_TEXTS, ids=repr)
    def test_a_bad_text_is_refused(self, memory: Memory, place: str, bad: Any) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError):
            TEXTS[place](memory, bad)

    @input_check
    @pytest.mark.parametrize("place", REQUIRED)
    def test_a_required_text_is_required(self, memory: Memory, place: str) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError):
            TEXTS[place](memory, None)  # type: ignore[arg-type]

    @input_check
    @pytest.mark.parametrize("place", [*REQUIRED, "note", "what", "plan"])
    def test_a_text_that_is_too_long_is_refused(self, memory: Memory, place: str) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError):
            TEXTS[place](memory, "x" * 100_001)


def _of(memory: Memory, name: str) -> Any:
    return getattr(memory, name)
