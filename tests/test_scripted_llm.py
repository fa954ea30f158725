"""The language model that tests script."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Completion, Llm, Prompt
from erstwhile.testing.scripted_llm import ScriptedLlm

PROMPT = Prompt(system="Find facts.", user="Hello", schema={"type": "object"})


def test_it_says_what_it_was_told_in_order() -> None:
    whole = Completion(text="counted", input=3, output=1)
    llm = ScriptedLlm(
        "plain", {"text": "é"}, whole, lambda prompt: prompt.user, lambda _prompt: whole
    )
    said = [llm.complete(PROMPT) for _ in range(5)]
    assert [each.text for each in said] == ["plain", '{"text": "é"}', "counted", "Hello", "counted"]
    assert said[2] is whole
    assert llm.prompts == [PROMPT] * 5


def test_it_fails_when_it_was_told_to() -> None:
    llm: Llm = ScriptedLlm(LlmError("429", retry_after=3.0), lambda _prompt: KeyError("odd"), "x")
    with pytest.raises(LlmError, match="429"):
        llm.complete(PROMPT)
    with pytest.raises(KeyError):
        llm.complete(PROMPT)
    assert llm.complete(PROMPT).text == "x"


def test_it_can_be_cancelled() -> None:
    llm = ScriptedLlm("x")
    with pytest.raises(LlmError, match="cancelled"):
        llm.complete(PROMPT, lambda: True)
    assert llm.complete(PROMPT).text == "x"


def test_a_question_too_many_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="question 1"):
        ScriptedLlm().complete(PROMPT)
