"""Personal data: found by its form and, where it has one, its checksum. What follows is a choice.

Forms that need no word around them only: a name or an address in prose is not found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import NamedTuple

from erstwhile.core.policy import Personal, Policy
from erstwhile.learning.verdict import Action, Verdict


class _Form(NamedTuple):
    name: str
    pattern: re.Pattern[str]
    holds: Callable[[str], bool] = lambda _: True


def check(text: str, policy: Policy) -> Iterator[Verdict]:
    if policy.pii is Personal.KEEP:
        return
    for form in _FORMS:
        masked = _masked(form, text)
        if masked == text:
            continue
        rule, reason = f"pii/{form.name}", f"it has personal data in it: {form.name}"
        if policy.pii is Personal.MASK:
            text = masked
        yield Verdict(action=_ACTIONS[policy.pii], text=text, reason=reason, rule=rule)


def _masked(form: _Form, text: str) -> str:
    return form.pattern.sub(
        lambda found: f"[masked:{form.name}]" if form.holds(found[0]) else found[0], text
    )


def _digits(text: str) -> list[int]:
    return [int(each) for each in text if each.isdigit()]


def _is_card(text: str) -> bool:
    """By Luhn's checksum: each second digit from the right counts double."""
    digits = _digits(text)[::-1]
    doubled = [sum(divmod(2 * each, 10)) for each in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def _is_iban(text: str) -> bool:
    """By its checksum: the whole, as a number, leaves 1 when divided by 97."""
    plain = re.sub(r"[ -]", "", text).upper()
    number = "".join(str(int(each, 36)) for each in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and int(number) % 97 == 1


def _is_chinese_id(text: str) -> bool:
    """By its check digit (GB 11643)."""
    weighed = sum(int(digit) * 2 ** (17 - place) for place, digit in enumerate(text[:17]))
    return "10X98765432"[weighed % 11] == text[17].upper()


def _is_address(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _is_phone(text: str) -> bool:
    """Not what people count, date, version or address by: a number that can be called."""
    count = len(_digits(text))
    called = text.startswith(("+", "(", "00", "0")) or re.fullmatch(r"1[3-9]\d{9}", text)
    grouped = re.fullmatch(r"\d{3}[-. ]\d{3}[-. ]\d{4}", text)
    return 8 <= count <= 15 and bool(called or grouped)


_ACTIONS = {
    Personal.MASK: Action.REDACT,
    Personal.HOLD: Action.HOLD,
    Personal.REFUSE: Action.REFUSE,
}
_APART = r"(?<![\w.:/=#-])"
_FORMS = (
    _Form("email", re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")),
    _Form(
        "iban",
        re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?\b"),
        _is_iban,
    ),
    _Form("id-number", re.compile(r"(?<!\d)[1-9]\d{5}(?:19|20)\d{9}[\dXx](?!\d)"), _is_chinese_id),
    _Form("card", re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]\d)(?!\d)"), _is_card),
    _Form("ip", re.compile(_APART + r"\d{1,3}(?:\.\d{1,3}){3}(?![\w.-]\w)(?!\w)"), _is_address),
    _Form(
        "ip",
        re.compile(r"(?<![\w:.])[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])"),
        _is_address,
    ),
    _Form(
        "phone",
        re.compile(_APART + r"(?:\+|\()?\d(?:[ ().-]{0,2}\d){6,14}(?![\w:/-]*\d)(?!\w)"),
        _is_phone,
    ),
)  # fmt: skip
