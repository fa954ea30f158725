"""Recalling decisions: exactly the most similar ones, by meaning, or by words without a model."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Engine
from erstwhile.decisions.decision import Decision, DecisionHit, DecisionRequest
from erstwhile.decisions.draft import compared_text
from erstwhile.memory import Memory
from erstwhile.recall.models import embed_texts
from erstwhile.search.vectors import pack
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory
from tests.contracts.decisions.recording import decided
from tests.doubles import UnreliableEmbedder
from tests.search.exact import nearest


def asked(command: str = "npm publish", goal: str = "ship", tool: str = "Bash") -> DecisionRequest:
    return DecisionRequest(goal=goal, tool=tool, input={"command": command})


def commands(hits: Iterable[DecisionHit]) -> list[str]:
    return [hit.decision.input["command"] for hit in hits]


def nearest_commands(asked: str, stored: list[str], count: int) -> list[str]:
    """Return the expected commands: compare each stored text one by one."""
    embedder = HashingEmbedder()
    texts = [compared_text("Bash", f'{{"command":"{each}"}}') for each in [asked, *stored]]
    query, *vectors = embed_texts(embedder, texts, embedder.dimensions)
    packed = {-number: pack(vector) for number, vector in enumerate(vectors)}
    # The newest has the highest number, and comes first among equals.
    return [stored[-number] for number, _ in nearest(query, packed, count)]


class PrecedentsContract(Contract):
    @pytest.fixture(params=["words", "meaning"])
    def memory(self, engine: Engine, clock: FakeClock, request: pytest.FixtureRequest) -> Memory:
        embedder = HashingEmbedder() if request.param == "meaning" else None
        return embedding_memory(engine, clock, embedder)

    def test_recall_returns_at_most_the_limit(self, memory: Memory) -> None:
        for number in range(5):
            memory.decisions.record(decided(f"edit f{number}.rs"))
        memory.flush()
        request = asked("edit f0.rs")
        assert len(memory.decisions.recall(request, 3)) == 3
        assert commands(memory.decisions.recall(request, 1)) == ["edit f0.rs"]
        assert len(memory.decisions.recall(request, 100_000, floor=0)) == 5
        assert not memory.decisions.recall(request, 0)
        for wrong in (-1, True, "5"):
            with pytest.raises(InvalidInputError):
                memory.decisions.recall(request, wrong)  # type: ignore[arg-type]
        for floor in (-0.1, 1.1, float("nan"), "0.5"):
            with pytest.raises(InvalidInputError):
                memory.decisions.recall(request, floor=floor)  # type: ignore[arg-type]

    def test_a_recorded_decision_is_recalled(self, memory: Memory) -> None:
        kept = memory.decisions.record(decided())
        memory.flush()
        [hit] = memory.decisions.recall(asked())
        assert (hit.decision, hit.score, hit.found_by) == (kept, 1.0, "same")

    def test_decisions_of_other_goals_are_left_out(self, memory: Memory) -> None:
        for number in range(10):
            memory.decisions.record(decided(f"npm publish {number} {number + 1}"))
            memory.decisions.record(decided("npm publish", goal="other"))
        memory.flush()
        own = memory.decisions.recall(asked(), 5, floor=0)
        assert [hit.decision.goal for hit in own] == ["ship"] * 5
        every = memory.decisions.recall(asked(), 5, namespace="global")
        assert [hit.decision.goal for hit in every] == ["other"] * 5

    def test_dissimilar_decisions_are_left_out(self, memory: Memory) -> None:
        memory.decisions.record(decided("docker system prune"))
        memory.flush()
        assert not memory.decisions.recall(asked("echo hello world"))
        [far] = memory.decisions.recall(asked("echo hello world"), floor=0)
        assert 0 <= far.score < 0.5
        for wrong in (-0.1, 1.1, float("nan")):
            with pytest.raises(InvalidInputError):
                memory.decisions.recall(asked(), floor=wrong)

    def test_similarity_is_symmetric(self, memory: Memory) -> None:
        one, other = "git push --force origin", "git push origin main"
        memory.decisions.record(decided(one, goal="a", rationale="long " * 50, message="m"))
        memory.decisions.record(decided(other, "allow", goal="b"))
        memory.flush()
        [there] = memory.decisions.recall(asked(other, "a"), floor=0)
        [back] = memory.decisions.recall(asked(one, "b"), floor=0)
        assert there.score == pytest.approx(back.score, abs=0.01)

    def test_similar_first_then_newest(self, memory: Memory, clock: FakeClock) -> None:
        for message in ("older", "newer"):
            memory.decisions.record(decided(message=message))
            clock.advance(days=1)
        memory.decisions.record(decided("npm publish now", message="newest"))
        memory.flush()
        hits = memory.decisions.recall(asked())
        assert [hit.decision.message for hit in hits] == ["newer", "older", "newest"]
        assert hits[0].score == hits[1].score > hits[2].score

    def test_judgements_rank_above_observations(self, memory: Memory, clock: FakeClock) -> None:
        kept = memory.decisions.record(decided())
        for _ in range(9):
            clock.advance(minutes=1)
            memory.decisions.record(decided(choice="observe", decided_by="agent"))
        memory.flush()
        assert memory.decisions.recall(asked(), 2)[0].decision == kept

    def test_an_unknown_choice_reads_as_deny(self, memory: Memory, engine: Engine) -> None:
        memory.decisions.record(decided(choice="allow"))
        newer = "UPDATE decisions SET choice = 'allow-twice', decided_by = 'x', lasts = 'x'"
        engine.write(lambda session: session.run(newer, {}))
        [hit] = memory.decisions.recall(asked())
        kept = hit.decision
        assert (kept.choice, kept.decided_by, kept.lasts) == ("deny", "model", "once")
        assert memory.decisions.advise(asked()).suggestion == "ask"

    def test_a_superseded_decision_takes_no_part(self, memory: Memory) -> None:
        old = memory.decisions.record(decided())
        new = memory.decisions.supersede(old.id, decided(choice="allow"), reason="it is time")
        memory.flush()
        assert [hit.decision.id for hit in memory.decisions.recall(asked())] == [new.id]

    def test_a_call_of_another_tool_is_less_similar(self, memory: Memory) -> None:
        memory.decisions.record(decided(tool="Shell"))
        memory.flush()
        [hit] = memory.decisions.recall(asked())
        assert hit.score == pytest.approx(0.8, abs=0.01)
        assert hit.found_by != "same"

    @pytest.mark.parametrize(
        "tool_input",
        [{}, [], None, "", 0, {"a": None}, {"a": {"b": []}}, "x" * 5_000, "記憶" * 900],
        ids=lambda each: str(each)[:9],
    )  # fmt: skip
    def test_any_input_can_be_recalled(self, memory: Memory, tool_input: Any) -> None:
        said = Decision(goal="g", tool="T", input=tool_input, choice="deny")
        memory.decisions.record(said)
        memory.flush()
        [hit] = memory.decisions.recall(DecisionRequest(goal="g", tool="T", input=tool_input))
        assert (hit.found_by, hit.decision.input) == ("same", tool_input)

    def test_scripts_without_spaces_are_compared(self, memory: Memory) -> None:
        memory.decisions.record(decided("删除生产数据库"))
        memory.flush()
        [hit] = memory.decisions.recall(asked("删除测试数据库"), floor=0.2)
        assert hit.score < 1


class DecisionVectorsContract(Contract):
    @pytest.fixture
    def memory(self, engine: Engine, clock: FakeClock) -> Memory:
        return embedding_memory(engine, clock, HashingEmbedder())

    def test_recall_is_exact_among_many(self, memory: Memory) -> None:
        chance = random.Random(7)
        words = [f"w{number}" for number in range(60)]
        stored = []
        for number in range(300):
            command = " ".join(chance.choices(words, k=6))
            goal = "ship" if number % 3 == 0 else "other"
            memory.decisions.record(decided(command, goal=goal))
            stored += [command] if goal == "ship" else []
        memory.flush()
        for _ in range(10):
            command = " ".join(chance.choices(words, k=6))
            hits = memory.decisions.recall(asked(command), 5, floor=0)
            assert {hit.found_by for hit in hits} == {"meaning"}
            assert commands(hits) == nearest_commands(command, stored, 5)

    def test_a_decision_without_a_vector_is_compared_by_words(self, memory: Memory) -> None:
        memory.decisions.record(decided("npm publish beta"))
        [hit] = memory.decisions.recall(asked())
        assert hit.found_by == "words"
        assert "it is not embedded yet" in hit.note
        memory.flush()
        memory.decisions.record(decided("npm publish alpha"))
        hits = memory.decisions.recall(asked())
        told = {hit.decision.input["command"]: (hit.found_by, hit.note) for hit in hits}
        assert told == {
            "npm publish beta": ("meaning", ""),
            "npm publish alpha": ("words", "it is not embedded yet: compared by words"),
        }

    def test_another_model_is_not_mixed_in_and_reembedding_covers_decisions(
        self, memory: Memory, engine: Engine, clock: FakeClock
    ) -> None:
        for number in range(40):
            memory.decisions.record(decided(f"npm publish {number}"))
        memory.remember("a fact beside them")
        memory.flush()
        newer = embedding_memory(engine, clock, UnreliableEmbedder(model="new"))
        [hit] = newer.decisions.recall(asked("npm publish 7 x"), 1)
        assert hit.found_by == "words"
        assert "this process has new" in hit.note
        assert newer.reembed() == 41
        [hit] = newer.decisions.recall(asked("npm publish 7 x"), 1)
        assert (hit.found_by, hit.note) == ("meaning", "")
        assert newer.reembed() == 0

    def test_a_deleted_decision_takes_no_part(self, memory: Memory, clock: FakeClock) -> None:
        denial = memory.decisions.record(decided())
        clock.advance(minutes=1)
        memory.flush()
        assert memory.decisions.advise(asked()).suggestion == "deny"
        memory.decisions.delete(denial.id)
        assert len(memory.decisions.recall(asked())) == 0
        assert memory.decisions.advise(asked()).suggestion == "ask"
        memory.decisions.restore(denial.id)
        assert memory.decisions.advise(asked()).suggestion == "deny"

    def test_facts_and_decisions_are_not_mistaken_for_each_other(self, memory: Memory) -> None:
        fact = memory.remember("npm publish")
        kept = memory.decisions.record(decided())
        assert memory.flush().texts == 0
        assert [hit.fact.id for hit in memory.recall("npm publish", floor=0)] == [fact.id]
        assert [hit.decision.id for hit in memory.decisions.recall(asked("npm"), floor=0)] == [
            kept.id
        ]
        memory.facts.erase(fact.id)
        [hit] = memory.decisions.recall(asked("npm"), floor=0)
        assert hit.found_by == "meaning"
        memory.decisions.erase(kept.id)
        assert not memory.decisions.recall(asked("npm"), floor=0)

    def test_rewriting_the_store_keeps_each_vector_with_its_decision(self, memory: Memory) -> None:
        first = memory.decisions.record(decided("the first to go"))
        words = ["docker system prune", "npm publish beta", "git push --force"]
        for command in words:
            memory.decisions.record(decided(command))
        memory.flush()
        memory.decisions.erase(first.id)
        for command in words:
            [hit] = memory.decisions.recall(asked(f"{command} x"), 1)
            assert (hit.found_by, hit.decision.input["command"]) == ("meaning", command)

    def test_an_erased_decision_gets_no_vector(self, engine: Engine, clock: FakeClock) -> None:
        embedder = UnreliableEmbedder()
        memory = embedding_memory(engine, clock, embedder)
        kept = memory.decisions.record(decided())

        def vanish(_texts: Any, vectors: Any) -> Any:
            embedder.spoil = None
            memory.decisions.erase(kept.id)
            return vectors

        embedder.spoil = vanish
        assert memory.flush().texts == 0
        memory.decisions.record(decided("another"))
        assert memory.flush().texts == 0
        hits = memory.decisions.recall(asked(), floor=0)
        assert commands(hits) == ["another"]
