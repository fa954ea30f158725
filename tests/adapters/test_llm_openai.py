"""A language model behind OpenAI's interface, on a real connection."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from recollect.adapters.llm.openai import OpenAiLlm
from recollect.model.errors import InvalidInputError, LlmError
from recollect.model.usage import Tokens
from recollect.ports import Completion
from tests.adapters.llm_server import GOOD, KEY, PROMPT, SCHEMA, chat, failing, json_saying
from tests.adapters.loopback import Answer, LoopbackServer

NO_SCHEMA = failing(400, "This response_format type is unavailable now", param="response_format")


@pytest.fixture
def llm(llms: LoopbackServer) -> OpenAiLlm:
    return OpenAiLlm("test-model", llms.url)


def test_a_question_is_answered(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    assert llm.complete(PROMPT) == Completion(text=GOOD, input=30, output=7)
    [seen] = llms.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.body["model"] == llm.model == "test-model"
    system, user = seen.body["messages"]
    assert (system["role"], user) == ("system", {"role": "user", "content": PROMPT.user})
    assert system["content"].startswith("Find facts.")
    assert (seen.body["max_tokens"], seen.body["temperature"]) == (500, 0)


def test_the_schema_is_enforced_in_the_strict_form(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    """Every field is required and no other allowed; what may be left out may be null."""
    llm.complete(PROMPT)
    asked = llms.seen[0].body["response_format"]
    assert (asked["type"], asked["json_schema"]["strict"]) == ("json_schema", True)
    item = asked["json_schema"]["schema"]["properties"]["memories"]["items"]
    assert item == {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "kind": {"type": ["string", "null"], "enum": ["fact", "preference", None]},
        },
        "required": ["text", "kind"],
        "additionalProperties": False,
    }


def test_a_server_of_your_own_is_told_the_schema_as_well(
    llms: LoopbackServer, llm: OpenAiLlm
) -> None:
    """Many ignore what they do not know, without a word."""
    llm.complete(PROMPT)
    assert '"memories"' in llms.seen[0].body["messages"][0]["content"]


@pytest.mark.parametrize(
    "refusal",
    [
        NO_SCHEMA,
        failing(400, "'response_format.type' must be 'json_object' or 'text'"),
        failing(422, "[{'loc': ['body', 'response_format'], 'msg': 'extra fields not permitted'}]"),
        failing(400, "Failed to parse grammar"),
        failing(400, "Invalid schema", param=7),
    ],
)
def test_a_server_without_schemas_is_asked_without_one(
    llms: LoopbackServer, llm: OpenAiLlm, refusal: Answer
) -> None:
    """And never again with one, as long as the process lives."""
    llms.script.append(refusal)
    assert llm.complete(PROMPT).text == GOOD
    assert llm.complete(PROMPT).text == GOOD
    with_schema = ["response_format" in seen.body for seen in llms.seen]
    assert with_schema == [True, False, False]
    assert '"memories"' in llms.seen[-1].body["messages"][0]["content"]


def test_a_model_with_another_name_for_the_limit_is_asked_with_that(
    llms: LoopbackServer, llm: OpenAiLlm
) -> None:
    """Both names stand in the complaint; the first is the one that is refused."""
    words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    llms.script += [failing(400, words), failing(400, "temperature does not support 0")]
    assert llm.complete(PROMPT).text == GOOD
    last = llms.seen[-1].body
    assert last["max_completion_tokens"] == 500
    assert not {"max_tokens", "temperature"} & last.keys()
    assert "response_format" in last


def test_a_refusal_is_believed_when_the_rest_works(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    """A server that quotes the request names every parameter, whatever its complaint is."""
    llms.script += [NO_SCHEMA, failing(400, "no such model")]
    with pytest.raises(LlmError):
        llm.complete(PROMPT)
    llm.complete(PROMPT)
    assert ["response_format" in seen.body for seen in llms.seen] == [True, False, True]


def test_what_is_refused_for_ever_ends(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    words = "response_format max_tokens max_completion_tokens temperature"
    llms.script.extend([failing(400, words)] * 99)
    with pytest.raises(LlmError, match="400"):
        llm.complete(PROMPT)
    assert len(llms.seen) == 5


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 2}, (9, 2, 0, 0)),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
                "completion_tokens_details": {"reasoning_tokens": 15},
            },
            (10, 20, 60, 30),
        ),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 50}}, (0, 0, 5, 0)),
        ({"prompt_tokens": None, "completion_tokens": "7"}, (0, 0, 0, 0)),
        ({"prompt_tokens": -1, "completion_tokens": 10**12}, (0, 0, 0, 0)),
        ({"prompt_tokens": True, "prompt_tokens_details": None}, (0, 0, 0, 0)),
    ],
)
def test_tokens_are_counted_once(
    llms: LoopbackServer,
    llm: OpenAiLlm,
    usage: dict[str, Any],
    counted: tuple[int, int, int, int],
) -> None:
    """Its prompt includes what the cache was used for; ours does not."""
    llms.script.append(chat(usage=usage))
    done = llm.complete(PROMPT)
    assert (done.input, done.output, done.cache_read, done.cache_write) == counted


def test_an_answer_may_be_all_that_is_said(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    """Some servers count nothing, and say no reason for their end."""
    llms.script.append(json_saying({"choices": [{"message": {"content": GOOD}}]}))
    assert llm.complete(PROMPT) == Completion(text=GOOD)


def test_an_answer_in_any_script_arrives_whole(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    said = json.dumps({"memories": [{"text": "阿娜住在里昂 🦊 é"}]}, ensure_ascii=False)
    llms.script.append(chat(said))
    assert llm.complete(PROMPT).text == said
    assert llms.seen[0].body["messages"][1]["content"] == PROMPT.user


def test_what_cannot_be_encoded_is_replaced(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    llm.complete(replace(PROMPT, user="a\ud800b"))
    assert llms.seen[0].body["messages"][1]["content"] == "a?b"


@pytest.mark.parametrize("answer", [chat("half of it", finish="length"), chat(finish="length")])
def test_an_answer_that_is_cut_off_is_an_error(
    llms: LoopbackServer, llm: OpenAiLlm, answer: Answer
) -> None:
    """Even if it looks whole."""
    llms.script.append(answer)
    with pytest.raises(LlmError, match="cut off at the limit of 500 tokens") as caught:
        llm.complete(PROMPT)
    assert not caught.value.retryable
    assert caught.value.spent == Tokens(input=30, output=7)


@pytest.mark.parametrize(
    "answer", [chat(None, refusal="I cannot help with that"), chat(finish="content_filter")]
)
def test_a_model_that_declines_is_an_error(
    llms: LoopbackServer, llm: OpenAiLlm, answer: Answer
) -> None:
    llms.script.append(answer)
    with pytest.raises(LlmError, match="declined") as caught:
        llm.complete(PROMPT)
    assert not caught.value.retryable


@pytest.mark.parametrize("text", [None, "", " \n", 7, ["x"]])
def test_an_answer_without_text_is_an_error(
    llms: LoopbackServer, llm: OpenAiLlm, text: object
) -> None:
    llms.script.append(chat(text))
    with pytest.raises(LlmError, match="without a word") as caught:
        llm.complete(PROMPT)
    assert caught.value.retryable


def test_the_key_of_the_environment_is_sent(
    llms: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read for each question, so that a new one is used at once."""
    llm = OpenAiLlm("test-model", llms.url)
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    llm.complete(PROMPT)
    assert f"Bearer {KEY}" in llms.seen[0].headers.values()
    assert KEY not in repr(llm)


def test_a_server_on_this_machine_needs_no_key(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    llm.complete(PROMPT)
    assert "Bearer none" in llms.seen[0].headers.values()


def test_the_address_may_stand_in_the_environment(
    llms: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", llms.url)
    assert OpenAiLlm("test-model").complete(PROMPT).text == GOOD


def test_openai_itself_is_asked_in_its_newest_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """It enforces the schema, so that no tokens are spent on saying it again."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    asked = OpenAiLlm("gpt-4o-mini")._asked(PROMPT, frozenset())
    assert asked["max_completion_tokens"] == 500
    assert asked["messages"][0]["content"] == PROMPT.system
    refused = OpenAiLlm("gpt-4o-mini")._asked(PROMPT, frozenset({"response_format"}))
    assert json.dumps(SCHEMA["required"]) in refused["messages"][0]["content"]


@pytest.mark.parametrize("timeout", [0, -1, 3601, float("nan")])
def test_a_wrong_timeout_is_refused(timeout: float) -> None:
    with pytest.raises(InvalidInputError, match="timeout"):
        OpenAiLlm("test-model", "http://localhost/v1", timeout)
