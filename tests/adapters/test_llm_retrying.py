"""Retries of a language model. Nothing sleeps in here: the tests set the time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import pytest

from erstwhile.adapters.http_common import MAX_PAUSE, backoff
from erstwhile.adapters.llm.retrying import FAILURES, MAX_TRYING, TRIES, Breaker, RetryingLlm
from erstwhile.adapters.llm.vendor import TIMEOUT
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Prompt, Tokens
from erstwhile.learning.worker import LEASE, TIME_FOR_A_TURN
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.adapters.llm_server import PROMPT

Retrying: TypeAlias = Callable[..., RetryingLlm]
PASSING = LlmError("500")
FINAL = LlmError("400", retryable=False)


@pytest.fixture
def slept() -> list[float]:
    """Return the seconds that a model would have slept, slice by slice."""
    return []


@pytest.fixture
def retrying(slept: list[float]) -> Retrying:
    return lambda llm: RetryingLlm(llm, sleep=slept.append)


def test_it_is_the_model_that_it_asks(retrying: Retrying) -> None:
    llm = ScriptedLlm("yes", model="gpt-4o-mini")
    assert retrying(llm).model == "gpt-4o-mini"
    assert retrying(llm).complete(PROMPT).text == "yes"
    assert llm.prompts == [PROMPT]


def test_what_may_pass_is_tried_again(retrying: Retrying, slept: list[float]) -> None:
    llm = ScriptedLlm(*[PASSING] * (TRIES - 1), "yes")
    assert retrying(llm).complete(PROMPT).text == "yes"
    assert sum(slept) > 0


def test_patience_ends(retrying: Retrying) -> None:
    """There is no wait after the last try."""
    llm = ScriptedLlm(*[PASSING] * TRIES)
    with pytest.raises(LlmError, match="500"):
        retrying(llm).complete(PROMPT)
    assert len(llm.prompts) == TRIES


def test_pauses_grow(slept: list[float]) -> None:
    """They are random, but a later one is never shorter."""
    pauses: list[float] = []

    def note(_prompt: Prompt) -> LlmError:
        pauses.append(sum(slept))
        return PASSING

    llm = ScriptedLlm(*[note] * 6)
    with pytest.raises(LlmError):
        RetryingLlm(llm, tries=6, sleep=slept.append).complete(PROMPT)
    waits = [after - before for before, after in pairwise(pauses)]
    assert all(0 < shorter < longer for shorter, longer in pairwise(waits))


def test_what_will_not_pass_is_not_repeated(retrying: Retrying, slept: list[float]) -> None:
    llm = ScriptedLlm(FINAL)
    with pytest.raises(LlmError, match="400"):
        retrying(llm).complete(PROMPT)
    assert not slept


def test_a_requested_pause_is_kept(retrying: Retrying, slept: list[float]) -> None:
    llm = ScriptedLlm(LlmError("429", retry_after=7.0), "yes")
    assert retrying(llm).complete(PROMPT).text == "yes"
    assert 7 < sum(slept) < 9


def test_a_long_pause_is_not_waited_for(retrying: Retrying, slept: list[float]) -> None:
    """The error says when to retry."""
    llm = ScriptedLlm(LlmError("429", retry_after=MAX_PAUSE + 1))
    with pytest.raises(LlmError) as caught:
        retrying(llm).complete(PROMPT)
    assert caught.value.retry_after == MAX_PAUSE + 1
    assert not slept


def test_who_cancels_first_asks_nothing(retrying: Retrying) -> None:
    llm = ScriptedLlm("yes")
    with pytest.raises(LlmError, match="cancelled"):
        retrying(llm).complete(PROMPT, lambda: True)
    assert not llm.prompts


def test_a_wait_can_be_cancelled(retrying: Retrying, slept: list[float]) -> None:
    """Within a fraction of a second, and the model is not asked again."""
    llm = ScriptedLlm(LlmError("429", retry_after=15.0), "yes")
    with pytest.raises(LlmError, match="cancelled") as caught:
        retrying(llm).complete(PROMPT, lambda: len(slept) >= 3)
    assert caught.value.retryable
    assert len(llm.prompts) == 1
    assert sum(slept) < 1


def test_a_late_cancel_stops_the_retry(retrying: Retrying, slept: list[float]) -> None:
    """No further call is made, however late it was cancelled."""
    llm = ScriptedLlm(PASSING, "yes")
    with pytest.raises(LlmError, match="cancelled"):
        retrying(llm).complete(PROMPT, lambda: sum(slept) > 0)
    assert len(llm.prompts) == 1


def test_a_model_that_is_down_is_not_asked_for_a_while(slept: list[float]) -> None:
    """The call fails at once, and the error says when to retry."""
    now = [0.0]
    llm = ScriptedLlm(*[PASSING] * TRIES * FAILURES, "yes")
    retrying = RetryingLlm(llm, Breaker(pause=10.0, now=lambda: now[0]), sleep=slept.append)
    for _ in range(FAILURES):
        assert retrying.left_alone is None
        with pytest.raises(LlmError, match="500"):
            retrying.complete(PROMPT)
    before = len(slept)
    assert retrying.left_alone == 10.0
    now[0] = 4.0
    assert retrying.left_alone == 6.0
    now[0] = 0.0
    with pytest.raises(LlmError, match="not called") as caught:
        retrying.complete(PROMPT)
    assert (caught.value.retryable, caught.value.retry_after) == (True, 10.0)
    assert (len(llm.prompts), len(slept)) == (TRIES * FAILURES, before)
    now[0] = 12.0
    assert retrying.left_alone == -2.0
    assert retrying.complete(PROMPT).text == "yes"
    assert retrying.left_alone is None


def test_what_was_paid_for_is_not_asked_again(retrying: Retrying) -> None:
    """The caller decides about a retry, since it checks the limit before each call."""
    llm = ScriptedLlm(LlmError("did not finish", spent=Tokens(input=30, output=2)), "yes")
    with pytest.raises(LlmError, match="did not finish") as caught:
        retrying(llm).complete(PROMPT)
    assert caught.value.spent == Tokens(input=30, output=2)
    assert len(llm.prompts) == 1


def test_what_was_not_looked_at_took_nothing(retrying: Retrying) -> None:
    """`spent` is None, not zero tokens: the prompt is not at fault."""
    for failure in (FINAL, *[PASSING] * TRIES):
        with pytest.raises(LlmError) as caught:
            retrying(ScriptedLlm(*[failure] * TRIES)).complete(PROMPT)
        assert caught.value.spent is None


def test_a_slow_failure_is_not_waited_for_again_and_again(slept: list[float]) -> None:
    """The caller waits or holds a lease. A quick failure is tried three times."""
    now = [0.0]

    def time_out(_prompt: Prompt) -> LlmError:
        now[0] += MAX_TRYING + 1
        return LlmError("too slow")

    llm = ScriptedLlm(time_out, "yes")
    with pytest.raises(LlmError, match="too slow"):
        RetryingLlm(llm, sleep=slept.append, now=lambda: now[0]).complete(PROMPT)
    assert (len(llm.prompts), slept) == (1, [])


def test_a_question_ends_before_the_lease_of_who_asks_it() -> None:
    """Otherwise another learner would take the conversation and repeat the call."""
    longest = MAX_TRYING + MAX_PAUSE + backoff(TRIES) + TIMEOUT
    assert longest < TIME_FOR_A_TURN.total_seconds() < LEASE.total_seconds()
