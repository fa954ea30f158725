"""Any server with OpenAI's chat completions: OpenAI's own, a vendor's, or one of your own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from recollect.adapters.llm.failures import cut_off, declined, silent, unreadable
from recollect.adapters.llm.server import Vendor, sendable
from recollect.adapters.llm.structured import in_words, strict
from recollect.adapters.llm.tokens import count
from recollect.adapters.llm.vendor import VendorLlm
from recollect.ports import Completion, Prompt

_OPENAI = Vendor(
    package="openai",
    client="OpenAI",
    key_variable="OPENAI_API_KEY",
    url_variable="OPENAI_BASE_URL",
    home="https://api.openai.com/v1",
)
_FORMAT, _OLD_LIMIT, _NEW_LIMIT = "response_format", "max_tokens", "max_completion_tokens"
_REFUSABLE = {
    _FORMAT: re.compile("response_format|json_schema|schema|grammar|structured", re.IGNORECASE),
    _OLD_LIMIT: re.compile("max_tokens", re.IGNORECASE),
    _NEW_LIMIT: re.compile("max_completion_tokens", re.IGNORECASE),
    "temperature": re.compile("temperature", re.IGNORECASE),
}


class OpenAiLlm(VendorLlm):
    """A model behind OpenAI's interface, through the package `openai`."""

    _vendor = _OPENAI
    _refusable = _REFUSABLE

    def _create(self, client: Any) -> Callable[..., Any]:
        create: Callable[..., Any] = client.chat.completions.create
        return create

    def _asked(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
        optional: dict[str, Any] = {
            _FORMAT: _enforced(prompt),
            self._limit(refused): prompt.max_tokens,
            "temperature": 0,
        }
        messages = [
            {"role": "system", "content": sendable(self._system(prompt, refused))},
            {"role": "user", "content": sendable(prompt.user)},
        ]
        taken = {name: value for name, value in optional.items() if name not in refused}
        return {"model": self.model, "messages": messages, **taken}

    def _limit(self, refused: frozenset[str]) -> str:
        """OpenAI's newer models know one name of it, and many other servers the other."""
        names = (_OLD_LIMIT, _NEW_LIMIT)
        first, second = reversed(names) if self._server.is_home else names
        return second if first in refused else first

    def _system(self, prompt: Prompt, refused: frozenset[str]) -> str:
        """Other servers may ignore the schema without a word, so there it is said as well."""
        if self._server.is_home and _FORMAT not in refused:
            return prompt.system
        return f"{prompt.system}\n\n{in_words(prompt.schema)}"

    def _completion(self, answer: Any, prompt: Prompt) -> Completion:
        place = self._server.place
        try:
            choice = answer.choices[0]
            text, refusal = choice.message.content, getattr(choice.message, "refusal", None)
        except (AttributeError, IndexError, KeyError, TypeError):
            raise unreadable(place, "no choices") from None
        reason = getattr(choice, "finish_reason", None)
        whole = _counted(text if isinstance(text, str) else "", getattr(answer, "usage", None))
        if reason == "length":
            raise cut_off(place, prompt.max_tokens, whole.tokens)
        if refusal or reason == "content_filter":
            raise declined(place, whole.tokens)
        if not whole.text.strip():
            raise silent(place, whole.tokens)
        return whole


def _enforced(prompt: Prompt) -> dict[str, Any]:
    form = {"name": "answer", "schema": strict(prompt.schema), "strict": True}
    return {"type": "json_schema", "json_schema": form}


def _counted(text: str, usage: Any) -> Completion:
    """Its count of the prompt includes what the cache was read and written for; ours does not."""
    asked, details = count(usage, "prompt_tokens"), getattr(usage, "prompt_tokens_details", None)
    read = min(count(details, "cached_tokens"), asked)
    written = min(count(details, "cache_write_tokens"), asked - read)
    return Completion(
        text=text,
        input=asked - read - written,
        output=count(usage, "completion_tokens"),
        cache_read=read,
        cache_write=written,
    )
