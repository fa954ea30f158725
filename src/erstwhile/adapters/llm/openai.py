"""Any server with OpenAI's chat completions: OpenAI's own, a vendor's, or one of your own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from erstwhile.adapters.llm.answers import in_words, strict
from erstwhile.adapters.llm.failures import StopReason, unreadable
from erstwhile.adapters.llm.vendor import Vendor, VendorLlm, sendable, token_count
from erstwhile.core.ports import Completion, Prompt

_OPENAI = Vendor(
    package="openai",
    client="OpenAI",
    key_variable="OPENAI_API_KEY",
    url_variable="OPENAI_BASE_URL",
    home="https://api.openai.com/v1",
    adds=("/chat/completions",),
)
_FORMAT, _OLD_LIMIT, _NEW_LIMIT = "response_format", "max_tokens", "max_completion_tokens"
_TEMPERATURE, _EFFORT = "temperature", "reasoning_effort"
_REFUSABLE = {
    _FORMAT: re.compile("response_format|json_schema|schema|grammar|structured", re.IGNORECASE),
    _OLD_LIMIT: re.compile("max_tokens", re.IGNORECASE),
    _NEW_LIMIT: re.compile("max_completion_tokens", re.IGNORECASE),
    _TEMPERATURE: re.compile("temperature", re.IGNORECASE),
    _EFFORT: re.compile("reasoning|effort", re.IGNORECASE),
}
_ENDINGS = {
    "length": StopReason.CUT_OFF,
    "max_tokens": StopReason.CUT_OFF,
    "model_length": StopReason.CUT_OFF,
    "content_filter": StopReason.DECLINED,
    "refusal": StopReason.DECLINED,
    "error": StopReason.BROKEN_OFF,
    "insufficient_system_resource": StopReason.BROKEN_OFF,
}
_ROOM_TO_THINK = 6_000
"""Extra tokens for a model that thinks before it answers. Unused tokens cost nothing."""


class OpenAiLlm(VendorLlm):
    """A model behind OpenAI's interface, through the package `openai`."""

    _vendor = _OPENAI
    _refusable = _REFUSABLE
    _endings = _ENDINGS

    def _create(self, client: Any) -> Callable[..., Any]:
        create: Callable[..., Any] = client.chat.completions.create
        return create

    def _arguments(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
        optional = {_FORMAT: _response_format(prompt), **self._manner(prompt, refused)}
        messages = [
            {"role": "system", "content": sendable(self._system(prompt, refused))},
            {"role": "user", "content": sendable(prompt.user)},
        ]
        taken = {name: value for name, value in optional.items() if name not in refused}
        return {"model": self.model, "messages": messages, **taken}

    def _manner(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
        """Return limit and temperature, or a low effort for models that refuse a temperature."""
        limit = self._limit(refused)
        if _TEMPERATURE not in refused:
            return {limit: prompt.max_tokens, _TEMPERATURE: 0}
        return {limit: prompt.max_tokens + _ROOM_TO_THINK, _EFFORT: "low"}

    def _limit(self, refused: frozenset[str]) -> str:
        """Return the name of the limit: newer models of OpenAI and other servers differ in it."""
        names = (_OLD_LIMIT, _NEW_LIMIT)
        first, second = reversed(names) if self._server.is_home else names
        return second if first in refused else first

    def _system(self, prompt: Prompt, refused: frozenset[str]) -> str:
        """Return the system prompt, with the form in words if the schema may be ignored."""
        if self._server.is_home and _FORMAT not in refused:
            return prompt.system
        return f"{prompt.system}\n\n{in_words(prompt.schema)}"

    def _parse_answer(self, answer: Any) -> tuple[Completion, object]:
        try:
            choice = answer.choices[0]
            text, refusal = _text(choice.message), getattr(choice.message, "refusal", None)
        except (AttributeError, LookupError, TypeError, ValueError):
            raise unreadable(self._server.place, "no choices") from None
        ending = "refusal" if refusal else getattr(choice, "finish_reason", None)
        return _completion(text, getattr(answer, "usage", None)), ending


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


def _response_format(prompt: Prompt) -> dict[str, Any]:
    form = {"name": "answer", "schema": strict(prompt.schema), "strict": True}
    return {"type": "json_schema", "json_schema": form}


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
