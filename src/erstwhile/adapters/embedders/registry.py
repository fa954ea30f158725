"""The embedders by name, as in the settings."""

from __future__ import annotations

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Embedder

DEFAULT = "universal"
NAMES = ("universal", "minilm", "hashing", "http:MODEL", "none")


def resolve(
    spec: str = DEFAULT, *, base_url: str | None = None, key: str | None = None
) -> Embedder | None:
    """Return the embedder of a name; None for "none", so that recall uses words alone.

    Nothing is loaded or called yet. A missing package shows on first use.
    """
    # Imported here: only the chosen one is loaded.
    name, _, model = spec.partition(":")
    if name == "http":
        return _http(model, base_url, key)
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
    raise InvalidInputError(f"unknown embedder {spec!r}", remedy=f"use one of {', '.join(NAMES)}")


def _http(model: str, base_url: str | None, key: str | None) -> Embedder:
    from erstwhile.adapters.embedders.http import HttpEmbedder

    if not base_url:
        raise InvalidInputError(
            "an http embedder needs its server's address",
            remedy="give a base url such as https://api.example.com/v1",
        )
    return HttpEmbedder(base_url, model, key or None)
