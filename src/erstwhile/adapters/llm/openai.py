"""Any server with OpenAI's chat completions: OpenAI's own, a vendor's, or one of your own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from erstwhile.adapters.llm.answers import in_words, strict
from erstwhile.adapters.llm.failures import StopReason, unreadable
from erstwhile.adapters.llm.vendor import NO_KEY, Vendor, VendorLlm, token_count
from erstwhile.core.ports import Completion, Prompt
from erstwhile.core.text import sendable

_FORMAT, _OLD_LIMIT, _NEW_LIMIT = "response_format", "max_tokens", "max_completion_tokens"
_TEMPERATURE, _EFFORT = "temperature", "reasoning_effort"
_ROOM_TO_THINK = 6_000
"""Extra tokens for a model that thinks before it answers. Unused tokens cost nothing."""


class OpenAiLlm(VendorLlm):
    """A model behind OpenAI's interface, through the package `openai`."""

    _vendor = Vendor(
        package="openai",
        client="OpenAI",
        create="chat.completions.create",
        home="https://api.openai.com/v1",
        adds=("/chat/completions",),
        refusable={
            _FORMAT: re.compile(
                "response_format|json_schema|schema|grammar|structured", re.IGNORECASE
            ),
            _OLD_LIMIT: re.compile("max_tokens", re.IGNORECASE),
            _NEW_LIMIT: re.compile("max_completion_tokens", re.IGNORECASE),
            _TEMPERATURE: re.compile("temperature", re.IGNORECASE),
            _EFFORT: re.compile("reasoning|effort", re.IGNORECASE),
        },
        endings={
            "length": StopReason.CUT_OFF,
            "max_tokens": StopReason.CUT_OFF,
            "model_length": StopReason.CUT_OFF,
            "content_filter": StopReason.DECLINED,
            "refusal": StopReason.DECLINED,
            "error": StopReason.BROKEN_OFF,
            "insufficient_system_resource": StopReason.BROKEN_OFF,
        },
    )

    def _arguments(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
        system = prompt.system
        if not self._is_home or _FORMAT in refused:  # the server may ignore the schema
            system = f"{system}\n\n{in_words(prompt.schema)}"
        # Newer models of OpenAI and other servers differ in the name of the limit.
        names = (_OLD_LIMIT, _NEW_LIMIT)
        first, second = reversed(names) if self._is_home else names
        limit = second if first in refused else first
        form = {"name": "answer", "schema": strict(prompt.schema), "strict": True}
        optional: dict[str, Any] = {_FORMAT: {"type": "json_schema", "json_schema": form}}
        if _TEMPERATURE in refused:  # a model that thinks
            optional |= {limit: prompt.max_tokens + _ROOM_TO_THINK, _EFFORT: "low"}
        else:
            optional |= {limit: prompt.max_tokens, _TEMPERATURE: 0}
        messages = [
            {"role": "system", "content": sendable(system)},
            {"role": "user", "content": sendable(prompt.user)},
        ]
        taken = {name: value for name, value in optional.items() if name not in refused}
        return {"model": self.model, "messages": messages, **taken}

    def _chat_arguments(self, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        return {"messages": messages}

    def _piece(self, event: Any) -> str | None:
        return _part_text(event.choices[0].delta.content) if event.choices else None

    def _parse_answer(self, answer: Any) -> tuple[Completion, object]:
        try:
            choice = answer.choices[0]
            text, refusal = _text(choice.message), getattr(choice.message, "refusal", None)
        except (AttributeError, LookupError, TypeError, ValueError):
            raise unreadable(self._place, "no choices") from None
        ending = "refusal" if refusal else getattr(choice, "finish_reason", None)
        return _completion(text, getattr(answer, "usage", None)), ending


class OllamaLlm(OpenAiLlm):
    """A model of Ollama, which has OpenAI's interface. No key is sent to it."""

    def _key(self) -> str:
        return NO_KEY


def _text(message: Any) -> str:
    """Return the text of a message. Some servers return JSON as the call of a tool."""
    content, calls = message.content, getattr(message, "tool_calls", None)
    text = "".join(map(_part_text, content if isinstance(content, list) else [content]))
    if calls and not text.strip():
        [call] = calls
        return _part_text(call.function.arguments)
    return text


def _part_text(part: object) -> str:
    """Return the text of a part; empty for other parts, such as thoughts."""
    if isinstance(part, dict) and part.get("type") in ("text", "output_text"):
        part = part.get("text")
    return part if isinstance(part, str) else ""


def _completion(text: str, usage: Any) -> Completion:
    """Return the completion. The server counts cached tokens as part of the prompt; we do not."""
    prompt = token_count(usage, "prompt_tokens")
    details = getattr(usage, "prompt_tokens_details", None)
    read = min(token_count(details, "cached_tokens"), prompt)
    written = min(token_count(details, "cache_write_tokens"), prompt - read)
    return Completion(
        text=text,
        input=prompt - read - written,
        output=token_count(usage, "completion_tokens"),
        cache_read=read,
        cache_write=written,
    )
