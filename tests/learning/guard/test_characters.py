"""Invisible characters: normal writing stays, hidden messages do not."""

from __future__ import annotations

import pytest

from erstwhile.learning.guard.checks import examine, kept
from tests.cases import cases
from tests.learning.guard.corpus import samples
from tests.learning.guard.turns import rules

CASES = cases(__file__)


def tagged(text: str) -> str:
    return "".join(chr(0xE0000 + ord(each)) for each in text)


@pytest.mark.parametrize(
    "text",
    [each.text for each in samples("benign") if not each.text.isascii() and each.family != "about"],
    ids=ascii,
)
def test_no_script_is_harmed(text: str) -> None:
    """Persian, Hindi, emoji families, flags and mixed directions keep every character."""
    assert kept(text, examine(text)) == text
    assert not [rule for rule in rules(examine(text)) if rule.startswith("characters/")]


@pytest.mark.parametrize("text", CASES["rare_but_right_uses_stay"], ids=ascii)
def test_rare_but_right_uses_stay(text: str) -> None:
    assert examine(text) == ()


@pytest.mark.parametrize(("text", "rule"), CASES["a_hidden_text_is_refused"], ids=ascii)
def test_a_hidden_text_is_refused(text: str, rule: str) -> None:
    found = examine(text)
    assert (found[0].action, found[0].rule) == ("refuse", rule)


@pytest.mark.parametrize(("text", "clean"), CASES["strays_are_removed"], ids=ascii)
def test_strays_are_removed(text: str, clean: str) -> None:
    found = examine(text)
    assert rules(found) == ["characters/unseen"]
    assert kept(text, found) == clean


def test_forced_order_is_held() -> None:
    assert rules(examine("pay \u202e00.01\u202c to bob")) == ["characters/override"]


@pytest.mark.parametrize(
    "text", ["log in at p\u0430ypal", "https://\u0440\u0430\u0443\u0440\u0430\u04cf.com"]
)
def test_letters_that_stand_in_for_others_are_held(text: str) -> None:
    assert "characters/look-alike" in rules(examine(text))


@pytest.mark.parametrize("text", ["Пользуюсь Photoshopом", "E = hν", "5 μs", "IT-отдел", "α-test"])
def test_mixed_scripts_of_honest_people_are_kept(text: str) -> None:
    assert examine(text) == ()
