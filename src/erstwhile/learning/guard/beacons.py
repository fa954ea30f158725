"""Beacons: what would call out, or run, as soon as something shows or obeys the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from erstwhile.core.policy import Policy
from erstwhile.learning.guard.rules import verdicts, verdicts_on_prose
from erstwhile.learning.verdict import Action, Verdict
from erstwhile.secrets.encoded import BASE64, said_in_base64, said_in_bytes
from erstwhile.secrets.masking import mask_text

_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9A-Fa-f]{2}){20,}+(?![0-9A-Za-z])")
_PERCENT = re.compile(r"[^\s%/?&=]{0,20}(?:%[0-9A-Fa-f]{2}[^%\s/?&=]{0,20}+){6,}+")
_SENTENCE = 6
_BLOB = 200
"""A coded text that is longer can hold a letter, and is read by nobody."""


def check(text: str, _policy: Policy) -> Iterator[Verdict]:
    yield from verdicts("beacons", text, text)
    yield from _coded(text)


def _coded(text: str) -> Iterator[Verdict]:
    """Texts in code: refused if they say what no text may, held if they say or may say a lot."""
    read = [*filter(None, _read(text))]
    spelt = (unquote(found[0]) for found in _PERCENT.finditer(text))  # as addresses spell spaces
    if any(next(verdicts_on_prose("injection", each), None) for each in (*read, *spelt)):
        reason = "instructions for a model are hidden in it, in code"
        yield Verdict(action=Action.REFUSE, text=text, reason=reason, rule="beacons/coded")
    elif any(len(each.split()) >= _SENTENCE or mask_text(each) != each for each in read):
        reason = "it has a sentence or a secret in it, in code"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="beacons/coded")
    elif any(len(found[0]) >= _BLOB and _is_blob(found[0]) for found in BASE64.finditer(text)):
        reason = "it has a long text in code in it, which nobody can read"
        yield Verdict(action=Action.HOLD, text=text, reason=reason, rule="beacons/blob")


def _read(text: str) -> Iterator[str]:
    """What each part of the text says that is in code; empty if it says nothing."""
    for found in BASE64.finditer(text):
        yield said_in_base64(found[0])
    for found in _HEX.finditer(text):
        yield said_in_bytes(bytes.fromhex(found[0].removeprefix("0x")))


def _is_blob(code: str) -> bool:
    """Small and capital letters and digits, and many of them: neither a hash nor a path."""
    pieces = re.split(r"[/_-]", code)
    mixed = any(each.islower() for each in code) and any(each.isupper() for each in code)
    return (
        mixed and any(each.isdigit() for each in code) and len(max(pieces, key=len)) >= _BLOB // 8
    )
