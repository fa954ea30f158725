"""Language models by name, as settings give them."""

from __future__ import annotations

from functools import cache

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Llm

NAMES = ("openai:MODEL", "anthropic:MODEL", "none")


def resolve(spec: str, *, base_url: str = "") -> Llm | None:
    """The model of that name; None for "none", which leaves learning to patterns.

    Nothing is loaded or called yet. A package or a key that is missing is an LlmError.
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
    """One for the whole process: what a server refuses need not be learned twice."""
    # Each is imported when it is chosen: nobody pays for the other.
    if vendor == "openai":
        from erstwhile.adapters.llm.openai import OpenAiLlm

        return OpenAiLlm(model, base_url)
    from erstwhile.adapters.llm.anthropic import AnthropicLlm

    return AnthropicLlm(model, base_url)
