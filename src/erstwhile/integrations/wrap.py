"""`erstwhile.wrap`: a client of OpenAI's or Anthropic's package with a memory.

Each call gets the context for the last message of the user, and is learned from after its answer.
The stable part of the context goes beside the system prompt, so that providers can cache it; the
rest goes before the user's message. Everything else of the client stays as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self, TypeVar

from erstwhile.context.model import Context
from erstwhile.conversations.chat_messages import read_message
from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.settings import TOKENS
from erstwhile.integrations.run_memory import RunMemory
from erstwhile.memory import Memory

Client = TypeVar("Client")
_COPIES = ("with_options", "copy")
"""Methods of a client that return another client."""


def wrap(
    client: Client,
    memory: Memory,
    *,
    tokens: int = TOKENS,
    learn: bool = True,
    channel: str | None = None,
) -> Client:
    """Return a client that adds memory to each call and learns from each answer.

    It takes a client of the packages `openai` or `anthropic`, or one with the same methods, sync or
    async. `tokens` is the budget of the context, `channel` the channel of the conversation. If the
    memory fails, the call is made without it.
    """
    shapes = {path: shape for path, shape in _CALLS.items() if _has_method(client, path)}
    if not shapes:
        raise InvalidInputError(
            f"{type(client).__name__} has no method that a memory could follow",
            remedy="pass a client of the package openai or anthropic",
        )
    exchange = _Exchanges(memory, tokens, channel if learn else None, learn)
    return _Wrapped(client, (), shapes, exchange)  # type: ignore[return-value]


class _Shape(NamedTuple):
    """The arguments of a method: for its messages, and for the stable part of the memory."""

    messages: str
    system: str | None
    """The argument for the system prompt; without one it is a message."""


_CALLS: Mapping[tuple[str, ...], _Shape] = {
    (*place, verb): shape
    for place, shape in (
        (("chat", "completions"), _Shape("messages", None)),
        (("responses",), _Shape("input", "instructions")),
        (("messages",), _Shape("messages", "system")),
    )
    for verb in ("create", "parse")
}


def _has_method(client: object, path: Sequence[str]) -> bool:
    found: Any = client
    for name in path:
        found = getattr(found, name, None)
    return callable(found)


class _Proxy:
    """An object in the place of another one, also in a `with` block."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def __enter__(self) -> Self:
        self._target.__enter__()
        return self

    def __exit__(self, *failure: object) -> None:
        self._target.__exit__(*failure)

    async def __aenter__(self) -> Self:
        await self._target.__aenter__()
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self._target.__aexit__(*failure)


class _Wrapped(_Proxy):
    """A client, or a part of one, whose calls for answers are followed."""

    def __init__(
        self,
        target: Any,
        path: tuple[str, ...],
        shapes: Mapping[tuple[str, ...], _Shape],
        exchanges: _Exchanges,
    ) -> None:
        super().__init__(target)
        self.__path = path
        self.__shapes, self.__exchanges = shapes, exchanges

    def __getattr__(self, name: str) -> Any:
        found, path = getattr(self._target, name), (*self.__path, name)
        if path in self.__shapes:
            return self.__exchanges.follow(found, self.__shapes[path])
        if any(each[: len(path)] == path for each in self.__shapes):
            return _Wrapped(found, path, self.__shapes, self.__exchanges)
        if not self.__path and name in _COPIES:
            return lambda *args, **kwargs: _Wrapped(
                found(*args, **kwargs), (), self.__shapes, self.__exchanges
            )
        return found


class _Exchanges:
    """The calls of one client: their context, and learning from their answers."""

    def __init__(self, memory: Memory, tokens: int, channel: str | None, learn: bool) -> None:
        self._runs = RunMemory(memory, tokens)
        self._tokens, self._channel, self._learn = tokens, channel, learn

    def follow(self, method: Callable[..., Any], shape: _Shape) -> Callable[..., Any]:
        """Return a method that adds memory to its arguments, and learns from its answer."""

        def called(**arguments: Any) -> Any:
            result = method(**self._with_memory(shape, arguments))
            if hasattr(result, "__await__"):
                return self._answered_later(shape, arguments, result)
            return self._observed_answer(shape, arguments, result)

        async def called_async(**arguments: Any) -> Any:
            given = await asyncio.to_thread(self._with_memory, shape, arguments)
            return await self._answered_later(shape, arguments, method(**given))

        owner = type(getattr(method, "__self__", method)).__name__
        return called_async if owner.startswith("Async") else called

    def _with_memory(self, shape: _Shape, arguments: Mapping[str, Any]) -> dict[str, Any]:
        messages = _message_list(arguments.get(shape.messages))

        def added(memory: Memory) -> dict[str, Any]:
            if (asked := _last_user(messages)) is None:
                return dict(arguments)
            text = "\n".join(part.content for part in read_message(messages[asked]))
            context = memory.context(text, self._tokens)
            return _with_context(shape, arguments, messages, asked, context)

        return self._runs.tried(None, added, dict(arguments))

    async def _answered_later(self, shape: _Shape, arguments: Any, result: Any) -> Any:
        return self._observed_answer(shape, arguments, await result)

    def _observed_answer(self, shape: _Shape, arguments: Mapping[str, Any], result: Any) -> Any:
        """Return the answer, observed; a stream is observed at its end."""
        messages = _message_list(arguments.get(shape.messages))
        if not self._learn:
            return result

        def observe(*answers: Any) -> None:
            self._runs.observe(None, [*messages, *answers], self._channel)

        if arguments.get("stream"):
            return _Stream(result, lambda text: observe({"role": "assistant", "content": text}))
        observe(*_answer_messages(result))
        return result


def _message_list(given: Any) -> list[Any]:
    """Return the messages of a call as a list; the Responses API also takes a text."""
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given or ())


def _last_user(messages: Sequence[Any]) -> int | None:
    """Return the position of the last message with words of the user."""
    for place in range(len(messages) - 1, -1, -1):
        parts = read_message(messages[place])
        if any(part.role is Role.USER and part.content.strip() for part in parts):
            return place
    return None


def _with_context(
    shape: _Shape,
    arguments: Mapping[str, Any],
    messages: list[Any],
    asked: int,
    context: Context,
) -> dict[str, Any]:
    """Return the arguments with the context: its prefix as system text, its tail before `asked`."""
    given, tail = dict(arguments), context.tail_without_history
    if context.prefix and shape.system is not None:
        given[shape.system] = _with_prefix(arguments.get(shape.system), context.prefix)
    elif context.prefix:
        start = next((n for n, each in enumerate(messages) if not _is_system(each)), 0)
        messages.insert(start, {"role": "system", "content": context.prefix})
        asked += 1
    if tail:
        messages[asked] = _with_text_before(messages[asked], tail)
    return {**given, shape.messages: messages}


def _with_prefix(system: Any, prefix: str) -> Any:
    """Return a system prompt with a text after it, in the form that it has: text or blocks."""
    if isinstance(system, str) or not isinstance(system, Sequence):
        return "\n\n".join(filter(None, (system, prefix))) if system else prefix
    return [*system, {"type": "text", "text": prefix}]


def _is_system(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get("role") in ("system", "developer")


def _with_text_before(message: Any, tail: str) -> dict[str, Any]:
    """Return a message of the user with a text before its words."""
    plain = dict(message) if isinstance(message, Mapping) else message.model_dump()
    content: Any = plain.get("content")
    if isinstance(content, str):
        return {**plain, "content": f"{tail}\n{content}"}
    kind = "input_text" if any(p.get("type") == "input_text" for p in content) else "text"
    return {**plain, "content": [{"type": kind, "text": tail}, *content]}


def _answer_messages(result: Any) -> list[Any]:
    """Return the messages of an answer: a choice, the output items, or the message itself."""
    if choices := getattr(result, "choices", None):
        return [choices[0].message]
    return list(getattr(result, "output", None) or [result])


class _Stream(_Proxy):
    """A stream that collects the text of its parts for a function, called at its end."""

    def __init__(self, stream: Any, ended: Callable[[str], None]) -> None:
        super().__init__(stream)
        self.__ended, self.__parts = ended, list[str]()

    def __iter__(self) -> Iterator[Any]:
        for part in self._target:
            self.__parts.append(_added_text(part))
            yield part
        self.__ended("".join(self.__parts))

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for part in self._target:
            self.__parts.append(_added_text(part))
            yield part
        await asyncio.to_thread(self.__ended, "".join(self.__parts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


def _added_text(part: Any) -> str:
    """Return the text that a part of a stream adds."""
    if choices := getattr(part, "choices", None):
        return choices[0].delta.content or ""
    delta = getattr(part, "delta", None)
    text = delta if isinstance(delta, str) else getattr(delta, "text", None)
    kind = getattr(part, "type", "")
    return text or "" if kind in ("response.output_text.delta", "content_block_delta") else ""
