"""Read messages in the shapes of OpenAI and Anthropic.

These are chat completions and items of the Responses API, and Anthropic's messages with content
blocks; as mappings, or as objects of the vendors' packages. Only the text parts of a message are
the words of its role. The results of tools, documents and parts of unknown types become messages of
a tool. Thoughts and media are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import InvalidInputError

CALLS, ANSWERED = "tool_calls", "tool_call_id"
"""The metadata fields for the tool calls of a message, and for the call that a result answers."""
_ROLES = {
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "developer": Role.SYSTEM,
    "function": Role.TOOL,
    **{role.value: role for role in Role},
}
_WORDS = frozenset(("text", "input_text", "output_text", "refusal"))
_THOUGHTS = frozenset(("thinking", "redacted_thinking", "reasoning"))
_TEXT_FIELDS = ("text", "output_text", "content", "output", "refusal")
"""The fields that may hold the text of a part, or further parts."""
_CALL_ENDINGS = ("tool_use", "_call")
_ANSWERED_FIELDS = ("tool_call_id", "tool_use_id", "call_id")
_MAX_CALLS, _MAX_ARGUMENTS = 20, 1_000
"""The tool calls of one message that its metadata keeps, and the characters of their arguments."""
_REMEDY = 'give messages such as {"role": "user", "content": "…"}'


class ReadMessage(NamedTuple):
    """A message, or a part of one that somebody else wrote."""

    role: Role
    content: str
    metadata: Mapping[str, Any]


def read_messages(messages: Iterable[Any]) -> list[ReadMessage]:
    """Return the messages of a list. Raise InvalidInputError that names a message it cannot read.

    A message with results of tools gives several.
    """
    if isinstance(messages, str | Mapping) or not isinstance(messages, Iterable):
        raise InvalidInputError("messages is not a list", remedy=_REMEDY)
    found = list[ReadMessage]()
    for number, message in enumerate(messages, 1):
        try:
            found += read_message(message)
        except InvalidInputError as error:
            error.message = f"message {number}: {error.message}"
            raise
    return found


def read_message(given: Any) -> Iterator[ReadMessage]:
    """Yield what each author wrote in a message; one without any text is empty."""
    message = _as_mapping(given)
    if not isinstance(message, Mapping):
        raise InvalidInputError(f"it is a {type(given).__name__}, not an object", remedy=_REMEDY)
    kind = message.get("type")
    if message.get("role") is None and isinstance(kind, str) and kind not in _ROLES:
        items = _split(Role.ASSISTANT, [message])  # an item of the Responses API
        yield from (each for each in items if each.content or each.metadata)
        return
    role = role_of(kind if message.get("role") is None else message["role"])
    if role is Role.TOOL:
        yield ReadMessage(role, text_of(message.get("content")), _about_result(message))
        return
    calls = message.get(CALLS) or [each for each in [message.get("function_call")] if each]
    content = message.get("content") or message.get("refusal") or message.get("content")
    if content is None and not calls and role is not Role.ASSISTANT:
        raise InvalidInputError("it has no content", remedy=_REMEDY)
    yield from _split(role, _content_parts(content, "content"), _content_parts(calls, CALLS))


def role_of(name: Any) -> Role:
    """Return the role with a name that OpenAI, Anthropic or another program uses."""
    role = _ROLES.get(name.lower()) if isinstance(name, str) else None
    if role is None:
        raise InvalidInputError(
            "it has no role" if name is None else f"its role is unknown: {name!r}"[:100],
            remedy="use user, assistant, system or tool",
        )
    return role


def text_of(content: Any) -> str:
    """Return the text in a content or in a part, joined with that of its parts."""
    content = _as_mapping(content)
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        return "\n".join(filter(None, map(text_of, content)))
    if not isinstance(content, Mapping):
        return ""
    source = content.get("source")
    if isinstance(source, Mapping) and source.get("type") == "text":  # of a document
        return text_of(source.get("data"))
    return next((text for name in _TEXT_FIELDS if (text := text_of(content.get(name)))), "")


def _split(role: Role, parts: Iterable[Any], made: Iterable[Any] = ()) -> Iterator[ReadMessage]:
    """Yield the words and calls of a role, and between them the messages of tools, in order."""
    said, calls, is_empty = list[str](), [*map(_call, made)], True

    def flushed() -> Iterator[ReadMessage]:
        if said or calls or is_empty:
            about = {CALLS: calls[:_MAX_CALLS]} if calls else {}
            yield ReadMessage(role, "\n".join(said), about)

    for part in map(_as_mapping, parts):
        kind = part.get("type", "text") if isinstance(part, Mapping) else "text"
        if kind in _THOUGHTS:
            continue
        if kind in _WORDS:
            said += filter(None, [text_of(part)])
            continue
        is_call = str(kind).endswith(_CALL_ENDINGS)
        if is_call:
            calls.append(_call(part))
        if text := text_of(part.get("output") if is_call else part):
            is_empty = False
            yield from flushed()
            said, calls = [], []
            yield ReadMessage(Role.TOOL, text, _about_result(part))
    yield from flushed()


def _call(part: Any) -> dict[str, str]:
    """Return the id, the name and the arguments of a tool call."""
    if not isinstance(part, Mapping):
        raise InvalidInputError(f"one of its {CALLS} is a text", remedy="give objects")
    function = part["function"] if isinstance(part.get("function"), Mapping) else part
    sent = function.get("arguments") or function.get("input") or ""
    id = part.get("call_id") or part.get("id") or ""
    name = function.get("name") or part.get("type")
    return {"id": str(id), "name": str(name), "arguments": str(sent)[:_MAX_ARGUMENTS]}


def _about_result(part: Mapping[str, Any]) -> dict[str, str]:
    """Return the metadata of a result: the id of its call, and the name of the tool."""
    id = next((part[name] for name in _ANSWERED_FIELDS if part.get(name)), None)
    known = {ANSWERED: id, "name": part.get("name")}
    return {name: str(value) for name, value in known.items() if value}


def _content_parts(content: Any, name: str) -> list[Any]:
    """Return a text or the parts of a list, each a text or a mapping."""
    parts = [content or ""] if content is None or isinstance(content, str) else content
    found = [*map(_as_mapping, parts)] if isinstance(parts, list | tuple) else [None]
    if not all(isinstance(each, str | Mapping) for each in found):
        raise InvalidInputError(
            f"its {name} is not text or a list of parts", remedy="give the vendor's own shape"
        )
    return found


def _as_mapping(value: Any) -> Any:
    """Return an object of a vendor's package as a mapping, and anything else as it is."""
    dump = getattr(value, "model_dump", None)
    return value if dump is None else dump(exclude_none=True)
