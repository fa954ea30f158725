"""Personal data under each policy."""

from __future__ import annotations

import pytest

from erstwhile.core.policies import Personal, Policy
from erstwhile.learning.guard.checks import examine, kept
from tests.cases import cases
from tests.learning.guard.turns import rules

CASES = cases(__file__)

MASK = Policy(pii=Personal.MASK)
FOUND = CASES["found"]
HARMLESS = CASES["harmless"]


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
