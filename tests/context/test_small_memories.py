"""A context of a small memory has what is near the best match, not everything."""

from __future__ import annotations

import pytest

import erstwhile
from erstwhile.search.topic import is_small_talk

FACTS = (
    "Ana lives in Lisbon",
    "The shop runs on Postgres 17",
    "The API uses GraphQL",
    "Deploys happen on Fridays at 16:00",
    "The logo is dark green",
    "Logs are kept for 30 days",
    "Tests must pass before a merge",
    "The staging server is called heron",
)


def test_a_strong_hit_does_not_let_in_every_weak_one() -> None:
    with erstwhile.open(":memory:", embedder="universal") as memory:
        memory.remember_many(FACTS)
        memory.flush()
        short = memory.context("where does Ana live?", 500)
        full = memory.context("where does Ana live?", 500, fill=True)
    assert [item.text for item in short.items] == ["Ana lives in Lisbon"]
    assert {item.text for item in full.items} == {*FACTS}
    assert short.report.left_out_count == 0


@pytest.mark.parametrize("greeting", ["hello", "hey there", "good morning", "你好", "こんにちは"])
def test_a_greeting_finds_nothing(greeting: str) -> None:
    """Whatever a model of meanings makes of it."""
    with erstwhile.open(":memory:", embedder="universal") as memory:
        memory.remember_many((*FACTS, "The user speaks Czech", "Voest makes steel"))
        memory.remember("Hello Kitty is the name of the cat")
        memory.flush()
        named = "Hello Kitty is the name of the cat" if greeting == "hello" else None
        assert [hit.fact.text for hit in memory.recall(greeting)] == ([named] if named else [])


def test_a_greeting_fills_the_budget_only_on_request() -> None:
    with erstwhile.open(":memory:", embedder="universal") as memory:
        memory.remember_many(FACTS)
        memory.flush()
        assert not memory.context("hi", 500).items
        assert {item.text for item in memory.context("hi", 500, fill=True).items} == {*FACTS}


@pytest.mark.parametrize(
    "said",
    ["good to see you", "see you later", "thanks for your help", "ja bitte", "wie geht's?",
     "¿qué tal?", "au revoir", "boa noite, obrigada", "buona notte", "спасибо большое",
     "你好吗？", "在吗？", "ありがとうございます", "こんにちは", "안녕하세요"],
)  # fmt: skip
def test_small_talk_of_ten_languages_asks_for_nothing(said: str) -> None:
    assert is_small_talk(said)


@pytest.mark.parametrize(
    "said", ["night shift", "what helps Ana?", "Wie geht der Zug?", "夜の仕事", "最近的项目"]
)
def test_a_topic_beside_small_talk_is_a_question(said: str) -> None:
    assert not is_small_talk(said)


MIA = (
    "Mia likes tea", "Mia has a brother in Oslo", "Mia works at Lumen", "Mia hates flying",
    "Mia owns two cats", "Mia plays the cello", "Mia studies Dutch", "Mia was born in 1990",
)  # fmt: skip


@pytest.mark.parametrize("embedder", ["universal", "none"])
@pytest.mark.parametrize(
    "question",
    ["list everything about Mia", "Do you have any information about Mia?", "Summarize Mia",
     "Was weißt du alles über Mia?", "Dime todo sobre Mia", "Dis-moi tout sur Mia"],
)  # fmt: skip
def test_a_request_for_everything_about_a_common_name_finds_it(
    embedder: str, question: str
) -> None:
    with erstwhile.open(":memory:", embedder=embedder) as memory:
        memory.remember_many((*MIA, "The shop runs on Postgres 17"))
        memory.flush()
        found = [hit.fact.text for hit in memory.recall(question)]
        unknown = memory.recall("What is the shoe size of Mia?")
    assert {*found} >= {*MIA}
    assert not unknown
