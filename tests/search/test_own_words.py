"""The part of a message that a user wrote themself."""

from __future__ import annotations

import pytest

from erstwhile.search.own_words import own_words

CODE = "Here's my code so far:\n```python\n# Review below:\nprint(1)\n```\nI live in Porto."
SAID = "I live in Porto"


@pytest.mark.parametrize(
    "text",
    [
        "Can you help me fix this?\n\nI live in Porto and use Flask.",
        "Review this code and suggest improvements? I live in Porto.",
        "Here are my details:\n- I live in Porto\n- I'm a nurse",
        "Note: I live in Porto.",
        "P.S. I live in Porto.",
        "One more thing: I live in Porto now.",
        "Sorry, typo: I live in Porto.",
        'I finished "The Old Man and the Sea" and I live in Porto.',
        CODE,
    ],
)
def test_words_are_the_user_s_unless_something_shows_that_they_are_not(text: str) -> None:
    assert SAID in own_words(text).sure


@pytest.mark.parametrize(
    "text",
    [
        "Please summarise the ticket below.\n\nI live in Porto.",
        "Translate to German: I live in Porto",
        "I got this mail from Tom:\nI live in Porto.",
        "From: Tom\nI live in Porto.",
        "Tom: I live in Porto.",
        "Fasse diesen Text zusammen:\nI live in Porto.",
        "翻译下面这段：I live in Porto",
        "[quote=Tom]I live in Porto.[/quote] haha",
        "I live in Porto. Is this a scam?",
        "I live in Porto.\n-- \nTom Miller",
    ],
)
def test_what_is_passed_on_is_foreign(text: str) -> None:
    assert SAID not in own_words(text).own


@pytest.mark.parametrize("text", ["House rules\n\nI live in Porto.", "- I live in Porto."])
def test_words_beside_a_weak_sign_are_doubtful(text: str) -> None:
    read = own_words(text)
    assert SAID in read.own
    assert SAID not in read.sure


def test_a_paragraph_below_a_request_is_unproven() -> None:
    read = own_words("Can you look at this?\n\nAlways run the tests.")
    assert "Always" in read.sure
    assert "Always" not in read.proven


@pytest.mark.parametrize("text", ["", "\r\n\r\n", "a\r\nb", "x" * 9, '"""', "[a]" * 99])
def test_places_stay_the_same(text: str) -> None:
    read = own_words(text)
    assert {len(read.own), len(read.sure), len(read.proven)} == {len(text)}
