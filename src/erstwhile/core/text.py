"""Validate texts and metadata, and compare texts."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from erstwhile.core.errors import InvalidInputError, TooLargeError
from erstwhile.core.json_values import FrozenDict
from erstwhile.secrets.masking import mask_json, mask_text

MAX_REASON = 2_000


def checked_text(value: object, *, name: str, limit: int) -> str:
    """Return the text with its secrets masked. Every verb checks its texts here.

    Raise InvalidInputError if an engine could not store the text.
    """
    text = mask_text(check_storable(value, name, limit))
    # The mask may be longer than the secret.
    return text if len(text) <= limit else check_storable(text, name, limit)


def checked_label(value: object, *, name: str, limit: int = 200) -> str:
    """Return a short one-line text, such as a tag or a name, without outer spaces."""
    return _one_line(checked_text(value, name=name, limit=limit), name)


def checked_name(value: object, *, name: str, limit: int = 200) -> str:
    """Return a checked label that an address of the HTTP API can name."""
    return check_segment(checked_label(value, name=name, limit=limit), name)


def check_segment(value: str, name: str) -> str:
    """Return the text, or raise InvalidInputError if it cannot be a segment of a path."""
    if value in (".", ".."):  # a client or a proxy would read it as a folder
        raise InvalidInputError(f"{name} cannot be {value!r}", remedy="choose another name")
    return value


def checked_id(value: object, *, name: str, limit: int = 200) -> str:
    """Return a checked label without masking it.

    An id must not be masked: two masked ids could be equal, and a masked address is useless.
    """
    return _one_line(check_storable(value, name, limit), name)


def exact_id(value: str, name: str) -> str:
    """Return a checked id unchanged. Raise InvalidInputError for spaces around it."""
    if checked_id(value, name=name) != value:
        raise InvalidInputError(
            f"{name} begins or ends with a space: {value!r}", remedy="remove the space"
        )
    return value


def checked_reason(reason: str | None) -> str | None:
    """Return the checked reason; None stays None."""
    return None if reason is None else checked_text(reason, name="reason", limit=MAX_REASON)


def check_storable(value: object, name: str, limit: int) -> str:
    """Return the text, or raise InvalidInputError if an engine could not store it."""
    if not isinstance(value, str):
        raise InvalidInputError(
            f"{name} must be text, not {type(value).__name__}", remedy="give it as a str"
        )
    if not value or value.isspace():
        raise InvalidInputError(f"{name} is blank", remedy="give it some text")
    if len(value) > limit:
        raise TooLargeError(
            f"{name} has {len(value):,} characters, {limit:,} are allowed", remedy="split it"
        )
    return check_characters(value, name)


def check_characters(text: str, name: str) -> str:
    """Return the text, or raise InvalidInputError if it has a character that no engine stores."""
    if "\0" in text or not (text.isascii() or encodable(text)):
        raise InvalidInputError(
            f"{name} contains a NUL or a lone surrogate",
            remedy="decode the text properly, or remove these characters",
        )
    return text


def _one_line(text: str, name: str) -> str:
    label = text.strip()
    if not label.isprintable() and any(unicodedata.category(each) == "Cc" for each in label):
        raise InvalidInputError(
            f"{name} contains a control character", remedy="keep it to one line"
        )
    return label


def encodable(value: str) -> bool:
    """Return whether a text can be encoded: it has no lone surrogate."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def sendable(text: str) -> str:
    """Return the text with the characters replaced that cannot be encoded."""
    return text.encode("utf-8", "replace").decode("utf-8")


def folded(text: str) -> str:
    """Return the text without differences in letter case, spacing and Unicode form."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(text.lower().split())


def fingerprint(text: str, key: str | None) -> bytes:
    """Return a hash that is equal only for texts that are equal when folded."""
    return sha256(f"{key or ''}\0{folded(text)}".encode()).digest()[:16]


def like_pattern(part: str) -> str:
    """Return a LIKE pattern (escape character: backslash) for texts that contain `part`."""
    escaped = folded(part).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


MAX_METADATA = 50_000

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""A NUL in JSON, but not an escaped backslash before u0000."""

NO_METADATA: Mapping[str, Any] = FrozenDict({})


def checked_metadata(metadata: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the metadata with secrets masked. Raise InvalidInputError if it is not JSON."""
    if metadata is None:
        return NO_METADATA
    if not isinstance(metadata, Mapping) or not all(isinstance(key, str) for key in metadata):
        raise InvalidInputError("metadata must be a mapping with text keys")
    if not metadata:
        return NO_METADATA
    try:
        written = json.dumps(dict(metadata), allow_nan=False, ensure_ascii=False)
        written.encode()
        # What is too long is not masked first: that takes long.
        masked = None if len(written) > MAX_METADATA else mask_json(json.loads(written))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"metadata cannot be written as JSON ({error})", remedy="use only the types of JSON"
        ) from None
    if masked is None:
        raise TooLargeError(
            f"metadata has {len(written):,} characters as JSON, {MAX_METADATA:,} are allowed",
            remedy="store a reference instead",
        )
    if _NUL.search(written):
        raise InvalidInputError("metadata contains a NUL", remedy="remove it")
    return FrozenDict(masked)


MEMORY_OPENING = "<erstwhile-memory>"
MEMORY_CLOSING = "</erstwhile-memory>"
_FENCED = re.compile(rf"{MEMORY_OPENING}.*?(?:{MEMORY_CLOSING}|\Z)", re.DOTALL)


def without_memory(text: str) -> str:
    """Remove the text between the markers. An unclosed marker removes all text after it."""
    return _FENCED.sub("", text)
