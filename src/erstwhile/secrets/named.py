"""Secrets of any kind, told by what stands before them: an address, a header, a command, a name.

A name is followed by a link ("=", "is", "是") and a value. The words for both are in
`secret_words`; what may be a value is decided by `secret_values`.
"""

from __future__ import annotations

from collections.abc import Callable

from erstwhile.secrets import values, words
from erstwhile.secrets.rules import Rule

_PASSWORD = rf"(?i:{words.LATIN}|{words.OTHERS})"
_KEY = rf"(?<!:)(?i:{words.KEYS})"
_IN_PROGRAMS = rf"(?:{_KEY}|(?i:password|passwd|passphrase|passcode|pwd))"
_IN_PROGRAMS_HINTS = ("pass", "pwd", *words.KEY_HINTS)
_PART = (
    r"s?\d{0,3}(?:(?:[_-][A-Za-z0-9_-]{1,30}+|[A-Z][A-Za-z0-9_]{0,30}+)"
    rf"{''.join(f'(?<!(?i:{each}))' for each in words.ATTRIBUTES)})?+"
)
"""`PASSWORD_2` and `tokenProd` name secrets; `secret_name`, `tokenizer` and `secretary` do not."""

_ASSIGNED = r"(?:[\\\"']{1,3}\]?)?\s{0,3}(?:=>|:=|->|→|[:=：＝]|%3[AaDd])[*_]{0,2}\s{0,3}"
_WHOSE = (
    rf"(?:\s(?:{words.OWNERS})(?:\s[^\s:：=,.;!?()\[\]<>\"/|]{{1,30}}){{1,6}}?"
    rf"|\s(?i:{words.NETWORKS})|\s?[(（][^()（）\n]{{1,30}}[)）])?"
)
_IS = rf"(?:\s{{1,3}}(?:{words.COPULAS})|['’]s)(?:\s(?:{words.NOW}))?\s?[:：]?[*_]{{0,2}}\s{{1,3}}"
_IS_IN_ASIA = rf"\s?(?:{words.COPULAS_OF_ASIA})\s?[:：]?\s{{0,2}}"
_LINK = rf"(?:{_ASSIGNED}|{_WHOSE}(?:{_IS}|{_ASSIGNED})|{_IS_IN_ASIA})"

_ENDS_CODE = r"\s\"'\\,;&|<>){}\]`：，。；"
_CODE = (
    rf"(?P<secret>[^{_ENDS_CODE}(\[]{{5,511}}[^{_ENDS_CODE}(\[.!?])"
    rf"(?=[.!?]{{0,3}}(?:[{_ENDS_CODE}]|$))"
)
"""In a program, what is called or looked up is no value."""
_ENDS_PROSE = (
    r"\s\"'`<>“”‘’«»„\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff01\uff08\uff09\uff0c\uff1a\uff1b"
    r"\uff1f"
)
_PROSE = rf"(?P<secret>[^{_ENDS_PROSE}]{{3,255}}[^{_ENDS_PROSE}.,;:!?)\]}}…*])"
"""In prose a sentence may end after it, and Chinese goes on at once."""
_NO_UNIT = rf"(?!\w)(?!\s?(?i:{words.UNITS}))"
_QUOTED = r"(?P<q>\\{0,3}[\"'`])(?P<secret>(?:(?!(?P=q))[^\n]){3,200}+)(?P=q)"
_QUOTED_WORD = _QUOTED.replace(r"[^\n]", r"\S")
_CURLED = r"[“„«「『‘]\s?(?P<secret>[^”“»」』’\n]{3,200}?)\s?[”“»」』’]"
_NUMBER = r"[\"'`“]?(?P<secret>\d{4,12}+[#*]?|\d{1,4}(?:-\d{1,4}){2,3})"


def _password(likely: Callable[[str], bool], pattern: str, *hints: str) -> Rule:
    hints = hints or (*words.LATIN_HINTS, *words.OTHER_HINTS)
    return Rule("password", hints, pattern, likely, spaced=True)


def _assigned(pattern: str, *hints: str) -> Rule:
    return Rule("assigned-secret", hints, pattern, values.looks_random, spaced=True)


_ADDRESSES = (
    Rule(
        "basic-auth",
        ("://",),
        r"(?<=://)(?P<secret>[^\s/?#:@\"'\[]{0,100}:[^\s/?#\"']{1,200})@",
        values.is_login,
        spaced=True,
    ),
    Rule(
        "basic-auth",
        ("%3a%2f%2f",),
        r"(?i)%3a%2f%2f(?P<secret>(?:(?!%3a|%40|%2f)[\w.%~-]){0,100}"
        r"%3a(?:(?!%40|%2f)[\w.%~-]){1,200})%40",
    ),
)
_HEADERS = (
    Rule(
        "authorization",
        ("bearer", "basic", "token"),
        r"(?i:\b(?:bearer|basic|authorization[ :\\\"']{1,4}token)[ :\\\"']{1,4})"
        r"(?P<secret>[\w.~+/=-]{12,4096}+)",
        values.looks_random,
        spaced=True,
    ),
    Rule(
        "authorization",
        ("basic",),
        r"(?i:\bbasic) {1,3}(?P<secret>[A-Za-z0-9+/]{8,4096}+={0,2})",
        values.is_credentials,
        spaced=True,
    ),
    Rule(
        "cookie",
        ("cookie",),
        r"(?i:\bcookie)[\\\"']{0,3}: {0,3}[\\\"']{0,3}(?P<secret>[\w.-]{1,60}=[^\s;\"'\\]{6,4096}+"
        r"(?:; ?[\w.-]{1,60}(?:=[^\s;\"'\\]{0,4096}+)?)*+)",
        spaced=True,
    ),
)
_COMMANDS = (
    Rule(
        "basic-auth",
        ("-u", "--user"),
        r"(?<!\S)(?:-u ?|--user[ =])\s{0,2}[\"']?(?!(?:(\w{1,80}):\1|\d{1,9}:\d{1,9})(?!\S))"
        r"(?P<secret>[^\s:\"'/]{1,80}:[^\s\"'/]{1,200}+)",
        spaced=True,
    ),
    _password(
        values.is_mixed_password,
        r"\b(?:mysql\w{0,10}|mariadb)\b[^\n|;]{0,200}?\s-p(?P<secret>[^\s\"']{4,200}+)",
        "mysql", "mariadb",
    ),
    _password(
        values.is_mixed_password,
        r"\b(?:sshpass\s{1,3}-p|redis-cli\b[^\n|;]{0,200}?\s-a|docker login\b[^\n|;]{0,200}?\s-p)"
        r"\s{0,3}[\"']?(?P<secret>[^\s\"']{4,200}+)",
        "sshpass", "redis-cli", "docker login",
    ),
    _assigned(rf"(?<!-)--[\w-]{{0,30}}?{_IN_PROGRAMS}[\w-]{{0,20}} {{1,3}}[\"']?{_CODE}", "--"),
)  # fmt: skip
_QUOTATIONS = (
    # before all that follow: what is quoted is the value as a whole
    _assigned(rf"{_KEY}{_PART}{_ASSIGNED}{_QUOTED_WORD}", *words.KEY_HINTS),
    _assigned(rf"{_IN_PROGRAMS}[\"'],\s{{0,3}}{_QUOTED_WORD}", *_IN_PROGRAMS_HINTS),
    _password(values.is_quoted_password, rf"{_PASSWORD}{_PART}(?:{_LINK}|\s){_QUOTED}"),
    _password(values.is_quoted_password, rf"{_PASSWORD}(?:{_LINK}|\s){_CURLED}"),
    _password(
        values.is_quoted_password,
        rf"(?i:\buser\s{{1,3}}\S{{1,80}}\s{{1,3}}identified\s{{1,3}}by)\s{{1,3}}{_QUOTED}",
        "identified",
    ),
    _password(values.is_quoted_password, rf"<{_PASSWORD}>(?P<secret>[^<>\n]{{3,200}})</", "</"),
)
_ASSIGNMENTS = (
    _assigned(rf"{_IN_PROGRAMS}{_PART}{_ASSIGNED}[\\\"']{{0,3}}{_CODE}", *_IN_PROGRAMS_HINTS),
    _password(
        values.is_word,
        r"(?<![a-z])(?:[A-Z0-9]{1,20}_){0,4}(?:PASS(?:WORD|WD)?|PWD|SECRET|TOKEN|API_?KEY)="
        r"(?P<secret>[A-Za-z_-]{6,200}+)(?![\w(.\[])",
        *_IN_PROGRAMS_HINTS,
    ),
)
_SENTENCES = (
    _password(values.is_password, rf"{_PASSWORD}{_PART}{_LINK}{_PROSE}{_NO_UNIT}"),
    _password(
        values.is_number, rf"(?i:{words.NUMBERS}){_LINK}{_NUMBER}{_NO_UNIT}", *words.NUMBER_HINTS
    ),
    _password(values.is_mixed_password, rf"(?i:\bclave){_LINK}{_PROSE}{_NO_UNIT}", "clave"),
    _password(
        values.is_mixed_password,
        rf"(?i:hasło to|पासवर्ड|(?:{words.LOGINS})[^\n]{{0,60}}? password) {_PROSE}",
    ),
    _password(
        values.is_password,
        rf"(?i:\b(?:chang|set|reset|updat)\w{{0,4}}(?: \w{{1,20}}){{0,4}}? (?:{words.LATIN}))"
        rf"{_WHOSE} to {_PROSE}{_NO_UNIT}",
    ),
    _password(
        values.is_mixed_password,
        rf"(?<!\S)(?P<secret>[^{_ENDS_PROSE}]{{5,64}}+) "
        r"(?i:(?:is|was) (?:my|the|our|your|his|her|their)|as (?:my|the|our|a))"
        rf"(?: \w{{1,20}}){{0,3}}? (?i:{words.LATIN})"
        r"(?= (?:for|of|on|to|at|in|and|now)\b|[^\w\s-]|\s{0,9}$)",
    ),
    _password(
        values.is_word,
        rf"(?i:(?:{words.LOGINS})[:：] ?\S{{1,60}}\s{{1,4}}(?:{words.LATIN}|{words.OTHERS})[:：] ?)"
        r"(?P<secret>[a-z]{6,40}+)(?=\s{0,9}(?:$|[\n,;.，。]))",
    ),
    _password(
        values.is_word,
        rf"(?:{words.OTHERS})(?:{_ASSIGNED}|{_IS_IN_ASIA})(?P<secret>[A-Za-z]{{4,40}}+)"
        r"(?=\s{0,9}(?:$|[\n,;!。，；！、]))",
        *words.OTHER_HINTS,
    ),
    Rule("key", words.KEY_HINTS, rf"{_KEY}{_LINK}{_PROSE}", values.is_key, spaced=True),
    Rule(
        "seed-phrase",
        ("phrase", "mnemonic", "助记词"),
        r"(?i:(?:seed|recovery|backup|secret) phrase|mnemonic(?: phrase)?|助记词)"
        r"\s?(?:is|:|：|=|是)\s{0,3}[\"“]?"
        r"(?P<secret>[a-z]{3,8}(?:(?: [a-z]{3,8}){11,23}|(?:, ?[a-z]{3,8}){11,23}))\b",
        spaced=True,
    ),
)
NAMED = (*_ADDRESSES, *_HEADERS, *_COMMANDS, *_QUOTATIONS, *_ASSIGNMENTS, *_SENTENCES)
"""In the order in which they are tried."""
