"""Beacons: what would call out, or run, as soon as something shows or obeys the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from erstwhile.core.policy import Policy
from erstwhile.learning.guard import patterns
from erstwhile.learning.verdict import Action, Verdict
from erstwhile.secrets.encoded import BASE64, said_in_base64, said_in_bytes
from erstwhile.secrets.masking import mask_text


class _Beacon(NamedTuple):
    rule: str
    reason: str
    pattern: re.Pattern[str]


_URL = r"(?:https?:)?//[^\s)>\"'\]]{1,2000}+"
_TOLD = (
    r"(?:conversation|history|secret|password|passwd|token|credential|chat|messages?|prompt|context"
    r"|memory|memories|summary|private|session|cookie|e-?mail|api_?key|data|answer|reply|content"
    r"|user_?(?:data|info|name|input|message|query)|info|payload|exfil|transcript|output)"
)
_OPENED = r"(?:\{\{?|\$\{|<|\[|%7[Bb](?:%7[Bb])?|\$\(?|:)"
_LOADING = (
    r"(?:img|iframe|script|link|object|embed|video|audio|source|base|form|meta|svg|input|body"
    r"|style)"
)
_FROM = r"(?:src|href|data|action|srcset|poster|background|content)\s{0,2}=\s{0,2}[\"']?\s{0,2}"
_INLINE = r"data:(?!image/(?:png|gif|jpe?g|webp))|javascript:|java&|\d;"
_SHELL = r"(?:sudo\s{1,3}(?:-\w\s{1,2})?)?(?:(?:/usr)?/bin/)?(?:ba|z|da|fi|k)?sh\b"
_BEACONS = (
    _Beacon(
        "image",
        "showing it would load an image from another place",
        re.compile(
            rf"!\[[^\]\n]{{0,300}}\]\(\s{{0,3}}<?{_URL}"
            r"|!\[[^\]\n]{0,300}\]\[[^\]\n]{0,100}\]"
        ),
    ),
    _Beacon(
        "html",
        "it has HTML in it that loads something or runs",
        re.compile(
            rf"(?i)<{_LOADING}\b[^>]{{0,500}}{_FROM}(?:{_URL}|{_INLINE})"
            r"|<script\b[^>]{0,200}>|<iframe\b"
            r"|<[a-z]{1,12}\b[^>]{0,300}\son(?:error|load|click|mouseover|focus)\s{0,2}=\s{0,2}[^\s{]"
            r"|\burl\(\s{0,3}[\"']?https?://|@import\s{1,3}(?:url\()?[\"']?https?://"
        ),
    ),
    _Beacon(
        "template",
        "it has an address in it that waits to be filled with data",
        re.compile(
            r"(?i)(?:https?:)?//[^\s\"'<>{\[$]{1,300}[?&/=#]\w{0,30}=?"
            rf"{_OPENED}[\w\s.-]{{0,30}}?{_TOLD}"
            rf"|https?://\S{{1,200}}?[?&]\w{{1,30}}=(?:\+\s{{0,2}}|\"\s{{0,2}}\+){_TOLD}"
        ),
    ),
    _Beacon(
        "carrier",
        "it has an address in it that carries a long text away",
        re.compile(
            r"https?://[^\s?#\"'<>]{1,300}[?#&][^\s\"'<>=]{0,60}=(?:[A-Za-z0-9+/_-]{100,}+"
            r"|(?:[\w.-]{1,20}(?:%20|\+|%2[0-9A-F]|_|-)){9,}+)"
            r"|https?://[^\s\"'<>]{1,60}?/(?:[\w.-]{1,20}%20){9,}+"
            r"|https?://(?:[a-z0-9-]{30,63}\.){1,3}[a-z0-9.-]{3,60}"
        ),
    ),
    _Beacon(
        "data-uri",
        "it has a document or a program in an address",
        re.compile(
            r"(?i)\bdata:(?:text/html|text/javascript|image/svg\+xml|application/[\w.+-]{1,40}"
            r"|text/plain)(?:;[\w=-]{1,30}){0,3},"
            r"|\]\(\s{0,3}(?:javascript|vbscript):|\bhref\s?=\s?[\"']?javascript:"
        ),
    ),
    _Beacon(
        "pipe-to-shell",
        "it runs what it loads",
        re.compile(
            rf"(?i)\b(?:curl|wget|fetch|iwr|invoke-webrequest|irm)\b[^\n|]{{0,300}}\|\s{{0,3}}{_SHELL}"
            r"|\b(?:curl|wget)\b[^\n|]{0,300}\|\s{0,3}(?:sudo\s{1,3})?(?:python\d?|perl|node|ruby|php)\b"
            r"|\b(?:curl|wget)\b[^\n|]{0,300}?&&\s{0,3}(?:sudo\s{1,3})?(?:chmod\s{1,3}\+x|sh|bash)\b"
            r"|\bbase64\s{1,3}(?:-d|--decode)\b[^\n|]{0,60}\|\s{0,3}(?:ba|z|da)?sh\b"
            r"|\b(?:ba|z|da)?sh\s{1,3}(?:-c\s{1,3})?[\"']?(?:<\(|\$\(|`)\s{0,3}(?:curl|wget)\b"
            r"|\b(?:iex|invoke-expression)\b[^\n]{0,60}(?:iwr|irm|downloadstring|http)"
            r"|\bpowershell(?:\.exe)?\b[^\n]{0,60}\s-e(?:nc|c|ncodedcommand)?\s{1,3}[A-Za-z0-9+/=]{20,}"
            r"|\|\s{0,3}base64\s{1,3}(?:-d|--decode|-D)\s{0,3}\|\s{0,3}(?:ba|z|da)?sh\b"
        ),
    ),
)
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9A-Fa-f]{2}){20,}+(?![0-9A-Za-z])")
_PERCENT = re.compile(r"[^\s%/?&=]{0,20}(?:%[0-9A-Fa-f]{2}[^%\s/?&=]{0,20}+){6,}+")
_SENTENCE = 6
_BLOB = 200
"""A coded text that is longer can hold a letter, and is read by nobody."""


def check(text: str, _policy: Policy) -> Iterator[Verdict]:
    for beacon in _BEACONS:
        if beacon.pattern.search(text):
            rule = f"beacons/{beacon.rule}"
            yield Verdict(action=Action.HOLD, text=text, reason=beacon.reason, rule=rule)
    yield from _coded(text)


def _coded(text: str) -> Iterator[Verdict]:
    """Texts in code: refused if they say what no text may, held if they say or may say a lot."""
    read = [*filter(None, _read(text))]
    spelt = (unquote(found[0]) for found in _PERCENT.finditer(text))  # as addresses spell spaces
    if any(next(patterns.verdicts("injection", each), None) for each in (*read, *spelt)):
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
