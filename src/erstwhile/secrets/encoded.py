"""Decode base64 texts, so that the secrets inside them are found."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error

SHORTEST_CODE = 24
BASE64 = re.compile(
    rf"(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/_-]{{{SHORTEST_CODE},}}+={{0,2}}(?![A-Za-z0-9+/=_-])"
)
"""A pattern for base64 in the standard or the URL-safe alphabet."""


def decode_base64(code: str) -> str:
    """Return the decoded text; an empty text if it is not readable."""
    plain = code.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return decode_bytes(b64decode(plain + "=" * (-len(plain) % 4)))
    except Error:
        return ""


def decode_bytes(data: bytes) -> str:
    """Return bytes as text; an empty text if they are not readable."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() or "\n" in text else ""
