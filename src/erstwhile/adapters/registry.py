"""Embedders and language models by name, as in the settings. Only the chosen one is imported."""

from __future__ import annotations

from functools import cache

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Embedder, Llm

DEFAULT_EMBEDDER = "universal"
EMBEDDERS = ("universal", "minilm", "hashing", "http:MODEL", "none")
LLMS = ("openai:MODEL", "anthropic:MODEL", "none")


def resolve_embedder(
    spec: str = DEFAULT_EMBEDDER, *, base_url: str | None = None, key: str | None = None
) -> Embedder | None:
    """Return the embedder of a name; None for "none": recall then uses words alone.

    Nothing is loaded or called yet. A missing package shows on first use.
    """
    name, _, model = spec.partition(":")
    match spec:
        case "none":
            return None
        case "universal":
            from erstwhile.adapters.embedders.universal import UniversalEmbedder

            return UniversalEmbedder()
        case "minilm":
            from erstwhile.adapters.embedders.minilm import MiniLmEmbedder

            return MiniLmEmbedder()
        case "hashing":
            from erstwhile.adapters.embedders.hashing import HashingEmbedder

            return HashingEmbedder()
    if name != "http":
        raise _unknown("embedder", spec, EMBEDDERS)
    if not base_url:
        raise InvalidInputError(
            "an http embedder needs its server's address",
            remedy="give a base url such as https://api.example.com/v1",
        )
    from erstwhile.adapters.embedders.http import HttpEmbedder

    return HttpEmbedder(base_url, model, key or None)


def resolve_llm(spec: str, *, base_url: str = "") -> Llm | None:
    """Return the language model of a name; None for "none": patterns alone then learn.

    Nothing is loaded or called yet. Raise LlmError if a package or a key is missing.
    """
    if spec == "none":
        return None
    vendor, _, model = spec.partition(":")
    if vendor not in ("openai", "anthropic") or not model.strip():
        raise _unknown("language model", spec, LLMS)
    return _vendor_llm(vendor, model, base_url)


@cache
def _vendor_llm(vendor: str, model: str, base_url: str) -> Llm:
    """Return one adapter for the whole process, because it remembers the refused parameters."""
    if vendor == "openai":
        from erstwhile.adapters.llm.openai import OpenAiLlm

        return OpenAiLlm(model, base_url)
    from erstwhile.adapters.llm.anthropic import AnthropicLlm

    return AnthropicLlm(model, base_url)


def _unknown(what: str, spec: str, names: tuple[str, ...]) -> InvalidInputError:
    return InvalidInputError(f"unknown {what} {spec!r}", remedy=f"use one of {', '.join(names)}")
