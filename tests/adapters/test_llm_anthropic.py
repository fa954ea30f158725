"""A language model behind Anthropic's interface, on a real connection."""

from __future__ import annotations

import pytest

from erstwhile.adapters.llm.anthropic import AnthropicLlm
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Completion
from tests.adapters.llm_server import GOOD, KEY, PROMPT, claude, failing, json_saying
from tests.adapters.loopback import Answer, LoopbackServer


@pytest.fixture
def llm(llms: LoopbackServer) -> AnthropicLlm:
    return AnthropicLlm("test-model", llms.root)


def test_a_question_is_answered(llms: LoopbackServer, llm: AnthropicLlm) -> None:
    assert llm.complete(PROMPT) == Completion(text=GOOD, input=30, output=7)
    [seen] = llms.seen
    assert seen.path == "/v1/messages"
    assert seen.body["model"] == llm.model == "test-model"
    assert seen.body["messages"] == [{"role": "user", "content": PROMPT.user}]
    assert (seen.body["system"], seen.body["max_tokens"]) == (PROMPT.system, 500)


def test_the_schema_is_enforced_in_its_closed_form(llms: LoopbackServer, llm: AnthropicLlm) -> None:
    """Optional fields stay optional; unsupported keywords are not sent."""
    llm.complete(PROMPT)
    form = llms.seen[0].body["output_config"]["format"]
    assert form["type"] == "json_schema"
    assert form["schema"]["additionalProperties"] is False
    assert form["schema"]["properties"]["memories"]["items"] == {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "kind": {"type": "string", "enum": ["fact", "preference"]},
        },
        "required": ["text"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "words",
    [
        "output_config: Extra inputs are not permitted",
        "'old-model' does not support output format.",
        "output_config.format.schema: too many optional parameters",
        "Structured outputs are not available for this model",
    ],
)
def test_a_model_without_schemas_is_asked_without_one(
    llms: LoopbackServer, llm: AnthropicLlm, words: str
) -> None:
    llms.script.append(failing(400, words, type="invalid_request_error"))
    assert llm.complete(PROMPT).text == GOOD
    assert llm.complete(PROMPT).text == GOOD
    assert ["output_config" in seen.body for seen in llms.seen] == [True, False, False]
    assert '"memories"' in llms.seen[-1].body["system"]


def test_only_what_was_said_counts(llms: LoopbackServer, llm: AnthropicLlm) -> None:
    """Thoughts are no part of the answer."""
    llms.script.append(claude('{"memories":', " []}", thought="hm {"))
    assert llm.complete(PROMPT).text == '{"memories": []}'


def test_tokens_are_counted_once(llms: LoopbackServer, llm: AnthropicLlm) -> None:
    usage = {"input_tokens": 10, "output_tokens": 20}
    cached = {"cache_read_input_tokens": 60, "cache_creation_input_tokens": 30}
    llms.script.append(claude(usage=usage | cached))
    done = llm.complete(PROMPT)
    assert (done.input, done.output, done.cache_read, done.cache_write) == (10, 20, 60, 30)


def test_an_answer_may_be_all_that_is_said(llms: LoopbackServer, llm: AnthropicLlm) -> None:
    """Its tokens are then estimated, so that a limit holds."""
    llms.script.append(json_saying({"content": [{"type": "text", "text": GOOD}]}))
    done = llm.complete(PROMPT)
    assert done.text == GOOD
    assert done.input > 10
    assert done.output > 10


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (claude("half", stop="max_tokens"), "cut off"),
        (claude("half", stop="model_context_window_exceeded"), "cut off"),
        (claude("I'd rather not", stop="refusal"), "declined"),
    ],
)
def test_an_answer_that_is_none_is_an_error(
    llms: LoopbackServer, llm: AnthropicLlm, answer: Answer, said: str
) -> None:
    llms.script.append(answer)
    with pytest.raises(LlmError, match=said) as caught:
        llm.complete(PROMPT)
    assert not caught.value.retryable


def test_an_empty_answer_is_an_error(llms: LoopbackServer, llm: AnthropicLlm) -> None:
    llms.script.append(claude(" "))
    with pytest.raises(LlmError, match="an empty answer"):
        llm.complete(PROMPT)


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/messages"])
def test_an_address_may_hold_what_the_package_adds(llms: LoopbackServer, path: str) -> None:
    assert AnthropicLlm("test-model", f"{llms.root}{path}").complete(PROMPT).text == GOOD
    assert llms.seen[0].path == "/v1/messages"


def test_the_key_of_the_environment_is_sent(
    llms: LoopbackServer, llm: AnthropicLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    llm.complete(PROMPT)
    assert [name for name, value in llms.seen[0].headers.items() if KEY in value]
    assert KEY not in repr(llm)
