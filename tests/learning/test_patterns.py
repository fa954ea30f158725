"""Patterns in all languages: the statements they learn, and those they leave alone."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from erstwhile.core.kinds import Kind, Origin
from erstwhile.learning.extract import KEYS
from erstwhile.learning.patterns.language import MEANINGS
from erstwhile.learning.patterns.read import candidates
from tests.cases import cases
from tests.docs.pages import PROJECT
from tests.learning.user_turns import learned, only, turn

CASES = cases(__file__)

NOT_MEANT = [each for group in CASES["not_meant"].values() for each in group]


@pytest.mark.parametrize(("said", "text"), CASES["stated"].items())
def test_a_plain_statement_is_learned(said: str, text: str) -> None:
    assert learned(said) == [text]


@pytest.mark.parametrize("said", NOT_MEANT)
def test_what_is_not_plainly_meant_is_not_learned(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(("said", "text"), CASES["instructions"].items())
def test_a_standing_instruction_is_learned_in_its_own_words(said: str, text: str) -> None:
    found = only(said)
    assert (found.kind, found.text, found.entities) == (Kind.INSTRUCTION, text, ())


@pytest.mark.parametrize(("said", "text"), CASES["standing_behind"].items())
def test_a_standing_instruction_behind_a_statement_asks_nothing_about_it(
    said: str, text: str
) -> None:
    assert text in learned(said)


@pytest.mark.parametrize("said", CASES["work_behind"])
def test_work_on_a_text_behind_a_statement_may_be_about_it(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize("said", CASES["no_instructions"])
def test_an_order_for_one_turn_or_of_others_is_no_instruction(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize("said", CASES["switches"])
def test_a_switch_names_the_old_tool(said: str) -> None:
    found = only(said)
    assert (found.slot, found.instead_of, found.changes) == ("pnpm", ("npm",), True)


@pytest.mark.parametrize("said", CASES["ends_of_tools"])
def test_an_end_names_the_tool(said: str) -> None:
    found = only(said)
    assert (found.ends, found.slot) == (True, "npm")


def test_a_name_from_now_on_is_an_instruction_with_a_key() -> None:
    found = only("From now on call me Mel.")
    assert (found.kind, found.key, found.value) == (Kind.INSTRUCTION, "preferred_name", "Mel")
    assert found.changes


def test_a_keyed_statement_names_its_key_and_value() -> None:
    found = only("I live in Lisbon.")
    assert (found.kind, found.key, found.value) == (Kind.PROFILE, "home", "Lisbon")
    assert (found.quote, found.messages) == ("I live in Lisbon.", ("m0",))
    assert found.found_by == "patterns/english/lives"
    assert found.origin is Origin.LEARNED
    assert not found.changes
    assert not found.corrects


def test_a_job_gives_the_occupation_and_the_employer() -> None:
    job, employer = sorted(candidates(turn("I'm a nurse at Charité.")), key=lambda each: each.text)
    assert (job.key, job.value) == ("occupation", "nurse")
    assert job.text == "The user is a nurse at Charité"
    assert (employer.key, employer.value) == ("employer", "Charité")


@pytest.mark.parametrize(("said", "value"), CASES["birthdays"])
def test_a_birthday_is_a_date(said: str, value: str) -> None:
    found = only(said)
    assert (found.key, found.value) == ("birthday", value)


@pytest.mark.parametrize(
    "said", ["I live in Porto now.", "I moved to Porto.", "I've lived in Porto since 2019."]
)
def test_words_of_change_are_told(said: str) -> None:
    found = only(said)
    assert (found.text, found.changes, found.corrects) == ("The user lives in Porto", True, False)


def test_a_move_names_its_date_and_the_old_home() -> None:
    found = only("I moved from Rome to Lisbon last week.")
    assert (found.text, found.instead_of) == ("The user lives in Lisbon", ("Rome",))
    assert found.valid_from == datetime(2026, 11, 9, tzinfo=UTC)


def test_a_switch_differs_from_the_old_fact_in_its_slot_only() -> None:
    found = only("We switched from npm to pnpm for the shop.")
    assert (found.text, found.slot) == ("The team uses pnpm for the shop", "pnpm")
    assert (found.instead_of, found.changes) == (("npm",), True)
    [old] = learned("We use npm for the shop.")
    assert found.text.replace(found.slot, "npm") == old


@pytest.mark.parametrize(("said", "text", "key"), CASES["ends"])
def test_an_end_tells_what_was_true(said: str, text: str, key: str | None) -> None:
    found = only(said)
    assert (found.text, found.key, found.ends) == (text, key, True)


@pytest.mark.parametrize(("said", "old", "new"), CASES["slips"])
def test_a_slip_is_corrected(said: str, old: str, new: str) -> None:
    found = only(said)
    assert (found.text, found.instead_of, found.corrects) == (new, (old,), True)


@pytest.mark.parametrize(("said", "value", "old"), CASES["birthday_slips"])
def test_a_slip_in_another_language_is_corrected(said: str, value: str, old: str) -> None:
    found = only(said)
    assert (found.key, found.value, found.instead_of) == ("birthday", value, (old,))
    assert found.corrects


def test_a_statement_taken_back_is_replaced_by_the_one_that_follows() -> None:
    found = only("We use Postgres. Scratch that, we use MySQL.")
    assert (found.text, found.corrects) == ("The team uses MySQL", True)


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("Sorry for the delay. I live in Porto.", {"The user lives in Porto"}),
        ("My name is Roman.", {"The user's name is Roman"}),  # elsewhere a word for fiction
        ("I moved to Lisbon in 2010.", set()),  # it may not be the last move
        (
            "I'm vegetarian and I live in Lisbon, can you suggest a restaurant?",
            {"The user's diet is vegetarian", "The user lives in Lisbon"},
        ),
    ],
)
def test_words_around_a_statement_are_understood(said: str, texts: set[str]) -> None:
    assert set(learned(said)) == texts


def test_a_slip_of_the_message_before_is_corrected() -> None:
    [found] = candidates(turn("sorry, I meant 4 May", before="My birthday is 3 May"))
    assert (found.value, found.instead_of, found.corrects) == ("4 May", ("3 May",), True)
    assert found.quote == "sorry, I meant 4 May"


def test_a_correction_of_another_kind_of_value_is_left_alone() -> None:
    assert candidates(turn("sorry, I meant blue", before="My birthday is 3 May")) == []


def test_a_state_expires_after_its_last_day() -> None:
    found = only("I'm on vacation until Friday.")
    assert (found.kind, found.text) == (Kind.STATE, "The user is on vacation until 2026-11-20")
    assert found.expires_at == datetime(2026, 11, 21, tzinfo=UTC)


def test_only_the_user_is_read() -> None:
    assert learned(("assistant", "I live in Rome."), ("tool", "My name is Anna.")) == []


def test_keys_are_those_of_the_prompt() -> None:
    assert {each.key for each in MEANINGS.values() if each.key} == set(KEYS)


EXAMPLES = re.findall(
    r"^\| ([^|]+[.。]) \| ([^|]+) \|",
    (PROJECT / "docs" / "reference" / "learning-without-a-model.md").read_text("utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: row[0])
def test_an_example_in_the_reference_is_learned_as_it_says(row: tuple[str, str]) -> None:
    said, text = row
    assert text in learned(said)


def test_the_reference_has_examples() -> None:
    assert len(EXAMPLES) > 15
