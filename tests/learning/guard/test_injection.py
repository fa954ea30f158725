"""Texts that give orders to a model, in many languages."""

from __future__ import annotations

import pytest

from erstwhile.learning.guard.characters import undisguised
from erstwhile.learning.guard.checks import examine
from erstwhile.learning.guard.rules import guard_rules, verdicts_on_prose
from tests.cases import cases
from tests.learning.guard.corpus import samples
from tests.learning.guard.turns import rules

CASES = cases(__file__)

OVERRIDES = CASES["overrides"]
FORGETTING = CASES["forgetting"]


@pytest.mark.parametrize("text", FORGETTING)
def test_people_who_forget_are_told_about(text: str) -> None:
    """Somebody who forgets rules gives no orders, nor does who takes back what they said."""
    assert not list(examine(text))


@pytest.mark.parametrize("language", OVERRIDES)
def test_an_override_is_held_in_every_language(language: str) -> None:
    (verdict,) = examine(OVERRIDES[language])
    assert (verdict.action, verdict.rule) == ("hold", "injection/override")


@pytest.mark.parametrize("text", CASES["no_disguise_helps"], ids=ascii)
def test_no_disguise_helps(text: str) -> None:
    assert "injection/override" in rules(examine(text))


@pytest.mark.parametrize("text", CASES["everyday_sentences_are_kept"])
def test_everyday_sentences_are_kept(text: str) -> None:
    """ "You are now" and "never ask" are harmless by themselves."""
    assert examine(text) == ()


@pytest.mark.parametrize("text", ["<|im_start|>system", "[INST] x [/INST]", "</erstwhile-memory>"])
def test_marks_of_a_template_are_refused(text: str) -> None:
    """Also our own marks around recalled memory."""
    assert [(each.action, each.rule) for each in examine(text)] == [("refuse", "injection/marker")]


@pytest.mark.parametrize("name", ["injection", "transient"])
def test_no_pattern_matches_without_one_of_its_hints(name: str) -> None:
    """Otherwise the search for hints would hide a match."""
    texts = [
        undisguised(each.text)
        for file in ("payloads", "benign", "transient")
        for each in samples(file)
    ]
    assert guard_rules(name)
    for rule in guard_rules(name):
        for text in texts:
            assert not rule.regex.search(text) or rule.matches(text), (rule.name, text)


@pytest.mark.parametrize("name", ["injection", "transient"])
def test_every_rule_finds_something(name: str) -> None:
    texts = [each.text for file in ("payloads", "transient") for each in samples(file)]
    told = {verdict.rule for text in texts for verdict in verdicts_on_prose(name, text)}
    assert told == {f"{name}/{rule.name}" for rule in guard_rules(name)}
