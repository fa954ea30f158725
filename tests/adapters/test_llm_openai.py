"""A language model behind OpenAI's interface, on a real connection."""

from __future__ import annotations

from dataclasses import replace

import pytest

from erstwhile.adapters.llm.openai import OpenAiLlm
from erstwhile.core.errors import InvalidInputError, LlmError
from erstwhile.core.ports import Completion
from tests.adapters.llm_server import GOOD, KEY, PROMPT, failing
from tests.adapters.loopback import Answer, LoopbackServer

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


def test_a_server_of_your_own_is_told_the_form_as_well(
    llms: LoopbackServer, llm: OpenAiLlm
) -> None:
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


def test_a_model_with_another_name_for_the_limit_is_asked_with_that(
    llms: LoopbackServer, llm: OpenAiLlm
) -> None:
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


def test_the_address_may_stand_in_the_environment(
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
