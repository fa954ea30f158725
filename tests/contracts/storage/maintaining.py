"""Maintenance: what has outlived its retention goes, all else stays, and the trail verifies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.errors import BusyError, InvalidInputError, ScopeError
from erstwhile.core.policies import Retained
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Viewer
from erstwhile.decisions.decision import Decision
from erstwhile.memory import Memory
from erstwhile.operations.lease import MaintenanceLease, has_ended
from erstwhile.operations.maintain import RULES
from erstwhile.operations.repair import rebuilt
from erstwhile.operations.results import Maintained
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory, input_check, inside, texts
from tests.contracts.storage.erasing import rows_of
from tests.contracts.storage.whole_life import live

WITHOUT_RULE = {
    "scopes": "one row for each scope; it holds the end of the audit chain",
    "fact_versions": "the history of a fact goes with the fact",
    "fact_uses": "old days are forgotten by themselves",
    "entities": "an entity that no fact mentions is swept",
    "entity_names": "goes with the entity",
    "passages": "goes with the record",
    "partitions": "three rows for each scope",
    "embedders": "one row for each model",
    "vectors": "goes with the passage; a new embedder removes what is left",
    "outbox": "empty when every text has its vector",
    "compactions": "stands for messages; goes with the conversation",
    "sessions": "one row for each channel of a scope",
    "identities": "one row for each name",
    "onboarding": "a row for each stage",
    "learning": "one row for each conversation; goes with it",
    "maintenance": "one row",
    "requests": "keys of a day; each request with a key forgets older ones",
    "migrations": "one row for each version of the schema",
    **dict.fromkeys(("fact_tags", "fact_entities", "relations", "feedback"), "goes with the fact"),
    **dict.fromkeys(("blocks", "snapshots"), "in use until it is deleted"),
    **dict.fromkeys(("lessons", "limitations"), "knowledge: repeats are counted, not stored"),
}
OF_ENGINES = (
    "sqlite_",
    "passage_terms",
    "commits",
    "wake_channels",
    "terms",
    "term_counts",
    "vector_index",
)
"""The beginnings of names of tables that an engine keeps small itself."""
ALL = ", ".join(f"{kind} 1 year" for kind in Retained)


def counts(done: Maintained) -> dict[str, int]:
    return {step.name: step.count for step in done.steps}


def work(memory: Memory, word: str) -> None:
    """Do what `live` leaves undone: finish a task, observe a call, settle a conflict."""
    task = memory.tasks.add(f"finish {word}").task
    memory.tasks.complete(task.id, memory.tasks.claim(task.id, word).token)
    memory.decisions.record(Decision(goal=word, tool=word, choice="observe"))
    for conflict in memory.conflicts.list():
        memory.conflicts.settle(conflict.id)
    memory.outcomes.add(word, 1)
    memory.remember(f"a page says that {word} is blue", origin="web")
    memory.remember(f"{word} may like rain", origin="learned", confidence=0.3)
    memory.learn()


_NAMED = """
from erstwhile.operations.lease import process_name
print(process_name(), flush=True)
input()
"""


def ended_process() -> str:
    """Return the name of a process that was killed, and that its parent did not wait for."""
    command, pipe = [sys.executable, "-c", _NAMED], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        assert not has_ended(name)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert has_ended(name)
    assert has_ended(name)
    return name


class MaintainingContract(Contract):
    @pytest.fixture
    def memory(self, engine: Engine, clock: FakeClock) -> Memory:
        return embedding_memory(engine, clock, HashingEmbedder())

    def test_every_table_has_a_rule_or_a_reason(self, engine: Engine) -> None:
        """A new table that grows needs a rule of retention."""
        known = {rule.table for rule in RULES} | {"audit"} | WITHOUT_RULE.keys()
        tables = {name for name in rows_of(engine) if not name.startswith(OF_ENGINES)}
        assert tables - known == set()
        assert {rule.kind for rule in RULES} | {Retained.AUDIT} == set(Retained)

    def test_a_ping_is_a_round_trip_that_leaves_no_record(
        self, engine: Engine, memory: Memory, clock: FakeClock
    ) -> None:
        """Also in a scope, again and again, and while another process maintains the memory."""
        memory.remember("I like tea")
        memory.ping()
        before = rows_of(engine)
        for _ in range(3):
            clock.advance(seconds=1)
            memory.scoped(user="ana").ping()
        after = rows_of(engine)
        changed = {name for name in after if after[name] != before[name]}
        assert changed <= {"maintenance", "commits"}
        assert len(after["maintenance"]) == 1
        with MaintenanceLease(inside(memory).seen_by(Viewer(everything=True))) as lease:
            memory.ping()
            lease.renew()
        memory.maintain()

    def test_nothing_goes_unless_a_limit_is_set(
        self, engine: Engine, memory: Memory, clock: FakeClock
    ) -> None:
        live(memory.scoped(user="ana"), "Quixle")
        before = rows_of(engine)
        clock.advance(days=4000)
        memory.maintain()
        after = rows_of(engine)
        watched = {rule.table for rule in RULES} | {"audit", "passages", "vectors"}
        assert not [
            name for name in watched & after.keys() if len(after[name]) != len(before[name])
        ]

    def test_what_is_too_old_goes_and_what_is_young_stays(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        for word, days in (("Quixle", 400), ("Ostrava", 1)):
            live(memory.scoped(user=word), word)
            work(memory.scoped(user=word), word)
            memory.flush()
            clock.advance(days=days)
        previewed = memory.maintain(ALL, preview=True)
        assert previewed.steps[-1].unit == "entries to seal, at least"
        seen = counts(previewed)
        done = counts(memory.maintain(ALL))
        assert {kind: done[kind] for kind in Retained if not done[kind]} == {}
        # attempts and runs go with their conversations and tasks, which the preview counts apart
        assert {kind for kind in Retained if seen[kind] < done[kind]} <= {"audit"}
        everything = memory.everything()
        assert everything.audit.verify().problems == ()
        assert not memory.scoped(user="Quixle").conversations.list()
        assert memory.scoped(user="Ostrava").conversations.list()
        assert memory.scoped(user="Ostrava").recall("who lives in the hills?")
        assert texts(memory.scoped(user="Quixle").facts.list(state="live"))
        again = counts(memory.maintain(ALL))
        assert not any(again[kind] for kind in Retained)

    def test_uncertain_and_quarantined_facts_expire_and_can_be_brought_back(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        held = memory.remember("The office moves to Mars", origin="web")
        guess = memory.remember("Ana may like rain", origin="learned", confidence=0.3)
        likely = memory.remember("Ana likes tea", origin="learned", confidence=0.9)
        said = memory.remember("Ana may move", confidence=0.3)
        clock.advance(days=100)
        done = memory.maintain("quarantined 90 days, uncertain 90 days")
        assert [(step.count, step.unit) for step in done.steps[:2]] == [(1, "expired")] * 2
        ended = {each.id for each in (held, guess)}
        assert {each.id for each in memory.facts.list(state="retired")} == ended
        assert {each.id for each in memory.facts.list()} == {likely.id, said.id}
        assert memory.facts.undo(guess.id).state == "live"
        assert memory.audit.verify().ok

    def test_only_the_newest_stay(self, memory: Memory) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        for place in (ana, bob):
            for number in range(5):
                place.usage.record("model", input=number)
        ana.blocks.add("notes", "0")
        for number in range(1, 6):
            ana.blocks.update("notes", str(number))
        done = counts(memory.maintain("usage 3, block_versions 2"))
        assert (done["usage"], done["block_versions"]) == (4, 3)
        assert [call.input for call in ana.usage.list()] == [4, 3, 2]
        assert ana.blocks.get("notes", version=4).content == "3"
        assert memory.everything().audit.verify().ok

    def test_a_message_stays_until_it_was_learned_from(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        ana = memory.scoped(user="ana")
        ana.observe_turn("My cat is called Quixle.", "Noted.")
        clock.advance(days=2)
        assert counts(memory.maintain({"messages": "1 day"}))["messages"] == 0
        ana.learn()
        assert counts(memory.maintain({"messages": "1 day"}))["messages"] == 2

    def test_a_summary_outlives_its_messages(self, memory: Memory, clock: FakeClock) -> None:
        ana = memory.scoped(user="ana")
        said = ana.conversations.add("user", "The boat is red.")
        ana.conversations.close(said.conversation, "Ana has a red boat.")
        clock.advance(days=2)
        memory.maintain({"messages": "1 day"})
        assert [each.summary for each in ana.conversations.list()] == ["Ana has a red boat."]
        assert ana.recall("which boat?", among="summaries")
        assert memory.everything().audit.verify().ok

    def test_a_sealed_trail_goes_on_and_can_be_sealed_again(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        ana = memory.scoped(user="ana")
        kept = ana.remember("Ana has a boat")
        for _ in range(3):
            ana.outcomes.erase(*[ana.outcomes.add("sailing", 1).id for _ in range(4)])
            clock.advance(days=2)
            previewed = memory.maintain({"audit": "1 day"}, preview=True)
            done = counts(memory.maintain({"audit": "1 day"}))["audit"]
            assert done >= 7
            [step] = previewed.steps
            assert (step.count, step.unit) == (done, "entries to seal")
            ana.remember(kept.text)
            assert memory.everything().audit.verify().problems == ()
        assert len(ana.audit.list(limit=200)) < 20
        assert len(ana.facts.history(kept.id)) == 4

    def test_one_process_at_a_time(self, memory: Memory, clock: FakeClock) -> None:
        """A process that ended without giving its lease back stops nobody for long."""
        with MaintenanceLease(inside(memory.everything())):
            with pytest.raises(BusyError, match="another process maintains"):
                memory.maintain()
            clock.advance(hours=1)
            memory.maintain()
        memory.maintain()

    def test_the_lease_of_a_process_ends_with_the_process(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """On the same machine. A process of another machine keeps its lease until it runs out."""
        ended, access = ended_process(), inside(memory.everything())
        monkeypatch.setattr("erstwhile.operations.lease.process_name", lambda: ended)
        lease = MaintenanceLease(access).__enter__()
        memory.maintain()
        with pytest.raises(BusyError, match="another process maintains"):
            lease.renew()
        monkeypatch.setattr("erstwhile.operations.lease.process_name", lambda: f"far{ended}")
        with (
            MaintenanceLease(access),
            pytest.raises(BusyError, match="another process maintains"),
        ):
            memory.maintain()

    def test_orphans_and_gaps_of_the_index_are_mended(self, engine: Engine, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        ana.remember("Ana has a boat")
        ana.remember("Ana has a house")
        access = inside(memory.everything())
        first = "SELECT MIN(seq) FROM passages"
        [(seq,)] = engine.read(lambda session: session.rows(first, {}))
        access.change(lambda unit: unit.run("remove_terms", {"seq": seq}))
        access.change(lambda unit: unit.run("enqueue", {"seq": 10**9, "due_at": 0}))
        done = counts(memory.maintain())
        assert (done["orphans"], done["index"]) == (1, 1)
        assert texts([hit.fact for hit in ana.recall("boat")]) == ["Ana has a boat"]

    def test_what_is_derived_is_made_again(
        self, engine: Engine, memory: Memory, clock: FakeClock
    ) -> None:
        ana = memory.scoped(user="ana")
        live(ana, "Quixle")
        memory.flush()

        def repair() -> Mapping[str, int]:
            done = rebuilt(engine, clock, "", (), lambda _step: None)
            assert done.ok
            return done.rebuilt

        assert not any(repair().values())
        harm = (
            "UPDATE partitions SET passages = 0, terms = 7",
            "UPDATE conversations SET messages = 17",
            "DELETE FROM passages WHERE kind <> 'facts'",
            "DELETE FROM vectors",
        )
        for statement in harm:
            engine.write(lambda session, harm=statement: session.run(harm, {}))  # type: ignore[misc]
        done = repair()
        wanted = {"messages", "lessons", "observations", "summaries", "terms", "partitions"}
        wanted |= {"conversation counts", "waiting vectors"}
        assert not [name for name in wanted if not done[name]]
        memory.flush()
        assert ana.recall("who came by?", among="messages")
        assert not any(repair().values())

    def test_a_scope_cannot_maintain_the_others(self, memory: Memory) -> None:
        with pytest.raises(ScopeError):
            memory.scoped(user="ana").maintain()

    @input_check
    @pytest.mark.parametrize(
        "limits", ["cats 1 year", "messages", "messages 2020-01-01", "audit 7", "usage 3, usage 4"]
    )
    def test_limits_are_checked(self, memory: Memory, limits: str) -> None:
        with pytest.raises(InvalidInputError):
            memory.maintain(limits)
