"""The language models by name, as in the settings."""

from __future__ import annotations

from functools import cache

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Llm

NAMES = ("openai:MODEL", "anthropic:MODEL", "none")


def resolve(spec: str, *, base_url: str = "") -> Llm | None:
    """Return the language model of a name; None for "none", so that patterns alone learn.

    Nothing is loaded or called yet. Raise LlmError if a package or a key is missing.
    """
    if spec == "none":
        return None
    vendor, _, model = spec.partition(":")
    if vendor not in ("openai", "anthropic") or not model.strip():
        raise InvalidInputError(
            f"unknown language model {spec!r}", remedy=f"use one of {', '.join(NAMES)}"
        )
    return _adapter(vendor, model, base_url)


@cache
def _adapter(vendor: str, model: str, base_url: str) -> Llm:
    """Return one adapter for the whole process, which remembers the refused parameters."""
    # Imported here: only the chosen one is loaded.
    if vendor == "openai":
        from erstwhile.adapters.llm.openai import OpenAiLlm

        return OpenAiLlm(model, base_url)
    from erstwhile.adapters.llm.anthropic import AnthropicLlm

    return AnthropicLlm(model, base_url)
