"""What a second look may decide: it outweighs what is evidence, and no rule about trust."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import erstwhile
from erstwhile.core.errors import InvalidInputError, LlmError
from erstwhile.core.ports import Completion
from erstwhile.core.tokens import Tokens
from erstwhile.learning.candidate import Candidate, CandidateReading
from erstwhile.learning.quoted_words import is_plain
from erstwhile.learning.reading.reader import ReadFate
from erstwhile.learning.second_look.answers import FactFate, SecondLook, Support
from erstwhile.learning.second_look.look import question_about
from erstwhile.learning.candidate import Action, Verdict
from erstwhile.learning.weighing import is_over, is_weighed, was_never_so, weighed
from erstwhile.model_factories import looks_again
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.learning.extraction_answers import adding
from tests.learning.extraction_answers import fact as proposed
from tests.learning.facts_and_candidates import fact
from tests.learning.guard.turns import turn
from tests.learning.verification_answers import verifying

HONDA = fact("The user drives a Honda")
QUOTED = "I sold the Honda."
SAID = SecondLook(support=Support.SAID, fates={HONDA.id: FactFate.OVER})
SOLD = Candidate(
    text="The user sold a Honda",
    quote=QUOTED,
    sentence=QUOTED,
    messages=("user",),
    replaces=(HONDA.id,),
    found_by="llm:x",
    is_alone=True,
    is_plain=True,
    second_look=SAID,
)
QUESTION = Verdict(action=Action.HOLD, text="", rule="grounding/question")
TOOL = Verdict(action=Action.HOLD, text="", rule="lineage/tool")
UNSAID = Verdict(action=Action.HOLD, text="", rule="grounding/unsaid")


def test_it_outweighs_a_rule_about_the_sentence() -> None:
    candidate, verdicts = weighed(SOLD, [QUESTION])
    assert (verdicts, candidate.outweighed) == ((), ("grounding/question",))
    assert is_over(candidate, HONDA, ["UNSAID"], believed=False)
    assert is_weighed(candidate, HONDA)


@pytest.mark.parametrize("rule", [TOOL, UNSAID])
def test_rules_about_trust_and_details_stay(rule: Verdict) -> None:
    assert weighed(SOLD, [rule, QUESTION])[1] == (rule, QUESTION)


def test_words_about_something_else_outweigh_nothing() -> None:
    far = CandidateReading(support=9.0, likeness=0.0, fates={})
    assert weighed(replace(SOLD, reading=far), [QUESTION])[1] == (QUESTION,)
    other = replace(SOLD, sentence="What is two times two?")
    assert weighed(other, [QUESTION])[1] == (QUESTION,)


def test_beside_a_tool_it_may_only_object() -> None:
    beside = replace(SOLD, is_alone=False, is_plain=False)
    assert weighed(beside, [QUESTION])[1] == (QUESTION,)
    assert is_over(beside, HONDA, ["UNSAID"], believed=False) is None
    stays = replace(beside, second_look=SecondLook(fates={HONDA.id: FactFate.GOES_ON}))
    assert is_over(stays, HONDA, ["HOLDS"], believed=True) is False
    joke = replace(beside, second_look=SecondLook(support=Support.JOKE))
    assert [each.rule for each in weighed(joke, [])[1]] == ["second look/joke"]


def test_it_tells_what_was_never_so() -> None:
    never = replace(SOLD, second_look=SecondLook(fates={HONDA.id: FactFate.NEVER_SO}))
    assert was_never_so(never, HONDA, told=False)
    assert not was_never_so(SOLD, HONDA, told=True)
    assert not was_never_so(replace(never, is_plain=False), HONDA, told=False)


def test_words_about_something_else_end_nothing() -> None:
    """Without the network the words must share one with the fact; with it they may be alike."""
    said = "I bought a new lamp for the kitchen."
    ending = replace(SOLD, text=HONDA.text, ends=True, quote=said, sentence=said)
    assert is_over(ending, HONDA, ["UNSAID"], believed=False) is None
    assert not is_weighed(ending, HONDA)
    near = CandidateReading(
        support=None, likeness=0.0, fates={HONDA.id: ReadFate(-9.0, 0.0, likeness=0.3)}
    )
    assert is_over(replace(ending, reading=near), HONDA, ["UNSAID"], believed=False)
    far = replace(near, fates={HONDA.id: ReadFate(-9.0, 0.0, likeness=0.05)})
    assert is_over(replace(ending, reading=far), HONDA, ["UNSAID"], believed=False) is None


@pytest.mark.parametrize(
    "said",
    [
        'I got a mail: "The Honda is sold, answer over." I read it on the train.',
        "Dear Ana,\nthe Honda is sold.\nBest, Tom\n\nI think I should answer him.",
        "Look:\n> the Honda is sold\nI read it on the train.",
    ],
)
def test_words_of_others_in_a_message_keep_it_from_confirming(said: str) -> None:
    assert not is_plain(turn(said))
    assert not is_plain(turn("I read it.", before=(said, "Fine.")))
    assert is_plain(turn("I sold the Honda. It wasn’t cheap."))


def test_only_what_it_can_change_is_asked() -> None:
    said = turn(QUOTED)
    assert question_about([(SOLD, (QUESTION,))], said, [HONDA]) is not None
    refused = Verdict(action=Action.REFUSE, text="", rule="secrets/x")
    for verdicts in [(TOOL,), (UNSAID,), (refused,)]:
        assert question_about([(SOLD, verdicts)], said, [HONDA]) is None
    beside = replace(SOLD, is_alone=False, is_plain=False)
    assert question_about([(beside, (QUESTION,))], said, [HONDA]) is None
    assert question_about([(beside, ())], said, [HONDA]) is not None
    by_pattern = replace(SOLD, found_by="pattern:x")
    assert question_about([(by_pattern, ())], said, [HONDA]) is None


@pytest.mark.parametrize(
    ("setting", "llm", "asked"),
    [
        ("auto", "openai:x", True),
        ("auto", None, True),
        ("auto", ScriptedLlm(), False),
        ("yes", ScriptedLlm(), True),
        ("no", "openai:x", False),
    ],
)
def test_a_named_model_is_asked_again_unless_the_setting_says_otherwise(
    setting: str, llm: ScriptedLlm | str | None, asked: bool
) -> None:
    assert looks_again(llm, erstwhile.Settings(second_look=setting)) is asked


def test_another_setting_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="second_look") as refused:
        erstwhile.Settings(second_look="sometimes")
    assert refused.value.remedy == "use auto, yes or no"


def _memory(llm: ScriptedLlm, limit: str = "none") -> erstwhile.Memory:
    chosen = erstwhile.Settings(second_look="yes", embedder="none", daily_limit=limit)
    return erstwhile.open(":memory:", settings=chosen, llm=llm).scoped(user="ana")


LISBON = adding(proposed("The user lives in Lisbon", "profile", quote="I live in Lisbon"))


def test_at_the_daily_limit_it_is_not_asked() -> None:
    llm = ScriptedLlm(LISBON, verifying("joke"))
    ana = _memory(llm, limit="500 tokens")
    ana.usage.record("scripted", input=1)  # the agent's own calls do not count
    ana.observe_turn("I live in Lisbon.", "Fine.", wait=True)
    assert (len(llm.prompts), len(ana.facts.list())) == (2, 0)
    spent = ScriptedLlm(_paid(600), verifying("joke"))
    bob = _memory(spent, limit="500 tokens")
    bob.observe_turn("I live in Lisbon.", "Fine.", wait=True)
    assert len(spent.prompts) == 2  # the first call is stored with its turn
    [attempt] = bob.observe_turn("I live in Lisbon.", "Fine.", wait=True).attempts
    assert attempt.method == "patterns"


def _paid(tokens: int) -> Completion:
    return Completion(text=json.dumps(LISBON), input=tokens)


def test_patterns_and_empty_answers_ask_nothing() -> None:
    llm = ScriptedLlm({"add": [], "supersede": [], "end": []})
    ana = _memory(llm)
    ana.observe_turn("I live in Lisbon.", "Fine.", wait=True)
    assert len(llm.prompts) == 1


def test_tokens_of_a_second_call_that_fails_are_counted() -> None:
    failure = LlmError("cut off", retryable=False, spent=Tokens(input=40, output=5))
    llm = ScriptedLlm(_paid(100), failure)
    ana = _memory(llm)
    [attempt] = ana.observe_turn("I live in Lisbon.", "Fine.", wait=True).attempts
    assert (attempt.input, attempt.output) == (140, 5)
    assert "not asked again: cut off" in (attempt.reason or "")
    assert len(ana.facts.list()) == 1
