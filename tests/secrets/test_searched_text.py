"""A rule that is tried near its hints finds what it finds when it is tried everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from erstwhile.rule_files import read_rules
from erstwhile.secrets.masking import mask_text
from erstwhile.secrets.scan import hint_search, secret_rules
from erstwhile.secrets.searched_text import SearchedText, SecretRule
from erstwhile.secrets.values import NAMED
from tests.secrets.test_masking import DISGUISED, ORDINARY, PLANTED

RULES = [rule for rule in secret_rules() if not rule.near]
HINTS = sorted({hint for rule in secret_rules() for hint in rule.hints})
BETWEEN = (
    "", " ", "  ", "\n", ": ", "=", " is ", "'s ", '"', ", ", ".", "-", "_", "，", "は", "\u200b",
)  # fmt: skip
SAID = (
    "İstanbul", "Straße", "naïve", "ſ", "K", "x" * 70, "the door", "changed my old", "user: bob",
    "e-mail", "set the", "to", "for the office", "0000", "Kuchen77", "mots de", "a1b2c3d4e5f6g7h8",
    "AWS_PROD_DB_MAIN", "<", "</", "`hunter2x`", "«fraise douce»", "数据库", "\ud800", "é" * 20,
)  # fmt: skip
_WORD = " " + "w" * 20
FARTHEST = (
    f"-----BEGIN {'A' * 40}PRIVATE KEY-----\n{'a1B2' * 8}\n",
    f"authorization: : token a1B2{'c3D4' * 4}",
    f"user   {'x' * 80}   identified by 'letmein'",
    f"{('A' * 20 + '_') * 4}API_KEY=letmein",
    f"user name.{'x' * 59} password hunter2x",
    f"updatxxxx{_WORD * 4} palavra-passe to hunter2x",
    f"{'a1' * 32} was their{_WORD * 3} palavra-passe.",
    f"user name: {'x' * 60}    mots de passe: letmein",
    "<palavra-passe>letmein</",
    "db.pass=hunter2x",
    f"--{'x' * 30}secret a1B2c3D4e5F6",
    "encryption_key = 'a1B2c3D4e5F6g7H8'",
    "mots de passe : hunter2x",
    "securitys combination: 1234",
    "recovery phrase: " + "velvet otter piano " * 4,
)
TEXTS = st.lists(
    st.tuples(
        st.sampled_from(
            [*HINTS, *map(str.upper, HINTS), *PLANTED.values(), *SAID, *ORDINARY]
            + [text for text, _ in DISGUISED.values()]
        ),
        st.sampled_from(BETWEEN),
    ),
    max_size=12,
).map(lambda pairs: "".join(said + between for said, between in pairs))


@given(TEXTS)
@settings(max_examples=100)
def test_each_rule_finds_what_it_finds_everywhere(text: str) -> None:
    for rule in RULES:
        _same_matches(rule, text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_each_rule_finds_whatever_its_pattern_can_match(rule: SecretRule) -> None:
    """The matches are made from the pattern: a hint that is too far away is noticed."""

    @given(st.lists(_matching(rule), min_size=1, max_size=2), st.sampled_from(BETWEEN))
    @settings(max_examples=12, suppress_health_check=[HealthCheck.filter_too_much])
    def found(texts: list[str], between: str) -> None:
        _same_matches(rule, f"one day {between}{between.join(texts)}{between} and more")

    found()


@pytest.mark.parametrize("text", FARTHEST)
def test_a_hint_may_stand_as_far_from_the_beginning_as_it_can(text: str) -> None:
    assert _found(text), "no rule matches"
    for rule in RULES:
        _same_matches(rule, text)


@given(TEXTS)
@settings(max_examples=50)
def test_what_surrounds_a_text_masks_no_less_of_it(text: str) -> None:
    """A long text is no shelter: no border between what is read and what is not."""
    far = "Nothing of this is worth hiding. " * 40
    assert f"\n\n{mask_text(text)}\n\n" in mask_text(f"{far}\n\n{text}\n\n{far}")


SENTENCES = (
    "{} is what the door of the password safe says. Nothing else.",
    "First this. For the staging box {} will do, in the end, as our common password for it",
    "mot de passe, comme toujours avec nous deux et la petite, {}.\nNext line",
    "Dana: what was the passcode?\nIlse: {} is what I have",
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_strong_password_is_found_anywhere_in_a_sentence_about_passwords(sentence: str) -> None:
    assert mask_text(sentence.format("Br1ght!Pier")) == sentence.format("[masked:password]")


@pytest.mark.parametrize("between", [". No. ", "! Yes.\n", "\nHm.\n", " and so on" * 12 + " "])
def test_a_sentence_further_on_is_not_about_passwords(between: str) -> None:
    text = f"The password is lost{between}Ask at desk Br1ght!Pier"
    assert mask_text(text) == text


def test_letters_keep_their_places_in_lower_case() -> None:
    every = "".join(map(chr, range(0x110000)))
    assert len(SearchedText(every, hint_search()).folded) == len(every)


def _found(text: str) -> list[str]:
    return [found[0] for rule in RULES for found in rule.regex.finditer(text)]


def _same_matches(rule: SecretRule, text: str) -> None:
    found = _secrets(rule, SearchedText(text, hint_search()).matches(rule))
    everywhere = _secrets(rule, rule.regex.finditer(text))
    if rule.prefilter:  # a match that is ruled out does not hide a secret that begins inside of it
        assert set(everywhere) <= set(found), rule.pattern
    else:
        assert found == everywhere, rule.pattern


def _secrets(rule: SecretRule, matches: Iterable[re.Match[str]]) -> list[tuple[int, int]]:
    return [found.span() for found in matches if rule.accepts(found)]


def _matching(rule: SecretRule) -> st.SearchStrategy[str]:
    # The test of initials says nothing new, and hypothesis cannot look ahead.
    initials = f"(?={read_rules(NAMED).parts['password_initials']})"
    return st.from_regex(re.compile(rule.pattern.replace(initials, ""), rule.flags))
