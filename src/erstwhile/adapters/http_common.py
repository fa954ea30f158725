"""Addresses of servers, and the pauses before a request is retried."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from erstwhile.core.errors import InvalidInputError

MAX_PAUSE = 20.0
"""The longest pause before a retry. If the server asks for more, the call fails."""
_MAX_RETRY_AFTER = 3600.0
_FIRST_PAUSE = 0.5


def check_address(base_url: str, path: str) -> SplitResult:
    """Return the URL of `path` below a base URL. Raise InvalidInputError if it is unsafe."""
    url = split_url(base_url)
    if url is None or url.scheme not in ("http", "https") or not url.hostname:
        raise InvalidInputError(
            "the base URL cannot be used", remedy="give a URL such as https://api.example.com/v1"
        )
    if url.username is not None or url.fragment:
        raise InvalidInputError(
            "the base URL holds a password or a fragment",
            remedy="remove it; a key has its own setting",
        )
    return url._replace(path=url.path.rstrip("/") + path)


def split_url(url: str) -> SplitResult | None:
    """Split a URL; return None if the HTTP library would fail on it later."""
    if not (url.isascii() and url.isprintable()) or " " in url:
        return None
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")
        _ = parts.port
    except ValueError:
        return None
    return parts


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def url_for_messages(url: SplitResult) -> str:
    """Return a URL without its query, which may hold a secret."""
    return f"{url.scheme}://{url.netloc}{url.path}"


def backoff(attempt: int) -> float:
    """Return a random pause that grows with each attempt."""
    return _FIRST_PAUSE * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.0)


def retry_after(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None if it is neither."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except (ValueError, OverflowError):
            return None
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (aware - datetime.now(UTC)).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), _MAX_RETRY_AFTER)
