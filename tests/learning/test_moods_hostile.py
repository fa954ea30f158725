"""No text makes the signs of moods slow: three times the text costs about three times the time."""

from __future__ import annotations

from time import process_time

import pytest

from erstwhile.learning.moods import is_temporary, mood_of, sentence_around
from erstwhile.learning.moods.signs import LONGEST, Sign

PIECES = (
    "a", " ", "?", ", ", "if I ", "my ", "not ", "¿", "我", "と言", "haha ", "\n", "no, ",
    "if you ", "I'm moving in a year ", "lived ", "не ", "면 ", "sagt, ", "(", "‘x ",
    "summarise this ",
)  # fmt: skip
SHORT = 5_000
MOST_GROWTH = 7
"""Three times the text may cost this many times as much; quadratic time would cost nine times."""


def judged(text: str) -> float:
    began = process_time()
    mood_of(text, 0, len(text))
    mood_of(text, len(text) - 10, len(text))
    sentence_around(text, len(text) // 2, len(text) // 2 + 9)
    is_temporary(text)
    return process_time() - began


@pytest.mark.parametrize("piece", PIECES)
def test_a_hostile_text_is_judged_in_linear_time(piece: str) -> None:
    judged(piece * 10)  # compiles the patterns
    texts = ((piece * length)[:length] for length in (SHORT, 3 * SHORT))
    once, thrice = (min(judged(text) for _ in range(2)) for text in texts)
    assert thrice < max(0.2, MOST_GROWTH * once), f"{thrice:.2f} s after {once:.2f} s"


def test_a_sign_reads_a_sentence_and_no_more() -> None:
    """So a text without an end of a sentence cannot make a sign slow."""
    assert Sign.CONDITION.is_in("if I moved" + " " * LONGEST)
    assert not Sign.CONDITION.is_in(" " * LONGEST + "if I moved")
    assert Sign.CONDITION.spans(" " * LONGEST + "if I moved") == []


def test_words_far_into_a_text_without_an_end_are_judged() -> None:
    text = "word " * LONGEST + "and if I moved to Tokyo"
    assert mood_of(text, len(text) - 15, len(text)) == "condition"
