"""Texts and metadata: what is stored, what is equal, and what is refused."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile import InvalidInputError, TooLargeError
from erstwhile.core import text as metadata
from erstwhile.core.text import (
    MAX_METADATA,
    checked_id,
    checked_label,
    checked_metadata,
    checked_reason,
    checked_text,
    encodable,
    fingerprint,
    folded,
    like_pattern,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(TEXTS)
def test_unicode_form_makes_no_difference(text: str) -> None:
    forms = {folded(unicodedata.normalize(form, text)) for form in ("NFC", "NFD")}
    assert forms == {folded(text)}


@given(st.lists(TEXTS.filter(lambda text: bool(folded(text))), min_size=1, max_size=4))
def test_spacing_makes_no_difference(words: list[str]) -> None:
    spaced = " \t\n\u3000 ".join(["", *words, ""])
    assert folded(spaced) == folded(" ".join(words))


@given(st.text(st.characters(max_codepoint=0x24F, exclude_categories=["Cs"])))
def test_case_makes_no_difference_in_latin_letters(text: str) -> None:
    """This includes letters whose upper case is longer."""
    text = text.replace("ı", "")  # the dotless i has the upper case of another letter
    assert folded(text.upper()) == folded(text.lower()) == folded(text)


@given(TEXTS)
def test_ascii_takes_no_other_path(text: str) -> None:
    plain = "".join(each for each in text if each.isascii())
    assert folded(plain) == folded(f"é {plain}").removeprefix("é").strip()


@given(TEXTS)
def test_folded_text_has_single_spaces_only(text: str) -> None:
    assert folded(text) == " ".join(folded(text).split())


def test_what_folds_alike_and_what_does_not() -> None:
    assert folded("STRAẞE") == folded("Straße") == "strasse"
    assert folded("ﬁnd") == folded("FIND")
    assert folded("ＡＢＣ　１２") == "abc 12"
    assert folded("ΣΊΣΥΦΟΣ") == folded("σίσυφος")
    assert folded("ｶﾞｷﾞ") == folded("ガギ")
    assert folded("resume") != folded("résumé")
    assert folded("ı") != folded("i")
    assert folded("数据库") != folded("数据")
    assert folded("1,000") != folded("1000")


@given(TEXTS, TEXTS)
def test_fingerprints_are_equal_for_verbatim_repeats_only(one: str, other: str) -> None:
    assert (fingerprint(one, None) == fingerprint(other, None)) is (folded(one) == folded(other))
    assert len(fingerprint(one, None)) == 16


def test_a_key_is_part_of_the_fingerprint() -> None:
    prints = [
        fingerprint("a b", None), fingerprint("b", "a"), fingerprint("a b", "a"),
        fingerprint("b", "a b"), fingerprint("ab", None), fingerprint("", "a b"),
    ]  # fmt: skip
    assert len(set(prints)) == len(prints)


@given(TEXTS)
def test_a_pattern_takes_every_character_literally(part: str) -> None:
    pattern = like_pattern(part)
    assert (pattern[0], pattern[-1]) == ("%", "%")
    inner = pattern[1:-1]
    assert re.sub(r"\\([\\%_])", r"\1", inner) == folded(part)
    assert not re.search(r"(?<!\\)(?:\\\\)*[%_]", inner)


@pytest.mark.parametrize(
    ("part", "pattern"),
    [("100%", r"%100\%%"), ("a_b", r"%a\_b%"), ("C:\\", r"%c:\\%"), (r"\%", r"%\\\%%")],
)
def test_patterns(part: str, pattern: str) -> None:
    assert like_pattern(part) == pattern


@pytest.mark.parametrize("bad", ["", " ", "\u3000\n", "a\0", "\ud800", "a\udfffb", 5, None, b"a"])
def test_text_that_cannot_be_stored(bad: object) -> None:
    with pytest.raises(InvalidInputError, match=r"^field "):
        checked_text(bad, name="field", limit=10)


def test_text_has_a_limit_in_characters() -> None:
    assert checked_text("名" * 10, name="field", limit=10) == "名" * 10
    with pytest.raises(TooLargeError, match="11 characters, 10"):
        checked_text("名" * 11, name="field", limit=10)


def test_text_is_returned_as_it_is() -> None:
    assert checked_text(" é\n", name="field", limit=10) == " é\n"
    assert checked_label(" a b ", name="field") == "a b"


@pytest.mark.parametrize("bad", ["a\nb", "a\tb", "\x1b[31m", "\x7f", "\x85", "a\rb"], ids=ascii)
def test_a_label_is_one_line_without_control_characters(bad: str) -> None:
    """Terminals and prompts show labels."""
    with pytest.raises(InvalidInputError):
        checked_label(f"x{bad}x", name="field")


def test_a_label_may_be_in_any_script() -> None:
    """Joiners and marks are allowed: Persian, Hindi and emoji need them."""
    for label in ("می\u200cخواهم", "क्\u200dष", "👩\u200d👧", "e\u0301", "l\u2019été"):
        assert checked_label(label, name="field") == label


def test_secrets_are_masked_but_in_ids() -> None:
    """A mask may be longer than its secret: the limit counts the mask."""
    key = "AKIAIOSFODNN7EXAMPLE"
    assert checked_text(f"a {key} b", name="x", limit=99) == "a [masked:aws-access-key] b"
    assert checked_label(f" {key} ", name="x") == "[masked:aws-access-key]"
    assert checked_id(f" {key} ", name="x") == key
    with pytest.raises(TooLargeError, match="23 characters, 20"):
        checked_text(key, name="x", limit=20)


def test_a_reason_may_be_left_out() -> None:
    assert checked_reason(None) is None
    assert checked_reason("because\nof this") == "because\nof this"
    with pytest.raises(InvalidInputError):
        checked_reason("")


@given(st.text(max_size=20))
def test_encodable_tells_what_utf_8_can_hold(text: str) -> None:
    lone = any("\ud800" <= each <= "\udfff" for each in text)
    assert encodable(text) is not lone


def test_what_is_too_long_is_refused_before_it_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    """To mask a text takes much longer than to see its length."""

    def not_yet(_: object) -> None:
        raise AssertionError("masked")

    monkeypatch.setattr(metadata, "mask_json", not_yet)
    with pytest.raises(TooLargeError, match=f"{MAX_METADATA:,} are allowed"):
        checked_metadata({"pass": "password: hunter2x " * 10_000})
