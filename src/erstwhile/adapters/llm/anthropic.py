"""Claude, at Anthropic or at another server with its interface."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from erstwhile.adapters.llm.answers import closed, in_words
from erstwhile.adapters.llm.failures import StopReason, unreadable
from erstwhile.adapters.llm.vendor import Vendor, VendorLlm, token_count
from erstwhile.core.ports import Completion, Prompt
from erstwhile.core.text import sendable

_FORMAT = "output_config"
_MAX_CHAT = 4_000
"""The most tokens of an answer in a chat."""


class AnthropicLlm(VendorLlm):
    """A model behind Anthropic's interface, through the package `anthropic`."""

    _vendor = Vendor(
        package="anthropic",
        client="Anthropic",
        create="messages.create",
        home="https://api.anthropic.com",
        adds=("/v1/messages", "/v1"),
        refusable={
            _FORMAT: re.compile("output.?config|output.?format|schema|structured", re.IGNORECASE)
        },
        endings={
            "max_tokens": StopReason.CUT_OFF,
            "model_context_window_exceeded": StopReason.CUT_OFF,
            "refusal": StopReason.DECLINED,
        },
    )

    def _arguments(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
        system, enforced = prompt.system, {}
        if _FORMAT in refused:
            system = f"{system}\n\n{in_words(prompt.schema)}"
        else:
            form = {"type": "json_schema", "schema": closed(prompt.schema)}
            enforced = {_FORMAT: {"format": form}}
        return {
            "model": self.model,
            "system": sendable(system),
            "messages": [{"role": "user", "content": sendable(prompt.user)}],
            "max_tokens": prompt.max_tokens,
            **enforced,
        }

    def _chat_arguments(self, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        system = "\n".join(each["content"] for each in messages if each["role"] == "system")
        return {
            "messages": [each for each in messages if each["role"] != "system"],
            "max_tokens": _MAX_CHAT,
            **({"system": system} if system else {}),
        }

    def _piece(self, event: Any) -> str | None:
        text = getattr(getattr(event, "delta", None), "text", None)
        return text if isinstance(text, str) else None

    def _parse_answer(self, answer: Any) -> tuple[Completion, object]:
        try:
            text = "".join(each.text for each in answer.content if each.type == "text")
        except (AttributeError, TypeError):
            raise unreadable(self._place, "no content") from None
        usage = getattr(answer, "usage", None)
        completion = Completion(
            text=text,
            input=token_count(usage, "input_tokens"),
            output=token_count(usage, "output_tokens"),
            cache_read=token_count(usage, "cache_read_input_tokens"),
            cache_write=token_count(usage, "cache_creation_input_tokens"),
        )
        return completion, getattr(answer, "stop_reason", None)
