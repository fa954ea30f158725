"""Addresses of servers, as users give them: only such as can be used safely."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from erstwhile.core.errors import InvalidInputError


def address(base_url: str, path: str) -> SplitResult:
    """The full address of `path` below a base url that can be used safely."""
    url = split(base_url)
    if url is None or url.scheme not in ("http", "https") or not url.hostname:
        raise InvalidInputError(
            "the base url cannot be used", remedy="give one such as https://api.example.com/v1"
        )
    if url.username is not None or url.fragment:
        raise InvalidInputError(
            "the base url holds a password or a fragment",
            remedy="leave that out; a key is said elsewhere",
        )
    return url._replace(path=url.path.rstrip("/") + path)


def split(url: str) -> SplitResult | None:
    """None for what the library below would stumble over later."""
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
    """An address for messages: the query may hold a secret."""
    return f"{url.scheme}://{url.netloc}{url.path}"
