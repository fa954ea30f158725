"""Salience: only turns that certainly contain nothing are skipped, in any language."""

from __future__ import annotations

from dataclasses import replace

import pytest

import erstwhile
from erstwhile.learning.salience import salience
from erstwhile.learning.turn import Turn
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.cases import cases
from tests.learning.extraction_answers import NOTHING
from tests.learning.user_turns import turn

CASES = cases(__file__)

LOG = "2026-11-16 08:00:01 INFO started\n2026-11-16 08:00:02 ERROR disk full"
TRACE = 'Traceback (most recent call last):\nFile "a.py", line 3\nValueError: no'


@pytest.mark.parametrize(
    "said",
    [
        *map(turn, CASES["all_lines_short_imperatives_and_any_script_are_looked_at"]),
        turn("remember my name", ("assistant", "ok")),  # even with a short answer
        turn("ok\n" * 20_000 + "so we use Postgres"),  # the end of a long message
        # Patterns do not learn from quotations and tables, but a model may understand them.
        *map(turn, ("> I live in Porto", "| name | Mel |", "“Rome is home”")),
        turn("INFO: I moved to Lisbon"),  # a single line that looks like a log
        turn("``` is how you quote, and I use tabs"),  # code without an end
        turn("hi", ("assistant", "Hello!"), "I live in Lisbon"),  # any of several messages
    ],
    ids=lambda said: ascii(said.lines[-1].text[:40]),
)
def test_whatever_may_state_something_is_looked_at(said: Turn) -> None:
    """The whole message counts, Chinese is not counted in words, and "Use pnpm" is a statement."""
    assert salience(said).durable


@pytest.mark.parametrize(("text", "reason"), CASES["what_tells_nothing_is_let_go_with_its_reason"])
def test_what_tells_nothing_is_let_go_with_its_reason(text: str, reason: str) -> None:
    judged = salience(turn(text))
    assert (judged.durable, judged.reason) == (False, reason)


@pytest.mark.parametrize("text", CASES["a_question_is_read"])
def test_a_question_is_read(text: str) -> None:
    """It may state something, and a needless call costs less than a lost fact."""
    judged = salience(turn(text))
    assert (judged.durable, judged.reason) == (True, "question")


@pytest.mark.parametrize(
    ("asked", "read"), [("Do you prefer tabs?", True), ("您在上海吗", True), ("Done.", False)]
)
def test_a_bare_answer_is_read_if_something_was_asked(asked: str, read: bool) -> None:
    answered = replace(turn("yes"), before=turn("Hi", ("assistant", asked)).lines)
    assert salience(answered).durable is read


@pytest.mark.parametrize(("on", "asked"), [(True, 0), (False, 1)])
def test_without_salience_every_turn_is_read(on: bool, asked: int) -> None:
    llm = ScriptedLlm(*[NOTHING] * asked)
    settings = erstwhile.Settings(embedder="none", learning=f"salience {on}")
    with erstwhile.open(":memory:", llm=llm, settings=settings) as memory:
        memory.observe_turn("Thanks!", "You are welcome.", wait=True)
    assert len(llm.prompts) == asked


def test_tools_and_systems_are_not_listened_to() -> None:
    assert not salience(turn("thanks", ("tool", "my name is Mel"), ("system", "be kind"))).durable
