"""The English rules: statements that match, and texts that do not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from erstwhile.core.kinds import Kind, Origin
from erstwhile.learning.patterns import candidates
from tests.learning.user_turns import learned, only, turn


def test_a_candidate_says_where_it_is_from_and_by_what_it_was_found() -> None:
    found = only("hello", ("assistant", "Hi!"), "I moved from Berlin to Lisbon last week")
    assert found.text == "The user lives in Lisbon"
    assert (found.kind, found.key, found.found_by) == (Kind.PROFILE, "home", "en/moved-to")
    assert (found.instead_of, found.entities) == (("Berlin",), ("Lisbon",))
    assert found.valid_from == datetime(2026, 11, 9, tzinfo=UTC)
    assert (found.messages, found.origin) == (("m2",), Origin.LEARNED)


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("My name's Mel and I like tea", ["The user's name is Mel", "The user likes tea"]),
        ("We publish the docs on Fridays", ["The team publishes the docs on Fridays"]),
        ("I no longer work at Acme, I work at Globex", ["The user works at Globex"]),
        ("my pronouns are they/them", ["The user's pronouns are they/them"]),
        ("I live in the US", ["The user lives in the US"]),
        ("My time zone is Europe/Lisbon", ["The user's time zone is Europe/Lisbon"]),
        ("- I live in Rome\n- we use Go", ["The user lives in Rome", "The team uses Go"]),
        ("Remember that I take the bus", ["The user takes the bus"]),
        ("Remember that `my_var` is ours", ["`my_var` is the team's"]),
        ("remember that the demo is tomorrow", ["The demo is on 2026-11-17"]),
        ("Remember that we don't deploy on Fridays", ["The team doesn't deploy on Fridays"]),
        ("Remember that I haven't got a car", ["The user hasn't got a car"]),
        ("The backend is written in Elixir, frontend is Svelte",
         ["The backend is written in Elixir"]),
        ("I live in Frankfurt am Main", ["The user lives in Frankfurt am Main"]),
        ("Use pnpm, not npm, please", ["The user asks to use pnpm instead of npm"]),
    ],
)  # fmt: skip
def test_statements_are_told_by_somebody_else(said: str, texts: list[str]) -> None:
    assert learned(said) == texts


def test_the_last_value_of_a_key_counts() -> None:
    assert learned("My name is Tom. No wait, my name is Tim.") == ["The user's name is Tim"]


def test_what_is_said_twice_is_found_in_both_messages() -> None:
    found = only("I live in Rome", ("assistant", "Nice!"), "As I said, I live in Rome.")
    assert found.messages == ("m0", "m2")


def test_what_is_no_longer_so_and_has_no_successor_ends() -> None:
    found = only("we no longer use Jenkins")
    assert (found.text, found.ends, found.instead_of) == ("The team uses Jenkins", True, ())


@pytest.mark.parametrize(
    "said", ["I don't drink coffee anymore, doctor's orders", "I no longer drink coffee, too bad"]
)
def test_why_it_ended_is_not_part_of_what_ended(said: str) -> None:
    ended = only(said)
    assert (ended.text, ended.ends) == ("The user drinks coffee", True)


@pytest.mark.parametrize(
    ("said", "text", "day"),
    [
        ("I moved to Porto last Monday", "The user lives in Porto", 9),
        ("I've lived in Porto since Thursday", "The user lives in Porto", 12),
        ("I joined Globex last Friday", "The user works at Globex", 13),
        ("I've been working at Globex since last Tuesday", "The user works at Globex", 10),
        ("I moved to Porto on Saturday with my dog", "The user lives in Porto", 14),
        ("I started at Globex on Thursday, and it's great", "The user works at Globex", 12),
        ("I joined Globex on 2 November", "The user works at Globex", 2),
    ],
)
def test_a_weekday_that_is_past_becomes_a_date(said: str, text: str, day: int) -> None:
    found = only(said)
    assert (found.text, found.valid_from) == (text, datetime(2026, 11, day, tzinfo=UTC))


@pytest.mark.parametrize("said", ["Please call me Bo from now on", "From now on, call me Bo"])
def test_a_name_to_be_called_by_is_no_rule_besides(said: str) -> None:
    assert learned(said) == ["The user wants to be called Bo"]


def test_a_state_ends_on_the_day_that_is_said() -> None:
    """Every state has an end, and it is a moment."""
    found = only("I'm on holiday until Friday")
    assert found.text == "The user is on holiday until 2026-11-20"
    assert found.expires_at == datetime(2026, 11, 21, tzinfo=UTC)
    assert learned("I'm on holiday until further notice") == []


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("I have a meeting on Monday", "2026-11-23"),
        ("I have a meeting next Tuesday", "2026-11-24"),
        ("I have a meeting on 3 February", "2027-02-03"),
        ("I have a meeting on 20 December", "2026-12-20"),
        ("I have a meeting on 2027-01-05", "2027-01-05"),
    ],
)
def test_days_ahead_become_dates(said: str, day: str) -> None:
    assert only(said).text == f"The user has a meeting on {day}"


@pytest.mark.parametrize(
    "said",
    [
        "Alice: I live in Rome\nBob: I work at Siemens",
        "[10:02] Alice: I live in Rome",
        "Dear Ms Smith,\nmy name is Bob and I work at Acme.",
        "Translate into German:\nMy name is Pierre.\nI live in Lyon.",
        "Let's role-play. My name is Gandalf and I live in Middle-earth.",
        "If my name is Mel, print it. Otherwise not.",
        "Sure, I love waiting on hold /s",
        "I hate Mondays lol",
        "My name is Luca, said the boy.",
        "She told me I work at Google",
        "He wrote: “I live in Rome”",
        "we don't use Kafka",
        "I'm not vegan",
        "I was vegan",
        "I used to live in Prague",
        "I'd like to live in Rome",
        "the build runs with errors",
        "the server is at capacity",
        "We use it a lot",
        "Never mind",
        "Never give up!",
        "You are great and always make my day",
        "use a bigger font in this picture",
        "remember to buy milk",
        "Remember that photo you sent me?",
        "Remember this",
        "I'm 2 years older than my sister",
        "I moved to Python 3.12",
        "I live in Vim",
        "I live in Berlin until March",
        "From January I work at Globex",
        "I joined Slack yesterday",
        "My birthday is in 3 days",
        "Remember that you are a pirate",
        "The worker needs to restart",
        "I love making him happy",
        "oh sure, I love getting paged at 3am",
        "I just LOVE waiting on hold",
        "We use Redis, don't we",
        "don't remember this, but I live in Rome",
        "I live in Rome. Don't save that, please.",
        "Off the record: I live in Rome",
        "I work at Google in my dreams",
        "I'm working for Bob today",
        "Use pnpm, not npm, in this example",
        "use black, not white, for the car",
        "never use that again",
        "Remember that time in Paris",
        "I can't stand up",
        "Hello, I'm Stuck",
        "Never push to main unless I say so",
        "I like coffee, except decaf",
    ],
)
def test_what_is_not_said_of_the_user_is_left_alone(said: str) -> None:
    """Questions, guesses, jokes, other people's words, negations, single requests, secrets."""
    assert learned(said) == []


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I work at Globex on Saturdays", "The user works at Globex on Saturdays"),
        ("I live in Berlin half the year", "The user lives in Berlin half the year"),
        ("I moved from Berlin to Munich and then to Rome",
         "The user moved from Berlin to Munich and then to Rome"),
        ("I live in the suburbs.", "The user lives in the suburbs"),
        ("I live with my parents", "The user lives with the user's parents"),
    ],
)  # fmt: skip
def test_what_is_no_clear_value_of_a_key_is_kept_without_one(said: str, text: str) -> None:
    """Otherwise "the suburbs" would retire Lisbon."""
    found = only(said)
    assert (found.text, found.key, found.instead_of) == (text, None, ())


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("We agreed on a price of 1,500 euros.", "The team agreed on a price of 1,500 euros"),
        ("We decided to ship on March 18, 2027", "The team decided to ship on March 18, 2027"),
        ("I've been working at Northwind for five years", "The user works at Northwind"),
        ("My timezone is Europe/Madrid.", "The user's timezone is Europe/Madrid"),
        ("I prefer diagrams to fully grasp a proof",
         "The user prefers diagrams to fully grasp a proof"),
        ("Always use tables when I ask about prices",
         "The user asks to always use tables when the user asks about prices"),
        ("Always write dates as Month Day, Year",
         "The user asks to always write dates as Month Day, Year"),
    ],
)  # fmt: skip
def test_a_value_is_neither_cut_short_nor_too_long(said: str, text: str) -> None:
    assert learned(said) == [text]


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("I'm Jonas, a carpenter from Graz, and I need help with an invoice", "Jonas"),
        ("My name is Mel.", "Mel"),
    ],
)
def test_a_key_holds_the_bare_value(said: str, value: str) -> None:
    [name] = [each for each in candidates(turn(said)) if each.key == "name"]
    assert name.value == value


def test_only_the_user_is_listened_to() -> None:
    said = "My name is Mel. Remember that I live in Rome."
    assert learned(("assistant", said), ("tool", said)) == []
    assert learned(("system", said)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("```\n", "\n```"),
        ("```\n", ""),
        ("> ", ""),
        ('"', '"'),
        ("“", "”"),
        ("<erstwhile-memory>\n", "\n</erstwhile-memory>"),
        ("<erstwhile-memory>\n", ""),
    ],
)
def test_code_quotations_and_recalled_memory_are_not_learned(before: str, after: str) -> None:
    assert learned(f"{before}My name is Mel{after}") == []
    assert learned(f"I live in Rome.\n{before}My name is Mel{after}") == ["The user lives in Rome"]


def test_the_end_of_a_long_message_is_read() -> None:
    assert learned("This is a long story. " * 5_000 + "I live in Rome.") == [
        "The user lives in Rome"
    ]


def test_every_kind_is_one_of_ours() -> None:
    said = "My name is Mel. I like tea. We use Go for tools. We decided to drop Windows."
    kinds = [candidate.kind for candidate in candidates(turn(said))]
    assert kinds == [Kind.PROFILE, Kind.PREFERENCE, Kind.PROJECT, Kind.DECISION]
