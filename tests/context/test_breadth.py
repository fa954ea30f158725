"""Questions that gather are told from others, in several languages."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.context.breadth import asks_what_user_said, gathers, most_in_full
from erstwhile.context.quotes import LINE, line, quote

GATHERING = (
    "How many books did I read?",
    "Which cities has Jon visited?",
    "What activities does Melanie partake in?",
    "Can you list the order in which I brought up the topics?",
    "Compare the two offers.",
    "Wie viele Bücher habe ich gelesen?",
    "In welcher Reihenfolge kamen die Gäste?",
    "¿Cuántos libros leí?",
    "Combien de livres ai-je lus ?",
    "Quantos livros eu li?",
    "Quanti libri ho letto?",
    "Сколько книг я прочитал?",
    "我读了多少本书？",
    "本を何冊読みましたか。",
    "책을 몇 권 읽었나요?",
)
SINGLE = (
    "Where does Ana work?",
    "When is the office closed?",
    "What is Caroline's identity?",
    "What was the name of the hotel?",
    "What does she do?",
    "Wo wohnt Ana?",
    "¿Dónde vive Ana?",
    "Où habite Ana ?",
    "Где живёт Анна?",
    "安娜住在哪里？",
)
TOLD = (
    "In which order did I bring up my plans?",
    "How many features have I mentioned?",
    "Wie oft habe ich den Garten erwähnt?",
    "Combien de fois ai-je parlé du jardin ?",
)


@pytest.mark.parametrize("question", GATHERING)
def test_a_question_that_gathers_is_known(question: str) -> None:
    assert gathers(question)
    assert most_in_full(question) < most_in_full("Where does Ana work?")


@pytest.mark.parametrize("question", SINGLE)
def test_others_are_not(question: str) -> None:
    assert not gathers(question)


@pytest.mark.parametrize("question", TOLD)
def test_so_is_one_about_what_the_user_said(question: str) -> None:
    assert asks_what_user_said(question)


def test_what_others_said_is_another_question() -> None:
    assert not asks_what_user_said("How many tips did you give me?")
    assert not asks_what_user_said("Where did I say that Ana works?")


def test_a_line_has_the_sentence_that_matches() -> None:
    text = f"{'Thanks a lot for that. ' * 8}The oven cost 340 euros. {'See you soon then. ' * 8}"
    span = line(text, 0, len(text), ["oven", "cost"])
    assert quote(text, [span]) == "… The oven cost 340 euros. …"


def test_a_long_sentence_is_cut_between_words() -> None:
    text = "oven " * 100
    span = line(text, 0, len(text), ["oven"])
    assert LINE // 2 < span.end - span.start <= LINE
    assert text[span.end] == " "


def test_a_question_of_what_the_user_said_needs_no_strong_hit() -> None:
    """Each message is about one of many topics: none matches the whole question."""
    said = ["The roses got black spots", "I paint the shed", "The path is narrow", "Our fence fell"]
    asked = (
        "In which order did I bring up the roses, the shed, the path, the fence, the pond, "
        "the lawn, the hedge, the terrace, the compost and the greenhouse?"
    )
    with erstwhile.open(":memory:", embedder="none") as memory:
        for text in said:
            conversation = memory.conversations.start().id
            memory.conversations.add("user", text, conversation=conversation)
            memory.conversations.close(conversation)
        assert not memory.conversations.search(asked)
        shown = {item.text for item in memory.context(asked, 400).items}
    assert shown == set(said)
