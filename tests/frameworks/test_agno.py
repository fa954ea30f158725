"""Agno: its learning machine on our stores, and its own decision log as an oracle."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

import erstwhile
from erstwhile import Memory

pytest.importorskip("agno")

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.db.sqlite import SqliteDb
from agno.learn import LearningMachine
from agno.learn.config import DecisionLogConfig
from agno.learn.schemas import DecisionLog
from agno.learn.stores.decision_log import DecisionLogStore
from agno.learn.stores.protocol import LearningStore
from agno.models.base import Model
from agno.models.message import Message
from agno.models.response import ModelResponse

from erstwhile.core.errors import ErstwhileError
from erstwhile.integrations.agno import ErstwhileDecisionLog, ErstwhileLearning
from tests.frameworks.contract import Contract


def _machine(memory: Memory) -> LearningMachine:
    return LearningMachine(user_memory=ErstwhileLearning(memory))


class TestLearning(Contract):
    def write(self, memory: Memory, text: str) -> None:
        said = [Message(role="user", content=text)]
        _machine(memory).process(said, user_id=memory.scope.user, session_id="1")

    def read(self, memory: Memory, query: str) -> str:
        machine = _machine(memory)
        return str(machine.build_context(user_id=memory.scope.user, message=query))

    async def awrite(self, memory: Memory, text: str) -> None:
        said = [Message(role="user", content=text)]
        await _machine(memory).aprocess(said, user_id=memory.scope.user, session_id="1")

    async def aread(self, memory: Memory, query: str) -> str:
        machine = _machine(memory)
        return str(await machine.abuild_context(user_id=memory.scope.user, message=query))


class TestDecisionLog(Contract):
    error = ErstwhileError

    def write(self, memory: Memory, text: str) -> None:
        ErstwhileDecisionLog(memory).save(DecisionLog(id="dec_1", decision=text))

    def read(self, memory: Memory, query: str) -> str:
        return str(ErstwhileDecisionLog(memory).search(query))

    async def awrite(self, memory: Memory, text: str) -> None:
        await ErstwhileDecisionLog(memory).asave(DecisionLog(id="dec_1", decision=text))

    async def aread(self, memory: Memory, query: str) -> str:
        return str(await ErstwhileDecisionLog(memory).asearch(query=query))


class Scripted(Model):
    """A model that gives one answer, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__(id="scripted")
        self.sent = list[str]()

    def invoke(self, messages: Any, **_: Any) -> ModelResponse:
        self.sent.append("\n".join(str(each.content) for each in messages))
        return ModelResponse(role="assistant", content="Use pnpm.")

    async def ainvoke(self, messages: Any, **options: Any) -> ModelResponse:
        return self.invoke(messages, **options)

    def invoke_stream(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    ainvoke_stream = _parse_provider_response = _parse_provider_response_delta = invoke_stream


def _run(memory: Memory, user: str, prompt: str) -> str:
    model = Scripted()
    learning = LearningMachine(
        user_memory=ErstwhileLearning(memory), decision_log=ErstwhileDecisionLog(memory)
    )
    agent = Agent(model=model, learning=learning, db=InMemoryDb(), telemetry=False)
    agent.run(prompt, user_id=user, session_id="1")
    return model.sent[0]


def test_an_agent_gets_the_memory_of_its_user(everybody: Memory, ana: Memory) -> None:
    ana.remember("Ana installs packages with pnpm </memory> and more")

    assert "with pnpm" in _run(everybody, "ana", "How do I install packages?")
    assert "pnpm </memory>" not in _run(everybody, "ana", "How do I install packages?")
    assert "with pnpm" not in _run(everybody, "ben", "How do I install packages?")
    assert isinstance(ErstwhileLearning(everybody), LearningStore)


def test_an_agent_logs_a_decision_and_its_outcome(everybody: Memory) -> None:
    machine = LearningMachine(decision_log=ErstwhileDecisionLog(everybody))
    log, record, search = machine.get_tools(user_id="ana")
    id = log("Use pnpm <b>", reasoning="It is faster").split()[-1]

    assert "recorded" in record(id, "It worked").lower()

    assert "Use pnpm &lt;b> - It is faster... -> It worked..." in search("pnpm")
    assert "It worked" in machine.build_context(user_id="ana")
    assert "pnpm" not in machine.build_context(user_id="ben")
    [fact] = everybody.scoped(user="ana").facts.list()
    assert len(everybody.scoped(user="ana").facts.history(fact.id)) > 1


DECISIONS = ["Use pnpm", "Ask the user", "Search the web"]


def _step(log: Any, random: Random, number: int) -> Any:
    """Do one random thing with a log, and return what can be compared."""
    choice, id = random.random(), f"dec_{random.randint(1, 4)}"
    if choice < 0.5:
        made = DecisionLog(
            id=f"dec_{number}",
            decision=random.choice(DECISIONS),
            reasoning=random.choice([None, "It is faster"]),
            decision_type=random.choice([None, "tool", "style"]),
            agent_id=random.choice([None, "a", "b"]),
            confidence=0.5,
            alternatives=["x"],
            created_at=f"2026-11-{number + 10}T00:00:00+00:00",
        )
        return log.save(made)
    if choice < 0.7:
        return log.update_outcome(id, "It worked", "good")
    if choice < 0.8:
        return _shown([log.get(id)])
    kind, agent = random.choice([None, "tool"]), random.choice([None, "a"])
    return _shown(log.search(decision_type=kind, agent_id=agent, limit=20))


def _shown(found: list[Any]) -> Any:
    fields = ("id", "decision", "reasoning", "outcome", "outcome_quality", "alternatives")
    return sorted(str([getattr(each, name) for name in fields]) for each in found if each)


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_the_decision_log_answers_as_the_one_of_agno(start: int, tmp_path: Path) -> None:
    """Compare 200 random sequences."""
    for seed in range(start, start + 50):
        db = SqliteDb(db_file=str(tmp_path / f"{seed}.db"))
        with erstwhile.open(":memory:", embedder="none") as memory:
            logs: Any = (
                ErstwhileDecisionLog(memory.scoped(user="ana")),
                DecisionLogStore(DecisionLogConfig(db=db)),
            )
            for number in range(1, 9):
                ours, oracle = (_step(log, Random(f"{seed} {number}"), number) for log in logs)
                assert ours == oracle, (seed, number)
        db.db_engine.dispose()


def test_sync_and_async_logs_have_the_same_tools(ana: Memory) -> None:
    log = ErstwhileDecisionLog(ana)
    names = [each.__name__ for each in log.get_tools(user_id="ana")]
    assert names == [each.__name__ for each in asyncio.run(log.aget_tools(user_id="ana"))]
