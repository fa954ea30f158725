"""Decode base64 texts, so that the secrets inside them are found."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64

SHORTEST_CODE = 24
BASE64 = re.compile(
    rf"(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/_-]{{{SHORTEST_CODE},}}+={{0,2}}(?![A-Za-z0-9+/=_-])"
)
"""A pattern for base64 in the standard or the URL-safe alphabet."""
_STANDARD = bytes.maketrans(b"-_", b"+/")


def decode_base64(code: str) -> str:
    """Return the decoded text; an empty text if it is not readable."""
    plain = code.rstrip("=").encode().translate(_STANDARD)
    try:
        return decode_bytes(a2b_base64(plain + b"=" * (-len(plain) % 4)))
    except Error:
        return ""


def decode_bytes(data: bytes) -> str:
    """Return bytes as text; an empty text if they are not readable."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() or "\n" in text else ""
