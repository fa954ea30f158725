"""What a sentence does: state something that is so now, or something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bench.sets.moods import labelled, told_changes

from erstwhile.learning.moods import (
    Mood,
    adds_beside,
    corrects,
    ends_something,
    is_temporary,
    mood_of,
    says_change,
    sentence_around,
)

TWO = "If I moved to Tokyo, would I need a visa? I live in Lisbon."


def mood(text: str, quote: str) -> Mood | None:
    start = text.index(quote)
    return mood_of(text, start, start + len(quote))


def test_the_sentence_of_the_quotation_is_found() -> None:
    start = TWO.index("Lisbon")
    assert sentence_around(TWO, start, start + 6) == "I live in Lisbon."
    assert sentence_around(TWO, 3, start) == TWO


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (TWO, "I live in Lisbon"),
        ("Ich wohne in diesem Haus in Halle", "Ich wohne in diesem Haus"),
        ("Odeio reuniões antes das 11h", "Odeio reuniões antes das 11h"),
        ("私の店は「喫茶ひまわり」です", "喫茶ひまわり"),
        ("Why does the test fail? I moved to Porto.", "I moved to Porto"),
        ("I live in Lisbon, do you know a dentist?", "I live in Lisbon"),
        ("Since I moved to Porto I need a doctor, which one?", "I moved to Porto"),
        ("Did you know that I live in Porto?", "I live in Porto"),
        ("If it helps, I live in Porto.", "I live in Porto"),
        ("如果我搬到东京，需要签证吗？我住在里斯本。", "我住在里斯本"),
        ("Ich wohne in Porto, kennst du einen Zahnarzt?", "Ich wohne in Porto"),
        ("Vivo en Lisboa, ¿conoces un dentista?", "Vivo en Lisboa"),
        ("J'habite à Lyon, tu connais un dentiste ?", "J'habite à Lyon"),
        ("ポルトに住んでいるんだけど、いい歯医者知ってる？", "ポルトに住んでいる"),
    ],
)
def test_a_clause_beside_a_question_or_a_condition_states(text: str, quote: str) -> None:
    assert mood(text, quote) is None


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        (TWO, "I moved to Tokyo", Mood.CONDITION),
        ("Kdybych bydlel v Brně, platil bych míň", "bydlel v Brně", Mood.CONDITION),
        ("彼は「猫が好きで東京に住んでいる」と書いた", "猫が好きで東京に住んでいる", Mood.QUOTED),
        ("I'm wondering if I should move", "I should move", Mood.CONDITION),
        ("Is the supplier account DE11 or XX99? Look it up.", "DE11 or XX99", Mood.QUESTION),
        ("I live in Porto, right?", "I live in Porto", Mood.QUESTION),
        ("I'm planning to move to Porto, Portugal.", "Porto, Portugal", Mood.PLAN),
        ("I used to live in Berlin, now in Porto.", "live in Berlin", Mood.PAST),
        ("Tom said: I live in Rome", "I live in Rome", Mood.REPORT),
        ("I live on the moon. Just kidding!", "I live on the moon", Mood.JEST),
        ("In the game, I live in Rivendell", "I live in Rivendell", Mood.STORY),
        ("如果我搬到东京，需要签证吗？", "我搬到东京", Mood.CONDITION),
        ("我打算搬到上海", "搬到上海", Mood.PLAN),
        ("Wenn ich nach Tokio ziehen würde?", "nach Tokio", Mood.CONDITION),
        ("Si me mudara a Tokio, ¿necesitaría visado?", "me mudara a Tokio", Mood.CONDITION),
        ("Si je déménageais à Tokyo, que faire ?", "déménageais à Tokyo", Mood.CONDITION),
        ("もし東京に引っ越したら、ビザは要りますか？", "東京に引っ越し", Mood.CONDITION),
        ("大阪に引っ越すつもりです。", "大阪に引っ越す", Mood.PLAN),
    ],
)
def test_what_states_nothing_has_a_mood(text: str, quote: str, expected: Mood) -> None:
    assert mood(text, quote) is expected


TELLS: dict[str, Callable[[str], bool]] = {
    "corrects": corrects,
    "ends": ends_something,
    "beside": adds_beside,
    "temporary": is_temporary,
    "changes": says_change,
}


@pytest.mark.parametrize(("what", "answer", "sentence"), told_changes())
def test_words_tell_what_becomes_of_the_known(what: str, answer: str, sentence: str) -> None:
    assert TELLS[what](sentence) is (answer == "yes")


@pytest.mark.parametrize(
    ("name", "share"), [("tuned", 0.99), ("held_out", 0.96), ("late", 0.94), ("last", 0.84)]
)
def test_most_labelled_quotations_are_judged_right(name: str, share: float) -> None:
    """Whether they state something, in 19 languages."""
    rows = labelled(name)
    right = sum((row.found is None) is (row.expected is None) for row in rows)
    assert right >= share * len(rows)


def test_few_words_that_state_nothing_are_believed() -> None:
    """They might retire what is true, so this mistake is the graver one."""
    rows = [row for name in ("tuned", "held_out") for row in labelled(name) if row.expected]
    assert sum(row.found is None for row in rows) <= 0.03 * len(rows)


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("What can I cook for my birthday on June 3?", "my birthday on June 3", None),
        ("Is my birthday on June 3?", "my birthday on June 3", Mood.QUESTION),
        ("Is it ok for my sister to eat nuts?", "my sister to eat nuts", Mood.QUESTION),
        ("Was schenke ich meiner Frau Ana?", "meiner Frau Ana", None),
        ("soy celíaco qué puedo comer en Roma?", "soy celíaco", None),
        ("저는 부산에 살아요 좋은 식당 있나요?", "저는 부산에 살아요", None),
        ("我住在成都 有什么好吃的吗", "我住在成都", None),
        (
            "I live in Rome.\n\nWrite the next lines of this dialogue.",
            "I live in Rome",
            Mood.STORY,
        ),
        ("Heerlijk hoor, weer een uur in de file.", "een uur in de file", Mood.JEST),
        ("my ex got the dog, so. yeah. anyway", "my ex got the dog", None),
    ],
)
def test_what_a_question_takes_for_granted_is_stated(
    text: str, quote: str, expected: Mood | None
) -> None:
    assert mood(text, quote) is expected
