"""Validation of server addresses that users give."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from erstwhile.core.errors import InvalidInputError


def address(base_url: str, path: str) -> SplitResult:
    """Return the address of `path` below a base url. Raise InvalidInputError if it is unsafe."""
    url = split(base_url)
    if url is None or url.scheme not in ("http", "https") or not url.hostname:
        raise InvalidInputError(
            "the base url cannot be used", remedy="give a url such as https://api.example.com/v1"
        )
    if url.username is not None or url.fragment:
        raise InvalidInputError(
            "the base url holds a password or a fragment",
            remedy="remove it; a key has its own setting",
        )
    return url._replace(path=url.path.rstrip("/") + path)


def split(url: str) -> SplitResult | None:
    """Split an address; return None if the http library would fail on it later."""
    if not (url.isascii() and url.isprintable()) or " " in url:
        return None
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")
        _ = parts.port
    except ValueError:
        return None
    return parts


def shown(url: SplitResult) -> str:
    """Return an address for messages, without its query, which may hold a secret."""
    return f"{url.scheme}://{url.netloc}{url.path}"
