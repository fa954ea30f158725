"""Models by name, as in the settings. Only the chosen one is imported."""

from __future__ import annotations

from functools import cache
from pkgutil import resolve_name

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Embedder, Llm, Reranker

DEFAULT_EMBEDDER = "universal"
EMBEDDERS = ("universal", "e5", "minilm", "hashing", "http:MODEL", "ollama:MODEL", "none")
OLLAMA = "ollama"
OLLAMA_URL = "http://localhost:11434/v1"
"""The address of Ollama on this machine, with OpenAI's interface. It needs no key."""
_LOCAL = {
    "universal": "universal:UniversalEmbedder",
    "e5": "e5:E5Embedder",
    "minilm": "minilm:MiniLmEmbedder",
    "hashing": "hashing:HashingEmbedder",
}
_VENDORS = {
    "openai": "openai:OpenAiLlm",
    "anthropic": "anthropic:AnthropicLlm",
    OLLAMA: "openai:OllamaLlm",
}
LLMS = ("openai:MODEL", "anthropic:MODEL", "ollama:MODEL", "none")
RERANKERS = ("minilm", "http:MODEL", "http", "none")


def resolve_embedder(
    spec: str = DEFAULT_EMBEDDER, *, base_url: str | None = None, key: str | None = None
) -> Embedder | None:
    """Return the embedder of a name; None for "none": recall then uses words alone.

    Nothing is loaded or called yet. A missing package shows on first use.
    """
    if spec == "none":
        return None
    name, _, model = spec.partition(":")
    if spec not in _LOCAL and name not in ("http", OLLAMA):
        raise _unknown("embedder", spec, EMBEDDERS)
    if spec in _LOCAL:
        local: Embedder = resolve_name(f"erstwhile.adapters.embedders.{_LOCAL[spec]}")()
        return local
    if name == OLLAMA:
        base_url = base_url or OLLAMA_URL
    if not base_url:
        raise _no_address("embedder")
    http = resolve_name("erstwhile.adapters.embedders.http:HttpEmbedder")
    remote: Embedder = http(base_url, model, key or None)
    return remote


def resolve_reranker(spec: str, *, base_url: str = "", key: str = "") -> Reranker | None:
    """Return the reranker of a name; None for "none". Nothing is loaded or called yet."""
    name, _, model = spec.partition(":")
    if spec == "none":
        return None
    if spec == "minilm":
        local: Reranker = resolve_name("erstwhile.adapters.rerankers:CrossEncoderReranker")()
        return local
    if name != "http":
        raise _unknown("reranker", spec, RERANKERS)
    if not base_url:
        raise _no_address("reranker")
    http = resolve_name("erstwhile.adapters.rerankers:HttpReranker")
    remote: Reranker = http(base_url, model, key or None)
    return remote


def resolve_llm(spec: str, *, base_url: str = "") -> Llm | None:
    """Return the language model of a name; None for "none": patterns alone then learn.

    Nothing is loaded or called yet. Raise LlmError if a package or a key is missing.
    """
    if spec == "none":
        return None
    vendor, _, model = spec.partition(":")
    if vendor not in _VENDORS or not model.strip():
        raise _unknown("language model", spec, LLMS)
    return _vendor_llm(vendor, model, base_url or (OLLAMA_URL if vendor == OLLAMA else ""))


@cache
def _vendor_llm(vendor: str, model: str, base_url: str) -> Llm:
    """Return one adapter for the whole process, because it remembers the refused parameters."""
    llm: Llm = resolve_name(f"erstwhile.adapters.llm.{_VENDORS[vendor]}")(model, base_url)
    return llm


def _no_address(what: str) -> InvalidInputError:
    return InvalidInputError(
        f"an http {what} needs its server's address",
        remedy="give a base URL such as https://api.example.com/v1",
    )


def _unknown(what: str, spec: str, names: tuple[str, ...]) -> InvalidInputError:
    return InvalidInputError(f"unknown {what} {spec!r}", remedy=f"use one of {', '.join(names)}")
