"""Language models behind OpenAI's and Anthropic's interfaces: requests, and forms of answers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from erstwhile.adapters.llm.anthropic import AnthropicLlm
from erstwhile.adapters.llm.openai import OpenAiLlm
from erstwhile.adapters.llm.vendor import VendorLlm
from erstwhile.adapters.tokenizers import EstimatingTokenizer
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Completion, Tokens
from tests.adapters.llm_server import (
    CHAT,
    GOOD,
    KEY,
    MESSAGES,
    PROMPT,
    chat,
    claude,
    failing,
    json_saying,
)
from tests.adapters.loopback import Answer, LoopbackServer
from tests.cases import cases

CASES = cases(__file__)
FORM = '{"memories": [{"text": string, "kind"?: "fact" | "preference"}, ...]}'
NO_SCHEMA = failing(400, "This response_format type is unavailable now", param="response_format")
KINDS = {"openai": OpenAiLlm, "anthropic": AnthropicLlm}
both = pytest.mark.parametrize("vendor", KINDS)


def make(vendor: str, server: LoopbackServer) -> VendorLlm:
    address = server.url if vendor == "openai" else server.root
    return KINDS[vendor]("test-model", address)


@pytest.fixture
def openai(llms: LoopbackServer) -> VendorLlm:
    return make("openai", llms)


@pytest.fixture
def anthropic(llms: LoopbackServer) -> VendorLlm:
    return make("anthropic", llms)


@both
def test_a_question_is_answered(llms: LoopbackServer, vendor: str) -> None:
    llm = make(vendor, llms)
    assert llm.complete(PROMPT) == Completion(text=GOOD, input=30, output=7)
    [seen] = llms.seen
    assert seen.path == {"openai": CHAT, "anthropic": MESSAGES}[vendor]
    assert seen.body["model"] == llm.model == "test-model"
    assert seen.body["messages"][-1] == {"role": "user", "content": PROMPT.user}
    assert seen.body["max_tokens"] == 500


def test_openai_gets_the_system_prompt_as_a_message(
    llms: LoopbackServer, openai: VendorLlm
) -> None:
    """With the form, because many servers silently ignore unknown parameters."""
    openai.complete(PROMPT)
    body = llms.seen[0].body
    system, _ = body["messages"]
    assert system["role"] == "system"
    assert system["content"].startswith(PROMPT.system)
    assert FORM in system["content"]
    assert body["temperature"] == 0


def test_anthropic_gets_the_system_prompt_alone(llms: LoopbackServer, anthropic: VendorLlm) -> None:
    anthropic.complete(PROMPT)
    assert llms.seen[0].body["system"] == PROMPT.system
    assert len(llms.seen[0].body["messages"]) == 1


def test_openai_gets_the_schema_in_its_strict_form(llms: LoopbackServer, openai: VendorLlm) -> None:
    """Every field is required and no other allowed; an optional one may be null."""
    openai.complete(PROMPT)
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


def test_anthropic_gets_the_schema_in_its_closed_form(
    llms: LoopbackServer, anthropic: VendorLlm
) -> None:
    """Optional fields stay optional; unsupported keywords are not sent."""
    anthropic.complete(PROMPT)
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
    ("vendor", "refusal"),
    [
        ("openai", NO_SCHEMA),
        ("openai", failing(400, "'response_format.type' must be 'json_object' or 'text'")),
        ("openai", failing(422, "[{'loc': ['body', 'response_format'], 'msg': 'not permitted'}]")),
        ("openai", failing(400, "Failed to parse grammar")),
        ("openai", failing(400, "Invalid schema", param=7)),
        ("anthropic", failing(400, "output_config: Extra inputs are not permitted")),
        ("anthropic", failing(400, "'old-model' does not support output format.")),
        ("anthropic", failing(400, "output_config.format.schema: too many optional parameters")),
        ("anthropic", failing(400, "Structured outputs are not available for this model")),
    ],
)
def test_a_model_without_schemas_is_asked_without_one(
    llms: LoopbackServer, vendor: str, refusal: Answer
) -> None:
    """The process never sends a schema to it again."""
    llm, name = make(vendor, llms), "response_format" if vendor == "openai" else "output_config"
    llms.script.append(refusal)
    assert llm.complete(PROMPT).text == GOOD
    assert llm.complete(PROMPT).text == GOOD
    assert [name in seen.body for seen in llms.seen] == [True, False, False]
    last = llms.seen[-1].body
    assert '"memories"' in (last.get("system") or last["messages"][0]["content"])


def test_the_other_name_of_the_limit_is_tried(llms: LoopbackServer, openai: VendorLlm) -> None:
    """The error names both parameters; the first is the refused one."""
    words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    llms.script += [failing(400, words), failing(400, "temperature does not support 0")]
    assert openai.complete(PROMPT).text == GOOD
    last = llms.seen[-1].body
    assert last["max_completion_tokens"] > 500
    assert not {"max_tokens", "temperature"} & last.keys()
    assert "response_format" in last


def test_a_model_that_thinks_is_asked_to_think_little(
    llms: LoopbackServer, openai: VendorLlm
) -> None:
    """It gets more tokens: its thoughts count against the limit of the answer."""
    llms.script.append(failing(400, "Unsupported value", param="temperature"))
    openai.complete(PROMPT)
    assert [seen.body.get("reasoning_effort") for seen in llms.seen] == [None, "low"]
    assert llms.seen[1].body["max_tokens"] >= 500 + 4_000
    llms.script.append(failing(400, "Unrecognized argument", param="reasoning_effort"))
    openai.complete(PROMPT)
    openai.complete(PROMPT)
    assert "reasoning_effort" not in llms.seen[-1].body


def test_a_refusal_is_believed_when_the_rest_works(llms: LoopbackServer, openai: VendorLlm) -> None:
    """A server that quotes the request names every parameter in any error."""
    llms.script += [NO_SCHEMA, failing(400, "no such model")]
    with pytest.raises(LlmError):
        openai.complete(PROMPT)
    openai.complete(PROMPT)
    assert ["response_format" in seen.body for seen in llms.seen] == [True, False, True]


def test_what_is_refused_for_ever_ends(llms: LoopbackServer, openai: VendorLlm) -> None:
    words = "response_format max_tokens max_completion_tokens temperature"
    llms.script.extend([failing(400, words)] * 99)
    with pytest.raises(LlmError, match="400"):
        openai.complete(PROMPT)
    assert len(llms.seen) == 5


def test_what_cannot_be_encoded_is_replaced(llms: LoopbackServer, openai: VendorLlm) -> None:
    openai.complete(replace(PROMPT, user="a\ud800b"))
    assert llms.seen[0].body["messages"][1]["content"] == "a?b"


@both
def test_the_key_of_the_environment_is_sent(
    llms: LoopbackServer, monkeypatch: pytest.MonkeyPatch, vendor: str
) -> None:
    """It is read for each call, so that a new key is used at once."""
    llm = make(vendor, llms)
    monkeypatch.setenv(f"{vendor.upper()}_API_KEY", f"{KEY}\n")
    llm.complete(PROMPT)
    sent = f"Bearer {KEY}" if vendor == "openai" else KEY  # in whatever form its SDK chooses
    assert any(sent in value for value in llms.seen[0].headers.values())
    assert KEY not in repr(llm)


def test_a_server_on_this_machine_needs_no_key(llms: LoopbackServer, openai: VendorLlm) -> None:
    openai.complete(PROMPT)
    assert "Bearer none" in llms.seen[0].headers.values()


@both
def test_the_environment_may_set_the_address(
    llms: LoopbackServer, monkeypatch: pytest.MonkeyPatch, vendor: str
) -> None:
    monkeypatch.setenv(f"{vendor.upper()}_BASE_URL", llms.url)
    assert KINDS[vendor]("test-model").complete(PROMPT).text == GOOD


@pytest.mark.parametrize(
    ("vendor", "path"),
    [
        *(("openai", path) for path in ("/v1", "/v1/", "/v1//", CHAT)),
        *(("anthropic", path) for path in ("", "/", "/v1", "/v1/", MESSAGES)),
    ],
)
def test_an_address_may_hold_what_the_package_adds(
    llms: LoopbackServer, vendor: str, path: str
) -> None:
    assert KINDS[vendor]("test-model", f"{llms.root}{path}").complete(PROMPT).text == GOOD
    assert llms.seen[0].path == {"openai": CHAT, "anthropic": MESSAGES}[vendor]


def test_what_an_address_asks_for_stays_at_its_end(llms: LoopbackServer) -> None:
    """Some servers need a version or a key there, which no message shows."""
    llm = OpenAiLlm("test-model", f"{llms.url}?api-version=2026-01-01&key={KEY}")
    with pytest.raises(LlmError) as caught:  # this server knows no such path
        llm.complete(PROMPT)
    assert llms.seen[0].path == f"{CHAT}?api-version=2026-01-01&key={KEY}"
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


@pytest.mark.parametrize(("usage", "counted"), CASES["tokens_are_counted_once"])
def test_tokens_are_counted_once(
    llms: LoopbackServer, usage: dict[str, Any], counted: list[int]
) -> None:
    """OpenAI counts cached tokens as part of the prompt; we do not."""
    is_openai = "prompt_tokens" in usage
    llms.script.append(chat(usage=usage) if is_openai else claude(usage=usage))
    done = make("openai" if is_openai else "anthropic", llms).complete(PROMPT)
    assert [done.input, done.output, done.cache_read, done.cache_write] == counted


@pytest.mark.parametrize(
    ("vendor", "answer"),
    [
        *(("openai", chat(usage=usage)) for usage in CASES["missing_counts_are_estimated"]),
        ("openai", json_saying({"choices": [{"message": {"content": GOOD}}]})),
        ("anthropic", json_saying({"content": [{"type": "text", "text": GOOD}]})),
    ],
)
def test_missing_counts_are_estimated(llms: LoopbackServer, vendor: str, answer: Answer) -> None:
    """A limit without token counts would never be reached. Some servers give no stop reason."""
    llms.script.append(answer)
    done, count = make(vendor, llms).complete(PROMPT), EstimatingTokenizer().count
    asked = count(PROMPT.system) + count(PROMPT.user)
    assert (done.text, done.input, done.output) == (GOOD, asked, count(GOOD))


THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "hm {"}]}
EMPTY: list[object] = [None, "", " \n", 7, [7], [THOUGHT], {"memories": []}]
CALL = {"id": "1", "type": "function", "function": {"name": "answer", "arguments": GOOD}}


@pytest.mark.parametrize(
    ("vendor", "answer"),
    [
        ("openai", chat([{"type": "text", "text": part} for part in (GOOD[:9], GOOD[9:])])),
        ("openai", chat([THOUGHT, {"type": "output_text", "text": GOOD}])),
        ("openai", chat([GOOD[:9], GOOD[9:]])),
        ("openai", chat(GOOD, reasoning_content="hm {", reasoning="hm {")),
        ("openai", chat(None, finish="tool_calls", tool_calls=[CALL])),
        ("openai", chat("", finish="tool_calls", tool_calls=[CALL])),
        ("openai", chat(finish="eos")),
        ("anthropic", claude(GOOD[:9], GOOD[9:], thought="hm {")),
    ],
)
def test_other_forms_of_answers_are_read(llms: LoopbackServer, vendor: str, answer: Answer) -> None:
    """In parts, with thoughts, or as the call of a tool."""
    llms.script.append(answer)
    assert make(vendor, llms).complete(PROMPT).text == GOOD


def test_an_answer_in_any_script_arrives_whole(llms: LoopbackServer, openai: VendorLlm) -> None:
    said = json.dumps({"memories": [{"text": "阿娜住在里昂 🦊 é"}]}, ensure_ascii=False)
    llms.script.append(chat(said))
    assert openai.complete(PROMPT).text == said
    assert llms.seen[0].body["messages"][1]["content"] == PROMPT.user


@pytest.mark.parametrize(
    ("said", "vendor", "answer"),
    [
        ("cut off", "openai", chat("half of it", finish="length")),
        ("cut off", "openai", chat(finish="length")),
        ("cut off", "openai", chat(None, finish="length", reasoning_content="I think, and")),
        ("cut off", "openai", chat(finish="model_length")),
        ("cut off", "openai", chat(finish="MAX_TOKENS")),
        ("cut off", "anthropic", claude("half", stop="max_tokens")),
        ("cut off", "anthropic", claude("half", stop="model_context_window_exceeded")),
        ("declined", "openai", chat(None, refusal="I cannot help with that")),
        ("declined", "openai", chat(finish="content_filter")),
        ("declined", "anthropic", claude("I'd rather not", stop="refusal")),
        ("did not finish", "openai", chat(GOOD[:20], finish="error")),
        ("did not finish", "openai", chat(GOOD[:20], finish="insufficient_system_resource")),
        ("an empty answer", "anthropic", claude(" ")),
        *(("an empty answer", "openai", chat(text)) for text in EMPTY),
    ],
)
def test_an_incomplete_answer_is_an_error(
    llms: LoopbackServer, said: str, vendor: str, answer: Answer
) -> None:
    """Even if it looks complete. A turn that leaves the model speechless must not block others."""
    llms.script.append(answer)
    with pytest.raises(LlmError, match=said) as caught:
        make(vendor, llms).complete(PROMPT)
    assert caught.value.retryable == (said == "did not finish")
    assert caught.value.spent == Tokens(input=30, output=7)
