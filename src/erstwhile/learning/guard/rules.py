"""Rules of the guard from files such as `injection.toml`; checks of links and personal data.

Each rule has an action and a reason. Links and encoded texts may load or run something when a
program shows or obeys them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote

from erstwhile.core.policies import Personal, Policy
from erstwhile.learning.candidate import GuardAction, Verdict
from erstwhile.learning.guard.characters import undisguised, without_accents
from erstwhile.rule_files import TextRule, read_rules
from erstwhile.secrets.masking import mask_text
from erstwhile.secrets.searched_text import BASE64
from erstwhile.secrets.values import decode_base64, decode_bytes

_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9A-Fa-f]{2}){20,}+(?![0-9A-Za-z])")
_PERCENT = re.compile(r"[^\s%/?&=]{0,20}(?:%[0-9A-Fa-f]{2}[^%\s/?&=]{0,20}+){6,}+")
_SENTENCE = 6
_BLOB = 200
"""The length of an encoded text that may contain a whole message."""
_PERSONAL_ACTIONS = {
    Personal.MASK: GuardAction.REDACT,
    Personal.HOLD: GuardAction.HOLD,
    Personal.REFUSE: GuardAction.REFUSE,
}


@dataclass(frozen=True, kw_only=True)
class GuardRule(TextRule):
    """A pattern for one kind of text, perhaps in one language. Several rules may share a name."""

    action: GuardAction
    reason: str

    def matches(self, text: str) -> bool:
        """Return whether the rule matches; without one of its hints it cannot."""
        return (not self.hints or any(hint in text for hint in self.hints)) and bool(
            self.regex.search(text)
        )


def verdicts(file: str, text: str, searched: str) -> Iterator[Verdict]:
    """Yield one verdict for each rule name of the file that matches the searched form of a text."""
    found = set[str]()
    for rule in guard_rules(file):
        if rule.name not in found and rule.matches(searched):
            found.add(rule.name)
            name = f"{file}/{rule.name}"
            yield Verdict(rule.action, text, rule.reason, name)


def verdicts_on_prose(file: str, text: str, _policy: Policy | None = None) -> Iterator[Verdict]:
    """Yield the verdicts on a text without case, accents and disguises."""
    return verdicts(file, text, undisguised(text))


@cache
def guard_rules(file: str) -> tuple[GuardRule, ...]:
    """Return the rules of a file without accents, like the texts that they search."""
    return read_rules(Path(__file__).with_name(f"{file}.toml")).rules_as(
        GuardRule,
        action=GuardAction,
        hints=lambda hints: tuple(map(undisguised, hints)),
        pattern=without_accents,
    )


def check_links(text: str, _policy: Policy) -> Iterator[Verdict]:
    """Find links and encoded texts that may load or run something.

    Encoded orders to a model are refused; encoded sentences, secrets and long parts are held.
    """
    yield from verdicts("links", text, text)
    hexes = (found[0].removeprefix("0x") for found in _HEX.finditer(text))
    decoded = [decode_base64(found[0]) for found in BASE64.finditer(text)]
    decoded += [decode_bytes(bytes.fromhex(each)) for each in hexes]
    read = [each for each in decoded if each]
    spelt = (unquote(found[0]) for found in _PERCENT.finditer(text))  # spaces in an address
    if any(next(verdicts_on_prose("injection", each), None) for each in (*read, *spelt)):
        reason = "it has instructions for a model in encoded text"
        yield Verdict(GuardAction.REFUSE, text, reason, "links/coded")
    elif any(len(each.split()) >= _SENTENCE or mask_text(each) != each for each in read):
        reason = "it has a sentence or a secret in encoded text"
        yield Verdict(GuardAction.HOLD, text, reason, "links/coded")
    elif any(len(found[0]) >= _BLOB and _is_blob(found[0]) for found in BASE64.finditer(text)):
        reason = "it has a long encoded text that cannot be decoded"
        yield Verdict(GuardAction.HOLD, text, reason, "links/blob")


def _is_blob(code: str) -> bool:
    """Return whether a text is a long blob of mixed letters and digits, not a hash or a path."""
    pieces = re.split(r"[/_-]", code)
    mixed = any(each.islower() for each in code) and any(each.isupper() for each in code)
    return (
        mixed and any(each.isdigit() for each in code) and len(max(pieces, key=len)) >= _BLOB // 8
    )


def check_personal_data(text: str, policy: Policy) -> Iterator[Verdict]:
    """Find personal data by its form and its checksum: no names and no postal addresses."""
    if policy.pii is Personal.KEEP:
        return
    for rule in personal_rules():
        masked = rule.regex.sub(partial(_mask_match, rule), text)
        if masked == text:
            continue
        if policy.pii is Personal.MASK:
            text = masked
        reason = f"it has personal data in it: {rule.name}"
        yield Verdict(_PERSONAL_ACTIONS[policy.pii], text, reason, f"pii/{rule.name}")


@cache
def personal_rules() -> tuple[TextRule, ...]:
    """Return the rules of `pii.toml`; their checks are functions of this module."""
    file = read_rules(Path(__file__).with_name("pii.toml"))
    return file.rules_as(TextRule, check=globals().__getitem__)


def _mask_match(rule: TextRule, found: re.Match[str]) -> str:
    return f"[masked:{rule.name}]" if rule.check(found[0]) else found[0]


def _digits(text: str) -> list[int]:
    return [int(each) for each in text if each.isdigit()]


def is_card(text: str) -> bool:
    """Return whether Luhn's checksum fits: each second digit from the right counts double."""
    digits = _digits(text)[::-1]
    doubled = [sum(divmod(2 * each, 10)) for each in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def is_iban(text: str) -> bool:
    """Return whether the checksum fits: the number modulo 97 is 1."""
    plain = re.sub(r"[ -]", "", text).upper()
    number = "".join(str(int(each, 36)) for each in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and int(number) % 97 == 1


def is_chinese_id(text: str) -> bool:
    """Return whether the check digit of a Chinese identity number fits (GB 11643)."""
    weighed = sum(int(digit) * 2 ** (17 - place) for place, digit in enumerate(text[:17]))
    return "10X98765432"[weighed % 11] == text[17].upper()


def is_address(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def is_phone(text: str) -> bool:
    """Return whether a number can be called, and is not a count, date, version or address."""
    count = len(_digits(text))
    called = text.startswith(("+", "(", "00", "0")) or re.fullmatch(r"1[3-9]\d{9}", text)
    grouped = re.fullmatch(r"\d{3}[-. ]\d{3}[-. ]\d{4}", text)
    return 8 <= count <= 15 and bool(called or grouped)
