"""Isolation of two users: no verb of records shows or changes records of the other user.

As in the general contract on isolation: a reading verb answers bob as if ana did not exist, and a
writing verb leaves the records of ana unchanged.
"""

from __future__ import annotations

import inspect

import pytest

from erstwhile.core.errors import NotFoundError
from erstwhile.memory import Memory
from erstwhile.profile.collection import Profile
from erstwhile.profile.onboarding import Onboarding
from erstwhile.records.lessons import Lessons
from erstwhile.records.limitations import Limitations
from erstwhile.records.observations import Observations
from erstwhile.records.outcomes import Outcomes
from erstwhile.storage.record import Record
from erstwhile.testing.clock import FakeClock
from erstwhile.usage.collection import Usage
from tests.contracts.base import Contract, unchanged
from tests.contracts.storage.probing import UNKNOWN, Verb, answering_otherwise, disturbing, outcome

COLLECTIONS = (Outcomes, Lessons, Observations, Limitations, Usage, Profile, Onboarding)
JAPANESE = "宝物は正午に埋められました。"

ASKING: dict[str, Verb] = {
    "Outcomes.get": lambda memory, id: memory.outcomes.get(id),
    "Outcomes.list": lambda memory, _: [
        memory.outcomes.list(deleted=deleted, domain=domain)
        for deleted in (False, True) for domain in (None, "treasure")
    ],
    "Outcomes.tally": lambda memory, _: memory.outcomes.tally(),
    "Lessons.get": lambda memory, id: memory.lessons.get(id),
    "Lessons.list": lambda memory, _: [
        memory.lessons.list(deleted=deleted, domain=domain)
        for deleted in (False, True) for domain in (None, "treasure")
    ],
    "Lessons.list after another": lambda memory, id: memory.lessons.list(cursor=id),
    "Observations.get": lambda memory, id: memory.observations.get(id),
    "Observations.list": lambda memory, _: [
        memory.observations.list(deleted=deleted) for deleted in (False, True)
    ],
    "Observations.search": lambda memory, _: [
        memory.observations.search(query) for query in ("treasure", "everybody and treasures")
    ],
    "Limitations.get": lambda memory, id: memory.limitations.get(id),
    "Limitations.list": lambda memory, _: [
        memory.limitations.list(deleted=deleted, status="any") for deleted in (False, True)
    ],
    "Usage.get": lambda memory, id: memory.usage.get(id),
    "Usage.list": lambda memory, _: [
        memory.usage.list(deleted=deleted) for deleted in (False, True)
    ],
    "Usage.summary": lambda memory, _: [
        memory.usage.summary(by) for by in (None, "day", "model", "session")
    ],
    "Usage.price": lambda memory, _: memory.usage.price("treasure"),
    "Profile.values": lambda memory, _: [
        memory.profile.values(), memory.profile.values(known_at="now"),
    ],
    "Profile.text": lambda memory, _: [
        memory.profile.text(), memory.profile.text(known_at="now"),
    ],
    "Profile.language": lambda memory, _: memory.profile.language(),
    "Profile.detect_language": lambda memory, _: memory.profile.detect_language(JAPANESE),
    "Onboarding.reached": lambda memory, _: memory.onboarding.reached(),
    "Memory.audit": lambda memory, id: [
        memory.audit.list(), memory.audit.list(subject=id), memory.audit.verify(),
    ],
    "Memory.stats": lambda memory, _: memory.stats(),
}  # fmt: skip

CHANGING_BY_ID: dict[str, Verb] = {
    "Outcomes.delete": lambda memory, id: memory.outcomes.delete(id),
    "Outcomes.restore": lambda memory, id: memory.outcomes.restore(id),
    "Outcomes.erase": lambda memory, id: memory.outcomes.erase(id),
    "Lessons.delete": lambda memory, id: memory.lessons.delete(id),
    "Lessons.restore": lambda memory, id: memory.lessons.restore(id),
    "Lessons.erase": lambda memory, id: memory.lessons.erase(id),
    "Observations.delete": lambda memory, id: memory.observations.delete(id),
    "Observations.restore": lambda memory, id: memory.observations.restore(id),
    "Observations.erase": lambda memory, id: memory.observations.erase(id),
    "Limitations.resolve": lambda memory, id: memory.limitations.resolve(id),
    "Limitations.delete": lambda memory, id: memory.limitations.delete(id),
    "Limitations.restore": lambda memory, id: memory.limitations.restore(id),
    "Limitations.erase": lambda memory, id: memory.limitations.erase(id),
    "Usage.delete": lambda memory, id: memory.usage.delete(id),
    "Usage.restore": lambda memory, id: memory.usage.restore(id),
    "Usage.erase": lambda memory, id: memory.usage.erase(id),
}
CHANGING: dict[str, Verb] = {
    "Outcomes.add": lambda memory, _: memory.outcomes.add("treasure", 1),
    "Outcomes.purge": lambda memory, _: memory.outcomes.purge("0 days"),
    "Lessons.add": lambda memory, _: [
        memory.lessons.add("treasure", f"treasure {number}") for number in range(12)
    ],
    "Lessons.purge": lambda memory, _: memory.lessons.purge("0 days"),
    "Observations.add": lambda memory, _: memory.observations.add("pattern", "treasure"),
    "Observations.purge": lambda memory, _: memory.observations.purge("0 days"),
    "Limitations.add": lambda memory, _: memory.limitations.add("treasure 0"),
    "Limitations.purge": lambda memory, _: memory.limitations.purge("0 days"),
    "Usage.record": lambda memory, _: memory.usage.record("treasure 0", session="treasure"),
    "Usage.purge": lambda memory, _: memory.usage.purge("0 days"),
    "Profile.set_language": lambda memory, _: memory.profile.set_language("ko"),
    "Profile.notice_language": lambda memory, _: memory.profile.notice_language(JAPANESE),
    "Onboarding.next": lambda memory, _: memory.onboarding.next(),
}


def public_verbs() -> set[str]:
    return {
        f"{kind.__name__}.{name}"
        for kind in COLLECTIONS
        for name, member in inspect.getmembers(kind, callable)
        if not name.startswith("_")
    }


class RecordIsolationContract(Contract):
    def test_every_verb_is_covered(self) -> None:
        """A new public method must say here how it keeps users apart."""
        probed = {name.partition(" ")[0] for name in (*ASKING, *CHANGING_BY_ID, *CHANGING)}
        assert probed - {"Memory.audit", "Memory.stats"} == public_verbs()

    @pytest.fixture(autouse=True)
    def everybody(self, memory: Memory) -> None:
        memory.observations.add("bugfix", "everybody is welcome")
        memory.lessons.add("treasure", "share")

    def test_changes_by_ana_change_no_answer_to_bob(self, memory: Memory, clock: FakeClock) -> None:
        """Not a record, not a count, not a sum, not the text of an error."""
        bob = somebody(memory, "bob")
        clock.advance(days=1, minutes=1)
        before = {verb: outcome(ask, bob, UNKNOWN) for verb, ask in ASKING.items()}
        records = work(memory.scoped(user="ana"))
        records += work(memory.scoped(user="ana", agent="coder", project="shop", session="s"))
        assert answering_otherwise(ASKING, bob, records, before) == set()

    def test_bob_cannot_change_records_of_ana(self, memory: Memory) -> None:
        """In any state, by its id or its beginning; the error reveals nothing."""
        bob, records = somebody(memory, "bob"), work(memory.scoped(user="ana"))
        unknown = {verb: outcome(change, bob, UNKNOWN) for verb, change in CHANGING_BY_ID.items()}
        assert all(NotFoundError.__name__ in each for each in unknown.values())
        with unchanged(memory):
            assert answering_otherwise(CHANGING_BY_ID, bob, records, unknown) == set()

    def test_changes_by_bob_change_nothing_of_ana(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        work(ana)
        assert disturbing(CHANGING, ana, lambda verb: somebody(memory, verb)) == set()
        assert memory.everything().audit.verify().ok


def somebody(memory: Memory, name: str) -> Memory:
    view = memory.scoped(user=name)
    view.observations.add("bugfix", "Bob is here")
    return view


def work(memory: Memory) -> list[Record]:
    """Add records of each kind: one present, one deleted, one erased; a profile; a stage."""
    records: list[Record] = []
    for number in range(3):
        text = f"treasure {number}"
        records += [
            memory.outcomes.add("treasure", -1, note=text),
            memory.lessons.add("treasure", text),
            memory.observations.add("pattern", text, where="treasure island"),
            memory.limitations.add(text, plan="dig"),
            memory.usage.record(text, input=7, cost=7, session="treasure"),
        ]
    for record in records[5:10]:
        getattr(memory, _collection(record)).delete(record.id, reason="no treasure")
    for record in records[10:]:
        getattr(memory, _collection(record)).erase(record.id)
    memory.facts.set("treasure", "buried")
    memory.profile.set_language("ja")
    memory.onboarding.next()
    return records


def _collection(record: Record) -> str:
    name = type(record).__name__
    return "usage" if name == "UsageEntry" else f"{name.lower()}s"
