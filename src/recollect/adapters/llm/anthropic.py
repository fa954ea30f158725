"""Claude, at Anthropic or wherever its interface is spoken."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from recollect.adapters.llm.failures import cut_off, declined, silent, unreadable
from recollect.adapters.llm.server import Vendor, sendable
from recollect.adapters.llm.structured import closed, in_words
from recollect.adapters.llm.tokens import count
from recollect.adapters.llm.vendor import VendorLlm
from recollect.ports import Completion, Prompt

_ANTHROPIC = Vendor(
    package="anthropic",
    client="Anthropic",
    key_variable="ANTHROPIC_API_KEY",
    url_variable="ANTHROPIC_BASE_URL",
    home="https://api.anthropic.com",
)
_FORMAT = "output_config"
_REFUSABLE = {_FORMAT: re.compile("output.?config|output.?format|schema|structured", re.IGNORECASE)}
_ENDS_TOO_SOON = ("max_tokens", "model_context_window_exceeded")


class AnthropicLlm(VendorLlm):
    """A model behind Anthropic's interface, through the package `anthropic`."""

    _vendor = _ANTHROPIC
    _refusable = _REFUSABLE

    def _create(self, client: Any) -> Callable[..., Any]:
        create: Callable[..., Any] = client.messages.create
        return create

    def _asked(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
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

    def _completion(self, answer: Any, prompt: Prompt) -> Completion:
        place = self._server.place
        try:
            text = "".join(each.text for each in answer.content if each.type == "text")
        except (AttributeError, TypeError):
            raise unreadable(place, "no content") from None
        reason, usage = getattr(answer, "stop_reason", None), getattr(answer, "usage", None)
        whole = _counted(text, usage)
        if reason in _ENDS_TOO_SOON:
            raise cut_off(place, prompt.max_tokens, whole.tokens)
        if reason == "refusal":
            raise declined(place, whole.tokens)
        if not text.strip():
            raise silent(place, whole.tokens)
        return whole


def _counted(text: str, usage: Any) -> Completion:
    return Completion(
        text=text,
        input=count(usage, "input_tokens"),
        output=count(usage, "output_tokens"),
        cache_read=count(usage, "cache_read_input_tokens"),
        cache_write=count(usage, "cache_creation_input_tokens"),
    )
