"""Provenance: whose words a proposal rests on, and what it may change because of that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from erstwhile import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.provenance import with_provenance
from erstwhile.learning.turn import Turn
from erstwhile.types import Origin
from tests.cases import cases
from tests.learning.facts_and_candidates import fact
from tests.learning.user_turns import turn

CASES = cases(__file__)

PAGE = "Supplier portal. The supplier account is XX99 now."


def traced(
    said: Turn | str, quote: str, text: str = "The user lives in Lisbon", *known: Fact, **more: Any
) -> Candidate:
    """Return the proposal of a model with its provenance."""
    given = turn(said) if isinstance(said, str) else said
    candidate = Candidate(text=text, quote=quote, found_by="llm:tiny", **more)
    return with_provenance(candidate, given, known)


@pytest.mark.parametrize(
    ("said", "quote", "kept"), CASES["a_quotation_is_found_however_it_is_written"]
)
def test_a_quotation_is_found_however_it_is_written(said: str, quote: str, kept: str) -> None:
    found = traced(said, quote)
    assert (found.quote, found.messages, found.origin) == (kept, ("m0",), Origin.LEARNED)
    assert found.held is None


def test_a_quotation_with_other_words_in_it_is_found_by_its_sentence() -> None:
    found = traced("I now live in sunny Lisbon. Any tips?", "I live in Lisbon")
    assert (found.quote, found.held) == ("I now live in sunny Lisbon.", None)


@pytest.mark.parametrize("quote", ["", "I work at Initech", "I start", "I live in Lis", "…"])
def test_words_that_nobody_said_are_held(quote: str) -> None:
    assert traced("I live in Lisbon. I restart it.", quote).rules == "provenance/unquoted"


def test_words_of_the_exchange_before_are_held() -> None:
    asked = turn("I live in Lisbon", ("assistant", "Nice."))
    held = traced(replace(turn("What next?"), before=asked.lines), "I live in Lisbon").held
    assert held is not None
    assert held.reason == "only the previous exchange says it"


def test_what_the_assistant_repeats_is_still_the_user_s() -> None:
    said = turn(("assistant", "You said: I live in Lisbon."), "I live in Lisbon.")
    found = traced(said, "I live in Lisbon")
    assert (found.messages, found.origin, found.held) == (("m1",), Origin.LEARNED, None)


PASTED = "Please read the letter below.\n\nDear Ana, the user lives in Lisbon. Yours, Eve"


@pytest.mark.parametrize(
    ("said", "quote", "held_by", "origin"),
    [
        (turn("Hi", ("assistant", "You live in Lisbon.")), "You live in Lisbon",
         "provenance/assistant", Origin.AGENT),
        (turn("Look it up", ("tool", "Ana lives in Lisbon")), "Ana lives in Lisbon",
         "provenance/tool", Origin.TOOL),
        (turn(PASTED), "the user lives in Lisbon", "provenance/pasted", Origin.DOCUMENT),
        (turn("She wrote \"I have always lived in Lisbon, you know.\" Nice."),
         "I have always lived in Lisbon", "provenance/pasted", Origin.DOCUMENT),
        (turn("Look at this:\n> I live in Lisbon\nFunny."), "I live in Lisbon",
         "provenance/pasted", Origin.DOCUMENT),
    ],
    ids=["assistant", "tool", "pasted", "quoted", "cited"],
)  # fmt: skip
def test_words_of_others_are_held(said: Turn, quote: str, held_by: str, origin: Origin) -> None:
    found = traced(said, quote)
    assert (found.rules, found.origin) == (held_by, origin)


def test_what_an_assistant_says_after_a_tool_is_the_tool_s() -> None:
    lines = turn("Hi", ("assistant", "You live in Lisbon.")).lines
    said = replace(turn(), lines=(lines[0], replace(lines[1], after_tools=True)))
    assert traced(said, "You live in Lisbon").origin is Origin.TOOL


READING = fact("The user reads Emma")


@pytest.mark.parametrize(
    ("said", "text"),
    CASES["titles_terms_and_lists_are_the_user_s_own"],
    ids=["title", "name", "term", "list"],
)
def test_titles_terms_and_lists_are_the_user_s_own(said: str, text: str) -> None:
    """So a change that rests on them goes through."""
    found = traced(said, said.partition("\n")[0], text, READING, replaces=(READING.id,))
    assert (found.held, found.origin, found.unnamed_change) == (None, Origin.LEARNED, False)


ACCOUNT = fact("The supplier account is DE11", key="home", value="DE11")
CHECK = "Please read the page and tell me what it says about the account."


@pytest.mark.parametrize(
    "said",
    [turn(CHECK, ("tool", PAGE)), turn(f"{CHECK}\n\n> {PAGE}")],
    ids=["tool", "pasted"],
)
def test_a_value_of_foreign_text_is_held_whatever_is_quoted(said: Turn) -> None:
    """So it replaces nothing, and is the value of no key."""
    found = traced(
        said, CHECK, "The supplier account is XX99", ACCOUNT, replaces=(ACCOUNT.id,), value="XX99"
    )
    assert (found.rules, found.origin) == ("provenance/tool", Origin.TOOL)


def test_foreign_text_ends_nothing_that_the_user_does_not_name() -> None:
    ends = {"ends": True, "replaces": (ACCOUNT.id,)}
    read = turn("Thank you for the summary. I like it.", ("tool", PAGE))
    named = turn("The supplier account is gone.", ("tool", PAGE))
    assert traced(read, "I like it", ACCOUNT.text, ACCOUNT, **ends).unnamed_change
    found = traced(named, "The supplier account is gone", ACCOUNT.text, ACCOUNT, **ends)
    assert not found.unnamed_change


def test_a_statement_beside_foreign_text_may_change_a_fact() -> None:
    said = turn("I moved to Porto. What is the weather?", ("tool", "Porto: 21 degrees"))
    home = fact("The user lives in Lisbon")
    found = traced(said, "I moved to Porto", "The user lives in Porto", home, replaces=(home.id,))
    assert (found.held, found.unnamed_change) == (None, False)


def test_a_question_alone_changes_nothing() -> None:
    asked = "Is the account XX99?"
    assert traced(asked, asked, "The account is XX99").unnamed_change
    vim = "Any light theme for my Vim?"
    assert not traced(vim, "my Vim", "The user uses Vim").unnamed_change


@pytest.mark.parametrize("date", ["2026-03-02", "2026-03", "2026"])
def test_the_date_of_the_turn_is_no_reason_to_hold(date: str) -> None:
    """Neither beside a tool that names it, nor beside an assistant that does."""
    text = f"As of {date} the user is on page 220 of Dune"
    for role in ("tool", "assistant"):
        said = turn("I'm on page 220 of Dune.", (role, f"Today is {date}."))
        assert traced(said, "I'm on page 220 of Dune", text).held is None


@pytest.mark.parametrize("code", ["XX99", "eve.example/pay", "4471023", "ana@mail.example"])
def test_an_identifier_that_only_the_assistant_says_is_held(code: str) -> None:
    said = turn("Tell me where it goes.", ("assistant", f"It goes to {code}."))
    found = traced(said, "where it goes", f"The money goes to {code}")
    assert (found.rules, found.origin) == ("provenance/assistant", Origin.AGENT)
    own = turn(f"It goes to {code}.", ("assistant", f"So it goes to {code}."))
    assert traced(own, "It goes to", f"The money goes to {code}").held is None


@pytest.mark.parametrize(
    ("asked", "held"), [("Do you live in Lisbon?", ""), ("Shall I go on?", "provenance/unasked")]
)
def test_a_yes_accepts_what_was_asked_and_nothing_else(asked: str, held: str) -> None:
    said = replace(turn("Yes."), before=turn("Hi", ("assistant", asked)).lines)
    assert traced(said, "Yes").rules == held
