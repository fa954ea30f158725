"""A key or an id from a model retires a fact only if the text confirms it."""

from __future__ import annotations

import pytest

from erstwhile.learning.reconcile.keys import can_be_value
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.learning.extraction_answers import adding, fact, superseding
from tests.learning.whole_conversations import told

VALUES = [
    ("home", "The user lives in Berlin"),
    ("home", "The user has lived in Rome since 2019"),
    ("home", "The user recently moved to Rome"),
    ("home", "The user now lives in Rome"),
    ("home", "Ana lives in Lisbon"),
    ("home", "El usuario vive en Roma"),
    ("home", "用户住在上海"),
    ("home", "用户的家在上海"),
    ("home", "ユーザーは大阪に住んでいる"),
    ("name", "The user's name is Ann"),
    ("name", "The user’s full name is Ann Lee"),
    ("name", "用户的名字是李雷"),
    ("preferred_name", "The user prefers to be called Teo"),
    ("employer", "The user's employer is Acme"),
    ("occupation", "The user is a nurse"),
    ("birthday", "The user was born on 3 May 1990"),
    ("birthday", "The user's birthday is July 4"),
    ("birthday", "The user's birthday is 1990-05-03"),
    ("birthday", "用户的生日是9月21日"),
    ("pronouns", "The user's pronouns are she/her"),
    ("native_language", "The user's native language is Polish"),
]
NONE = [
    ("home", "The user used to live in Rome"),
    ("home", "The user lived in Rome"),
    ("home", "The user might move to Rome"),
    ("home", "The user does not live in Rome"),
    ("home", "The user's brother lives in Rome"),
    ("home", "Bob lives in Oslo"),
    ("home", "The user works at Google"),
    ("home", "用户以前住在北京"),
    ("name", "The user's cat is called Miso"),
    ("name", "The user's wife's name is Lu"),
    ("name", "Bob's name is Bob"),
    ("name", "用户的女儿叫朵朵"),
    ("employer", "The user also works at Acme"),
    ("employer", "The user no longer works at Acme"),
    ("diet", "The user is not vegetarian"),
    ("birthday", "The user was born in 1988"),
    ("birthday", "用户1988年出生"),
]


@pytest.mark.parametrize(("key", "text"), VALUES)
def test_it_is_a_value_of_the_user(key: str, text: str) -> None:
    assert can_be_value(key, text, "ana")


@pytest.mark.parametrize(("key", "text"), NONE)
def test_it_is_none(key: str, text: str) -> None:
    assert not can_be_value(key, text, "ana")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I used to live in Rome.", "The user used to live in Rome"),
        ("My brother lives in Rome.", "The user's brother lives in Rome"),
        ("I don't live in Rome.", "The user does not live in Rome"),
        ("I might move to Rome.", "The user might move to Rome"),
    ],
)
def test_a_key_alone_retires_nothing(said: str, text: str) -> None:
    """The statement is stored without the key, and the attempt says so."""
    home = fact("The user lives in Berlin", "profile", key="home")
    llm = ScriptedLlm(adding(home), adding(fact(text, "profile", key="home")))
    [_, attempt], live, retired = told(llm, "I live in Berlin.", said)
    assert live == {"The user lives in Berlin": "home", text: None}
    assert retired == []
    assert "a statement that cannot be the value of its key home" in (attempt.reason or "")


@pytest.mark.parametrize(
    ("first", "known", "said", "text"),
    [
        ("I live in Berlin.", "The user lives in Berlin", "My brother lives in Rome.",
         "The user's brother lives in Rome"),
        ("我住在北京。", "用户住在北京", "我弟弟住在上海。", "用户的弟弟住在上海"),
    ],
)  # fmt: skip
def test_an_id_does_not_put_a_brother_in_the_place_of_the_user(
    first: str, known: str, said: str, text: str
) -> None:
    llm = ScriptedLlm(adding(fact(known, "profile")), superseding(known, fact(text, "relation")))
    _, live, retired = told(llm, first, said)
    assert (set(live), retired) == ({known, text}, [])


@pytest.mark.parametrize(
    ("first", "known", "said", "text"),
    [
        ("I like coffee.", "The user likes coffee", "I like tea.", "The user likes tea"),
        ("I'm allergic to nuts.", "The user is allergic to nuts", "I'm allergic to pollen.",
         "The user is allergic to pollen"),
        ("我会说英语。", "用户会说英语", "我会说日语。", "用户会说日语"),
    ],
)  # fmt: skip
def test_an_id_does_not_retire_one_of_many(first: str, known: str, said: str, text: str) -> None:
    """Both facts stay, linked, unless the text says that something changed."""
    llm = ScriptedLlm(adding(fact(known)), superseding(known, fact(text)))
    [_, attempt], live, retired = told(llm, first, said)
    assert (set(live), retired) == ({known, text}, [])
    assert [change.act for change in attempt.changes] == ["conflict"]


def test_an_id_retires_it_if_the_text_says_that_it_changed() -> None:
    text = "The user likes tea instead of coffee"
    known = "The user likes coffee"
    llm = ScriptedLlm(adding(fact(known)), superseding(known, fact(text)))
    _, live, retired = told(llm, "I like coffee.", "I like tea instead of coffee now.")
    assert (set(live), retired) == ({text}, [known])
