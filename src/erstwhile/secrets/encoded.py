"""Decode texts in base64, so that no secret hides in one."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error

BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/_-]{24,}+={0,2}(?![A-Za-z0-9+/=_-])")
"""A pattern for base64, in either of its alphabets."""


def decode_base64(code: str) -> str:
    """Return the decoded text; empty if it is not readable."""
    plain = code.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return decode_bytes(b64decode(plain + "=" * (-len(plain) % 4)))
    except Error:
        return ""


def decode_bytes(data: bytes) -> str:
    """Return bytes as text; empty if it is not readable."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() or "\n" in text else ""
