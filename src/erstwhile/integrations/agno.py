"""Agno: a learning store and a decision log.

LearningMachine(user_memory=ErstwhileLearning(memory), decision_log=ErstwhileDecisionLog(memory))
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agno.learn.config import DecisionLogConfig
from agno.learn.schemas import DecisionLog
from agno.learn.stores.decision_log import DecisionLogStore
from agno.learn.stores.protocol import LearningStore
from agno.tools.function import Function

from erstwhile.context.escaping import escaped
from erstwhile.core.results import all_items
from erstwhile.core.settings import TOKENS
from erstwhile.facts.fact import ITEM
from erstwhile.integrations.run_memory import RunMemory, for_user, on_thread
from erstwhile.memory import Memory
from erstwhile.tools.toolset import Toolset, tool_definitions

_TAG = "agno:decision"
_TEXTS = ("decision", "reasoning", "context", "outcome")


class ErstwhileLearning(LearningStore):
    """Adds the context to the system prompt, learns from each run, and offers tools.

    Each user has a scope of its own. If the memory fails, the run continues without it.
    """

    learning_type = "erstwhile"
    schema = str

    def __init__(
        self, memory: Memory, *, tokens: int = TOKENS, learn: bool = True, tools: bool = True
    ) -> None:
        self._runs = RunMemory(lambda user: for_user(memory, user), tokens)
        self._learn, self._tools, self._updated = learn, tools, False

    @property
    def was_updated(self) -> bool:
        """Whether the last run was stored."""
        return self._updated

    def recall(
        self, user_id: str | None = None, message: str | None = None, **_: Any
    ) -> str | None:
        """Return the context for a message, marked as data."""
        return self._runs.context(user_id, message or "") or None

    def process(
        self,
        messages: Sequence[Any],
        user_id: str | None = None,
        session_id: str | None = None,
        **_: Any,
    ) -> None:
        """Store the new messages of a run, and learn from them in the background."""
        said = [
            {"role": each.role, "content": each.get_content_string()}
            for each in messages
            if each.role in ("user", "assistant", "tool")
        ]
        if self._learn:
            self._runs.observe(user_id, said, f"agno:{session_id}")
            self._updated = bool(said)

    def build_context(self, data: Any) -> str:
        """Return the recalled context unchanged: it is a text already."""
        return data or ""

    def instructions(self) -> str:
        """Return no instructions: the tools have descriptions, and the context has its own."""
        return ""

    def get_tools(self, user_id: str | None = None, **_: Any) -> list[Any]:
        if not self._tools:
            return []
        tools = self._runs.of(user_id).tools()
        return [_tool_function(tools, each) for each in tool_definitions("json")]

    arecall, aprocess, aget_tools = on_thread(recall), on_thread(process), on_thread(get_tools)


class ErstwhileDecisionLog(DecisionLogStore):
    """The decision log of Agno, with its tools: each decision is a fact of the kind `decision`.

    A later outcome replaces the fact, whose history keeps the state before. Each user has a scope
    of its own. Returned texts are escaped.
    """

    def __init__(self, memory: Memory, config: DecisionLogConfig | None = None) -> None:
        super().__init__(config=config or DecisionLogConfig())
        self._memory = memory

    def recall(self, user_id: str | None = None, **given: Any) -> list[DecisionLog] | None:
        found: list[DecisionLog] | None = DecisionLogStore.recall(self._log_of(user_id), **given)
        return found

    def get_tools(self, user_id: str | None = None, **given: Any) -> list[Any]:
        log = self._log_of(user_id)
        tools: list[Any] = DecisionLogStore.get_tools(log, user_id=user_id, **given)
        return tools

    async def aget_tools(self, user_id: str | None = None, **given: Any) -> list[Any]:
        """Return the tools, as `get_tools`."""
        log = self._log_of(user_id)
        tools: list[Any] = await DecisionLogStore.aget_tools(log, user_id=user_id, **given)
        return tools

    def search(
        self,
        query: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        decision_type: str | None = None,
        days: int | None = None,
        limit: int = 10,
    ) -> list[DecisionLog]:
        """Return decisions: those that fit a query, best first, or else the last ones."""
        wanted = {"agent_id": agent_id, "session_id": session_id, "decision_type": decision_type}
        given = {name: value for name, value in wanted.items() if value is not None}
        since = datetime.now(UTC) - timedelta(days=days) if days else None
        matching = (
            each
            for each in self._decisions(query)
            if all(getattr(each, name) == value for name, value in given.items())
            and (since is None or _moment(each) >= since)
        )
        return [each for each, _ in zip(matching, range(limit), strict=False)]

    def get(self, decision_id: str) -> DecisionLog | None:
        found = self._memory.facts.list(key=f"{ITEM}agno:{decision_id}", limit=1)
        return _decision(found[0].metadata) if found else None

    def save(self, decision: DecisionLog) -> None:
        """Store a decision, or its new state."""
        agent = for_user(self._memory, decision.user_id).acting_as(person=False)
        words = (decision.decision, decision.reasoning, decision.outcome)
        agent.facts.set(
            f"{ITEM}agno:{decision.id}",
            "\n".join(filter(None, words)),
            kind="decision",
            origin="agent",
            tags=[_TAG],
            metadata={"decision": json.dumps(asdict(decision))},
        )
        self.decisions_updated = True

    arecall, asearch = on_thread(recall), on_thread(search)
    aget, asave = on_thread(get), on_thread(save)

    def _log_of(self, user: str | None) -> ErstwhileDecisionLog:
        return ErstwhileDecisionLog(for_user(self._memory, user), self.config)

    def _decisions(self, query: str | None) -> Iterator[DecisionLog]:
        if query and query.strip():
            facts = [hit.fact for hit in self._memory.recall(query, 100, tag=_TAG)]
        else:
            facts = [*all_items(self._memory.facts.list, tag=_TAG)]
        for fact in facts:
            found = _decision(fact.metadata)
            texts = {name: escaped(getattr(found, name) or "") or None for name in _TEXTS}
            yield replace(found, **texts)


def _decision(metadata: Any) -> DecisionLog:
    stored = json.loads(metadata["decision"])
    known = {each.name for each in fields(DecisionLog)}
    return DecisionLog(**{name: value for name, value in stored.items() if name in known})


def _moment(decision: DecisionLog) -> datetime:
    made = datetime.fromisoformat(decision.created_at or "1970-01-01")
    return made if made.tzinfo else made.replace(tzinfo=UTC)


def _tool_function(tools: Toolset, definition: Any) -> Function:
    name = definition["name"]

    def called(**arguments: Any) -> str:
        return tools.call(name, arguments).text

    return Function(
        name=name,
        description=definition["description"],
        parameters=definition["parameters"],
        entrypoint=called,
        skip_entrypoint_processing=True,
    )
