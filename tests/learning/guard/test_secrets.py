"""Secrets in candidates."""

from __future__ import annotations

import pytest

from erstwhile.facts.fact import Relation
from erstwhile.learning.guard.checks import examine, kept
from tests.learning.guard.turns import judged, rules
from tests.secrets.test_masking import LETTERS, PLANTED


@pytest.mark.parametrize("name", PLANTED)
def test_a_secret_of_each_kind_is_masked(name: str) -> None:
    text = f"first {PLANTED[name]} then {PLANTED[name]} end"
    found = examine(text)
    assert "secrets/masked" in rules(found)
    assert kept(text, found).count(f"[masked:{name}]") == 2
    assert not [rule for rule in rules(examine(kept(text, found))) if rule.startswith("secrets/")]


def test_a_candidate_is_masked_in_all_its_parts() -> None:
    """Its key, its entities and its relations are stored, too."""
    key = PLANTED["anthropic-key"]
    candidate = judged(
        f"The key of Ana is {key}",
        key=f"k {key}",
        entities=(key, "Ana"),
        relations=(Relation("Ana", "has", key),),
        instead_of=(key,),
    )
    assert LETTERS not in repr(candidate)
    assert candidate.entities == ("[masked:anthropic-key]", "Ana")


def test_a_secret_with_unseen_characters_in_it_is_found() -> None:
    hidden = PLANTED["aws-access-key"].replace("FOD", "F\u200bO\u2060D")
    assert kept(hidden, examine(hidden)) == "[masked:aws-access-key]"
