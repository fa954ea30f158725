"""The language model whose answers a test writes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Completion, Llm, Prompt
from erstwhile.testing.scripted_llm import ScriptedLlm

PROMPT = Prompt(system="Find facts.", user="Hello", schema={"type": "object"})


def test_it_gives_the_answers_in_order() -> None:
    whole = Completion(text="counted", input=3, output=1)
    llm = ScriptedLlm(
        "plain", {"text": "é"}, whole, lambda prompt: prompt.user, lambda _prompt: whole
    )
    answers = [llm.complete(PROMPT) for _ in range(5)]
    assert [each.text for each in answers] == [
        "plain",
        '{"text": "é"}',
        "counted",
        "Hello",
        "counted",
    ]
    assert answers[2] is whole
    assert llm.prompts == [PROMPT] * 5


def test_it_raises_the_errors_of_the_script() -> None:
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


def test_a_call_without_an_answer_left_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="prompt 1"):
        ScriptedLlm().complete(PROMPT)


def test_it_needs_no_pytest() -> None:
    code = "import sys, erstwhile.testing.scripted_llm; assert 'pytest' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
