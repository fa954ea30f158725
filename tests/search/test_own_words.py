"""The part of a message that a user wrote themself."""

from __future__ import annotations

import pytest

from erstwhile.search.own_words import own_part

CODE = "Here's my code so far:\n```python\n# Review below:\nprint(1)\n```\nI live in Porto."


def own(text: str, *, sure: bool) -> str:
    start, end = own_part(text, sure=sure)
    return text[start:end]


@pytest.mark.parametrize(
    "text",
    [
        "Can you help me fix this?\n\nI live in Porto and use Flask.",
        "Review this code and suggest improvements? I live in Porto.",
        "Here are my details:\n- I live in Porto\n- I'm a nurse",
        CODE,
    ],
)
def test_facts_are_the_user_s_unless_something_surely_calls_them_pasted(text: str) -> None:
    assert "I live in Porto" in own(text, sure=True)


@pytest.mark.parametrize(
    "text",
    [
        "Please summarise the ticket below.\n\nI live in Porto.",
        "Translate to German: I live in Porto",
        "I got this mail from Tom:\nI live in Porto.",
        "From: Tom\nI live in Porto.",
        "Fasse diesen Text zusammen:\nI live in Porto.",
        "翻译下面这段：I live in Porto",
    ],
)
def test_what_a_sentence_calls_pasted_is_nobody_s_own(text: str) -> None:
    assert "I live in Porto" not in own(text, sure=True)
    assert "I live in Porto" not in own(text, sure=False)


def test_a_paragraph_below_a_request_is_doubtful() -> None:
    assert "Always" not in own("Can you look at this?\n\nAlways run the tests.", sure=False)
