"""A language model behind OpenAI's interface: requests, and answers in all forms."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from erstwhile.adapters.llm.openai import OpenAiLlm
from erstwhile.adapters.tokenizers import EstimatingTokenizer
from erstwhile.core.errors import InvalidInputError, LlmError
from erstwhile.core.ports import Completion, Tokens
from tests.adapters.llm_server import GOOD, KEY, PROMPT, chat, failing, json_saying
from tests.adapters.loopback import Answer, LoopbackServer
from tests.cases import cases

CASES = cases(__file__)

FORM = '{"memories": [{"text": string, "kind"?: "fact" | "preference"}, ...]}'
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
    """Every field is required and no other allowed; an optional one may be null."""
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


def test_other_servers_get_the_form_in_the_prompt(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    """Many servers silently ignore unknown parameters."""
    llm.complete(PROMPT)
    assert FORM in llms.seen[0].body["messages"][0]["content"]


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
    """The process never sends a schema to it again."""
    llms.script.append(refusal)
    assert llm.complete(PROMPT).text == GOOD
    assert llm.complete(PROMPT).text == GOOD
    with_schema = ["response_format" in seen.body for seen in llms.seen]
    assert with_schema == [True, False, False]
    assert '"memories"' in llms.seen[-1].body["messages"][0]["content"]


def test_the_other_name_of_the_limit_is_tried(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    """The error names both parameters; the first is the refused one."""
    words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    llms.script += [failing(400, words), failing(400, "temperature does not support 0")]
    assert llm.complete(PROMPT).text == GOOD
    last = llms.seen[-1].body
    assert last["max_completion_tokens"] > 500
    assert not {"max_tokens", "temperature"} & last.keys()
    assert "response_format" in last


def test_a_model_that_thinks_is_asked_to_think_little(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    """It gets more tokens: its thoughts count against the limit of the answer."""
    llms.script.append(failing(400, "Unsupported value", param="temperature"))
    llm.complete(PROMPT)
    assert [seen.body.get("reasoning_effort") for seen in llms.seen] == [None, "low"]
    assert llms.seen[1].body["max_tokens"] >= 500 + 4_000
    llms.script.append(failing(400, "Unrecognized argument", param="reasoning_effort"))
    llm.complete(PROMPT)
    llm.complete(PROMPT)
    assert "reasoning_effort" not in llms.seen[-1].body


def test_a_refusal_is_believed_when_the_rest_works(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    """A server that quotes the request names every parameter in any error."""
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


def test_what_cannot_be_encoded_is_replaced(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    llm.complete(replace(PROMPT, user="a\ud800b"))
    assert llms.seen[0].body["messages"][1]["content"] == "a?b"


def test_the_key_of_the_environment_is_sent(
    llms: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read for each call, so that a new key is used at once."""
    llm = OpenAiLlm("test-model", llms.url)
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    llm.complete(PROMPT)
    assert f"Bearer {KEY}" in llms.seen[0].headers.values()
    assert KEY not in repr(llm)


def test_a_server_on_this_machine_needs_no_key(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    llm.complete(PROMPT)
    assert "Bearer none" in llms.seen[0].headers.values()


def test_the_environment_may_set_the_address(
    llms: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", llms.url)
    assert OpenAiLlm("test-model").complete(PROMPT).text == GOOD


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1//", "/v1/chat/completions"])
def test_an_address_may_hold_what_the_package_adds(llms: LoopbackServer, path: str) -> None:
    assert OpenAiLlm("test-model", f"{llms.root}{path}").complete(PROMPT).text == GOOD
    assert llms.seen[0].path == "/v1/chat/completions"


def test_what_an_address_asks_for_stays_at_its_end(llms: LoopbackServer) -> None:
    """Some servers need a version or a key there, which no message shows."""
    llm = OpenAiLlm("test-model", f"{llms.url}?api-version=2026-01-01&key={KEY}")
    with pytest.raises(LlmError) as caught:  # this server knows no such path
        llm.complete(PROMPT)
    assert llms.seen[0].path == f"/v1/chat/completions?api-version=2026-01-01&key={KEY}"
    assert KEY not in f"{caught.value} {llm!r}"


def test_an_address_without_its_end_is_hinted_at(llms: LoopbackServer) -> None:
    with pytest.raises(LlmError, match=r"404.* /v1"):
        OpenAiLlm("test-model", llms.root).complete(PROMPT)


def test_openai_itself_is_asked_in_its_newest_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """It enforces the schema, so the prompt does not repeat it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    asked = OpenAiLlm("gpt-4o-mini")._arguments(PROMPT, frozenset())
    assert asked["max_completion_tokens"] == 500
    assert asked["messages"][0]["content"] == PROMPT.system
    refused = OpenAiLlm("gpt-4o-mini")._arguments(PROMPT, frozenset({"response_format"}))
    assert FORM in refused["messages"][0]["content"]


@pytest.mark.parametrize("timeout", [0, -1, 3601, float("nan")])
def test_a_wrong_timeout_is_refused(timeout: float) -> None:
    with pytest.raises(InvalidInputError, match="timeout"):
        OpenAiLlm("test-model", "http://localhost/v1", timeout)


@pytest.mark.parametrize(("usage", "counted"), CASES["tokens_are_counted_once"])
def test_tokens_are_counted_once(
    llms: LoopbackServer,
    llm: OpenAiLlm,
    usage: dict[str, Any],
    counted: list[int],
) -> None:
    """The server counts cached tokens as part of the prompt; we do not."""
    llms.script.append(chat(usage=usage))
    done = llm.complete(PROMPT)
    assert [done.input, done.output, done.cache_read, done.cache_write] == counted


def test_an_answer_may_be_all_that_is_said(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    """Some servers give no stop reason."""
    llms.script.append(json_saying({"choices": [{"message": {"content": GOOD}}]}))
    assert llm.complete(PROMPT).text == GOOD


@pytest.mark.parametrize("usage", CASES["missing_counts_are_estimated"])
def test_missing_counts_are_estimated(
    llms: LoopbackServer, llm: OpenAiLlm, usage: dict[str, Any]
) -> None:
    """A limit without token counts would never be reached."""
    llms.script.append(chat(usage=usage))
    done = llm.complete(PROMPT)
    assert (done.input, done.output) == (_most(PROMPT.system) + _most(PROMPT.user), _most(GOOD))


def _most(text: str) -> int:
    return EstimatingTokenizer().count(text)


THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "hm {"}]}
CALL = {"id": "1", "type": "function", "function": {"name": "answer", "arguments": GOOD}}


@pytest.mark.parametrize(
    "answer",
    [
        chat([{"type": "text", "text": GOOD[:9]}, {"type": "text", "text": GOOD[9:]}]),
        chat([THOUGHT, {"type": "output_text", "text": GOOD}]),
        chat([GOOD[:9], GOOD[9:]]),
        chat(GOOD, reasoning_content="hm {", reasoning="hm {"),
        chat(None, finish="tool_calls", tool_calls=[CALL]),
        chat("", finish="tool_calls", tool_calls=[CALL]),
        chat(finish="eos"),
    ],
)
def test_other_forms_of_answers_are_read(
    llms: LoopbackServer, llm: OpenAiLlm, answer: Answer
) -> None:
    """In parts, with thoughts, or as the call of a tool."""
    llms.script.append(answer)
    assert llm.complete(PROMPT).text == GOOD


def test_an_answer_in_any_script_arrives_whole(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    said = json.dumps({"memories": [{"text": "阿娜住在里昂 🦊 é"}]}, ensure_ascii=False)
    llms.script.append(chat(said))
    assert llm.complete(PROMPT).text == said
    assert llms.seen[0].body["messages"][1]["content"] == PROMPT.user


@pytest.mark.parametrize(
    "answer",
    [
        chat("half of it", finish="length"),
        chat(finish="length"),
        chat(None, finish="length", reasoning_content="I have been thinking, and"),
        chat(finish="model_length"),
        chat(finish="MAX_TOKENS"),
    ],
)
def test_a_cut_off_answer_is_an_error(llms: LoopbackServer, llm: OpenAiLlm, answer: Answer) -> None:
    """Even if it looks complete."""
    llms.script.append(answer)
    with pytest.raises(LlmError, match="cut off") as caught:
        llm.complete(PROMPT)
    assert not caught.value.retryable
    assert caught.value.spent == Tokens(input=30, output=7)


@pytest.mark.parametrize(
    "answer", [chat(None, refusal="I cannot help with that"), chat(finish="content_filter")]
)
def test_a_refusal_is_an_error(llms: LoopbackServer, llm: OpenAiLlm, answer: Answer) -> None:
    llms.script.append(answer)
    with pytest.raises(LlmError, match="declined") as caught:
        llm.complete(PROMPT)
    assert not caught.value.retryable


@pytest.mark.parametrize("reason", ["error", "insufficient_system_resource"])
def test_an_unfinished_answer_is_retryable(
    llms: LoopbackServer, llm: OpenAiLlm, reason: str
) -> None:
    llms.script.append(chat(GOOD[:20], finish=reason))
    with pytest.raises(LlmError, match="did not finish") as caught:
        llm.complete(PROMPT)
    assert caught.value.retryable
    assert caught.value.spent == Tokens(input=30, output=7)


@pytest.mark.parametrize("text", [None, "", " \n", 7, [7], [THOUGHT], {"memories": []}])
def test_an_empty_answer_is_an_error(llms: LoopbackServer, llm: OpenAiLlm, text: object) -> None:
    llms.script.append(chat(text))
    with pytest.raises(LlmError, match="an empty answer") as caught:
        llm.complete(PROMPT)
    assert not caught.value.retryable, "else a turn that leaves it speechless blocks all others"
    assert caught.value.spent == Tokens(input=30, output=7)
