"""Personal data under each policy."""

from __future__ import annotations

import pytest

from erstwhile.core.policy import Personal, Policy
from erstwhile.learning.guard import examine, kept
from tests.learning.guard.turns import rules

MASK = Policy(pii=Personal.MASK)
FOUND = {
    "write to ana.lima+x@mail.example.org soon": "email",
    "call +351 912 345 678 after six": "phone",
    "call (020) 7946 0958": "phone",
    "手机 13812345678": "phone",
    "ring 555-867-5309 at noon": "phone",
    "the card is 4111 1111 1111 1111": "card",
    "card 5500-0000-0000-0004 expires": "card",
    "pay to DE89 3704 0044 0532 0130 00 please": "iban",
    "IBAN GB29NWBK60161331926819": "iban",
    "from 203.0.113.9 last night": "ip",
    "from 2001:db8::8a2e:370:7334 last night": "ip",
    "身份证 11010519491231002X": "id-number",
}
HARMLESS = (
    "on 2026-11-16 at 14:30", "between 2019-2021", "version 10.15.7", "version 1.2.3.4567",
    "port 51820", "order 2024-000123456", "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "id 550e8400-e29b-41d4-a716-446655440000", "ISBN 978-3-16-148410-0", "8,804,190 people",
    "127.0.0.1 and ::1", "3.14159265358979", "12:30:45", "card 4111 1111 1111 1112",
    "SN-0042-7781-AX", "1,250 euros", "ratio 16:9", "a@b", "110105194912310021", "std::vector::at",
    "took 1234567890123 ns", "2026.11.16",
)  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), FOUND.items())
def test_it_is_masked_by_its_kind(text: str, kind: str) -> None:
    found = examine(text, MASK)
    assert rules(found) == [f"pii/{kind}"]
    assert f"[masked:{kind}]" in kept(text, found)
    assert examine(kept(text, found), MASK) == ()


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    """Dates, versions, ids, ports, and numbers with a wrong checksum."""
    assert examine(text, MASK) == ()


@pytest.mark.parametrize(
    ("policy", "actions"),
    [("keep", []), ("mask", ["redact"]), ("hold", ["hold"]), ("refuse", ["refuse"])],
)
def test_what_happens_is_a_choice(policy: str, actions: list[str]) -> None:
    text = "ana@mail.example lives here"
    found = examine(text, Policy(pii=Personal(policy)))
    assert [each.action for each in found] == actions
    assert ("ana@" in kept(text, found)) is (policy != "mask")
