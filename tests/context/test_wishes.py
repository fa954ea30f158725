"""Which wishes stand in a context."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.context.wishes import MAX_CHARS, MOST, Stated, standing
from erstwhile.core.scope import SHARED, Scope
from erstwhile.search.wishes import Strength, wishes

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
SENTENCES = [
    "Always answer in French.", "Answer in German from now on.", "Call me Mel.", "Call me Melanie.",
    "Use tabs, not spaces.", "Use spaces, not tabs.", "Never deploy on Friday.",
    "You can deploy on Friday again.", "Always include version numbers.",
    "I prefer simple, minimal dependencies.", "Forget everything I said.",
    "Always show tests when I ask about code.", "请始终用中文回答。", "以后叫我老李。",
    "I prefer window seats on flights.", "You no longer need to answer in French.",
]  # fmt: skip


ANA = Scope(user="ana")
ANA_AT_SHOP = Scope(user="ana", project="shop")
SHOP = Scope(project="shop")


def stated(*messages: str | tuple[Scope, str]) -> list[Stated]:
    """Return the wishes of messages that were said one after the other, perhaps in a scope."""
    said = [(SHARED, each) if isinstance(each, str) else each for each in messages]
    return [
        Stated(
            text=wish.text,
            said_at=BEGIN + timedelta(days=at),
            id=f"{at:04}",
            strength=wish.strength,
            start=wish.start,
            scope=scope,
        )
        for at, (scope, message) in enumerate(said)
        for wish in wishes(message)
    ]


def standing_texts(*messages: str | tuple[Scope, str]) -> list[str]:
    return [each.text for each in standing(stated(*messages))]


MANY = st.lists(st.sampled_from(SENTENCES), max_size=30).map(lambda said: stated(*said))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Always answer in French.", "Answer in German from now on."),
        ("Call me Mel.", "From now on call me Melanie."),
        ("Use tabs, not spaces.", "Use spaces, not tabs."),
        ("Always use tabs.", "From now on use spaces."),
        ("From now on keep it short.", "I prefer detailed answers."),
        ("Never deploy on Friday.", "Always deploy on Friday."),
        ("Please don't use emojis.", "Always use emojis."),
        ("The user asks to always answer in French", "Answer in German from now on."),
        ("请始终用中文回答。", "以后请用英文回答。"),
        ("叫我小李就行。", "以后叫我老李。"),
        ("Antworte immer auf Deutsch.", "Antworte ab jetzt auf Englisch."),
        ("Responde siempre en español.", "De ahora en adelante responde en inglés."),
        ("Réponds toujours en français.", "Désormais, réponds en anglais."),
        ("いつも日本語で答えてください。", "今後は英語で答えてください。"),
        ("Always show tests when I ask about code.", "Always show tests."),
    ],
)
def test_the_newest_wish_about_the_same_thing_stands(earlier: str, later: str) -> None:
    assert standing_texts(earlier, "Always include version numbers.", later) == [
        "Always include version numbers.",
        later,
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Never deploy on Friday.", "Never deploy on Monday."),
        ("Always answer in French.", "From now on write all code comments in English."),
        ("Always answer in French.", "When I write in German, always answer in German."),
        (
            "Always include links when I ask about code.",
            "Always include dates when I ask about it.",
        ),
        ("Always include tests.", "Always include links."),
        (
            "I prefer concise answers with code first and the reasons after.",
            "From now on be brief.",
        ),
        ("Use tabs in Makefiles.", "Never use tabs."),
        ("Never use tabs.", "Use tabs in Makefiles."),
        ("Call me Max.", "Never call me sir."),
        ("Never call me sir.", "Call me Max."),
    ],
)
def test_wishes_about_different_things_stand_beside_each_other(one: str, other: str) -> None:
    assert standing_texts(one, other) == [one, other]


@pytest.mark.parametrize(
    ("wish", "ending"),
    [
        ("Always answer in French.", "You no longer need to answer in French."),
        ("Use tabs, not spaces.", "Forget what I said about tabs."),
        ("Never deploy on Friday.", "You can deploy on Friday again."),
        ("From now on keep it short.", "You don't need to keep it short any more."),
        ("请始终用英文回答。", "你不用再用英文回答了。"),
        ("いつも英語で答えてください。", "もう英語で答えなくていいです。"),
        ("Antworte immer auf Französisch.", "Du musst nicht mehr auf Französisch antworten."),
    ],
)
def test_an_ended_wish_goes_and_others_stay(wish: str, ending: str) -> None:
    other = "Always include version numbers."
    assert standing_texts(other, wish, ending) == [other]
    assert standing_texts(other, ending, wish) == [other, wish]


def test_everything_can_be_ended_at_once() -> None:
    assert standing_texts("Call me Mel.", "Always use tabs.", "Forget everything I said.") == []
    assert standing_texts("Call me Mel.", "Always use tabs.", "Forget all my rules.") == []


def test_wishes_of_one_message_are_in_the_order_of_its_text() -> None:
    assert standing_texts("Call me Zed. Hmm, no.\nCall me Abe.") == ["Call me Abe."]
    assert standing_texts("Use tabs. Always answer in Latin.") == [
        "Use tabs.",
        "Always answer in Latin.",
    ]
    again = "Forget all my instructions. Always answer in French."
    assert standing_texts("Call me Mel.", again) == ["Always answer in French."]


def test_a_line_break_in_a_wish_does_not_matter() -> None:
    later = "Answer in German from now on."
    assert standing_texts("Always answer\nin French", later) == [later]


@pytest.mark.parametrize("wider", [SHARED, SHOP, ANA])
@pytest.mark.parametrize(
    "later",
    [
        "Answer in German from now on.",
        "Always answer in French.",
        "Forget all my instructions.",
        "You no longer need to answer in French.",
    ],
)
def test_a_wider_scope_changes_no_wish_of_a_narrower_one(wider: Scope, later: str) -> None:
    [narrow] = stated((ANA_AT_SHOP, "Always answer in French."))
    assert standing([narrow, *stated("Thanks.", (wider, later))]) == [narrow]


def test_a_narrower_scope_replaces_and_ends_wishes_of_wider_ones() -> None:
    french, german = "Always answer in French.", "Answer in German from now on."
    assert standing_texts(french, (ANA, german)) == [german]
    assert standing_texts(french, (ANA, "Forget all my instructions.")) == []
    assert standing_texts(french, (ANA, french), german) == [french]


def test_scopes_without_relation_do_not_touch_each_other() -> None:
    said = ["Always answer in French.", "Answer in German from now on."]
    bob = Scope(user="bob")
    assert standing_texts((ANA, said[0]), (bob, said[1])) == said
    assert standing_texts((ANA, said[0]), (bob, said[0])) == [said[0]] * 2
    assert standing_texts((ANA, said[0]), (bob, "Forget all my instructions.")) == said[:1]


def test_a_repeated_wish_stands_once_in_its_first_place() -> None:
    """So the prefix of a context stays equal."""
    said = ("I prefer simple, minimal dependencies.", "Call me Mel.")
    assert standing_texts(*said, "I prefer simple and minimal dependencies.") == list(said)


def test_a_preference_about_a_topic_does_not_stand() -> None:
    assert standing_texts("I prefer window seats on flights.") == []


def test_the_strongest_and_then_the_newest_stay_within_the_bounds() -> None:
    said = stated("I prefer short answers.", *(f"Always use tool{at}." for at in range(MOST + 2)))
    assert [each.id for each in standing(said)] == [f"{at:04}" for at in range(3, MOST + 3)]
    weak_and_new = stated("Always use tabs.", "I prefer short answers.")
    assert [each.strength for each in standing(weak_and_new, most=1)] == [Strength.STANDING]
    assert standing(weak_and_new, max_chars=10) == []


@given(MANY, st.randoms())
def test_the_order_of_the_candidates_does_not_matter(said: list[Stated], random: Random) -> None:
    assert standing(random.sample(said, len(said))) == standing(said)


@given(MANY)
def test_choosing_again_changes_nothing(said: list[Stated]) -> None:
    chosen = standing(said)
    assert standing(chosen) == chosen


@given(MANY, st.integers(0, 5), st.integers(0, 100))
def test_the_choice_is_bounded_and_in_order(said: list[Stated], most: int, chars: int) -> None:
    chosen = standing(said, most=most, max_chars=chars)
    assert len(chosen) <= most
    assert sum(len(each.text) for each in chosen) <= chars
    assert [each.said_at for each in chosen] == sorted(each.said_at for each in chosen)
    assert all(each in said for each in chosen)


@given(MANY)
def test_a_new_wish_about_something_else_is_appended(said: list[Stated]) -> None:
    new = Stated(
        text="Always water the ferns.",
        said_at=BEGIN + timedelta(days=100),
        id="new",
        strength=Strength.STANDING,
    )
    before = standing(said)
    if len(before) < MOST and sum(len(each.text) for each in before) < MAX_CHARS - 100:
        assert standing([*said, new]) == [*before, new]
