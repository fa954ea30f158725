"""Personal data, found by its form and its checksum. The policy gives the action.

Only forms that are recognised without context are found: no names and no postal addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from ipaddress import ip_address
from pathlib import Path

from erstwhile.core.policy import Personal, Policy
from erstwhile.learning.candidate import Action, Verdict
from erstwhile.rule_files import TextRule, read_rules


def check(text: str, policy: Policy) -> Iterator[Verdict]:
    if policy.pii is Personal.KEEP:
        return
    for rule in personal_rules():
        masked = _masked(rule, text)
        if masked == text:
            continue
        name, reason = f"pii/{rule.name}", f"it has personal data in it: {rule.name}"
        if policy.pii is Personal.MASK:
            text = masked
        yield Verdict(action=_ACTIONS[policy.pii], text=text, reason=reason, rule=name)


@cache
def personal_rules() -> tuple[TextRule, ...]:
    """Return the rules of `pii.toml`; their checks are functions of this module."""
    file = read_rules(Path(__file__).with_name("pii.toml"))
    return file.rules_as(TextRule, check=globals().__getitem__)


def _masked(rule: TextRule, text: str) -> str:
    return rule.regex.sub(
        lambda found: f"[masked:{rule.name}]" if rule.check(found[0]) else found[0], text
    )


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


_ACTIONS = {
    Personal.MASK: Action.REDACT,
    Personal.HOLD: Action.HOLD,
    Personal.REFUSE: Action.REFUSE,
}
