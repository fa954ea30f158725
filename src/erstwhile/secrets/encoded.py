"""Texts in code, and what they say: base64 hides nothing from whoever finds it."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error

BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/_-]{24,}+={0,2}(?![A-Za-z0-9+/=_-])")
"""What may be a text in base64, in either of its alphabets."""


def said_in_base64(code: str) -> str:
    """What a text in base64 says; empty if it says nothing that can be read."""
    plain = code.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return said_in_bytes(b64decode(plain + "=" * (-len(plain) % 4)))
    except Error:
        return ""


def said_in_bytes(data: bytes) -> str:
    """The same of bytes."""
    try:
        said = data.decode()
    except UnicodeDecodeError:
        return ""
    return said if said.isprintable() or "\n" in said else ""
