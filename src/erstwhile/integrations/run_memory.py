"""Shared by the adapters for agent frameworks: the memory of a run, its context, its results.

A framework asks for a context before a call of the model, and shows the messages after a run. If
the memory fails, the run continues without it, and the failure is logged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from hashlib import sha256
from typing import Any, TypeVar

from erstwhile.context.escaping import escaped
from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.core.settings import TOKENS
from erstwhile.memory import Memory
from erstwhile.recall.hits import Hit

Result = TypeVar("Result")
MemoryOfRun = Callable[[Any], Memory]
_MAX_CHANNEL = 200
"""Characters of a channel."""


class RunMemory:
    """The memory of the runs of an agent: one for all, or a function that returns that of a run."""

    def __init__(self, memory: Memory | MemoryOfRun, tokens: int = TOKENS) -> None:
        self.of: MemoryOfRun = (lambda _: memory) if isinstance(memory, Memory) else memory
        self._tokens = tokens

    def context(self, run: Any, asked: str) -> str:
        """Return the context for the words of a user, marked as data; empty if there is none.

        The history of the conversation is left out: the framework has it.
        """

        def found(memory: Memory) -> str:
            context = memory.context(asked, self._tokens)
            return "\n".join(filter(None, (context.prefix, context.tail_without_history)))

        return self.tried(run, found, "")

    def observe(self, run: Any, messages: Sequence[Any], channel: str | None = None) -> None:
        """Store the new messages, and learn from them in the background."""
        place = None if channel is None else short_channel(channel)
        if messages:
            self.tried(run, lambda memory: memory.observe(messages, channel=place), None)

    def tried(self, run: Any, action: Callable[[Memory], Result], otherwise: Result) -> Result:
        """Return the result of an action on the memory of a run, or a default after a failure."""
        try:
            return action(self.of(run))
        except ErstwhileError as error:
            log_failure(__name__, "a run continues without its memory", error=error)
            return otherwise


def for_user(memory: Memory, user: str | None) -> Memory:
    """Return the view of a user. Without a user, the view of an unscoped memory does not learn."""
    return memory if user is None and memory.scope.user else memory.scoped(user=user)


def found(memory: Memory, query: str, limit: int, **filters: Any) -> list[tuple[Hit, str]]:
    """Return the facts and messages that fit a query, best first, each with its text as data.

    Escaped texts cannot end the block of a prompt in which a framework puts them. A text that was
    said and learned is one result.
    """
    if not query.strip() or limit < 1:
        return []
    hits = memory.recall(query, limit, among=("facts", "messages"), **filters)
    first = {hit.passage.text: hit for hit in reversed(hits)}
    return [(hit, escaped(hit.passage.text)) for hit in hits if first[hit.passage.text] is hit]


@contextmanager
def raising(kind: Callable[[str], Exception]) -> Iterator[None]:
    """Raise errors of the memory as errors of a framework."""
    try:
        yield
    except ErstwhileError as error:
        raise kind(str(error)) from error


def on_thread(method: Callable[..., Result]) -> Callable[..., Coroutine[Any, Any, Result]]:
    """Return the async form of a method, which runs the method on a thread."""

    @wraps(method)
    async def called(self: object, *given: Any, **options: Any) -> Result:
        run: Callable[..., Result] = getattr(self, method.__name__)
        return await asyncio.to_thread(run, *given, **options)

    return called


def short_channel(channel: str) -> str:
    """Return a channel that a conversation can have; the end of a long one becomes a digest."""
    if len(channel) <= _MAX_CHANNEL:
        return channel
    return f"{channel[:100]} {sha256(channel.encode()).hexdigest()}"
