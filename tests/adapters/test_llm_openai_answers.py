"""Answers of language models behind OpenAI's interface, in all forms."""

from __future__ import annotations

import json
from typing import Any

import pytest

from erstwhile.adapters.llm.openai import OpenAiLlm
from erstwhile.adapters.tokenizers.estimate import EstimatingTokenizer
from erstwhile.core.errors import LlmError
from erstwhile.core.tokens import Tokens
from tests.adapters.llm_server import GOOD, PROMPT, chat, json_saying
from tests.adapters.loopback import Answer, LoopbackServer


@pytest.fixture
def llm(llms: LoopbackServer) -> OpenAiLlm:
    return OpenAiLlm("test-model", llms.url)


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
        ({"prompt_tokens": 5, "completion_tokens": "7"}, (5, 0, 0, 0)),
        ({"prompt_tokens": 10**12, "completion_tokens": 2}, (0, 2, 0, 0)),
    ],
)
def test_tokens_are_counted_once(
    llms: LoopbackServer,
    llm: OpenAiLlm,
    usage: dict[str, Any],
    counted: tuple[int, int, int, int],
) -> None:
    """The server counts cached tokens as part of the prompt; we do not."""
    llms.script.append(chat(usage=usage))
    done = llm.complete(PROMPT)
    assert (done.input, done.output, done.cache_read, done.cache_write) == counted


def test_an_answer_may_be_all_that_is_said(llms: LoopbackServer, llm: OpenAiLlm) -> None:
    """Some servers give no stop reason."""
    llms.script.append(json_saying({"choices": [{"message": {"content": GOOD}}]}))
    assert llm.complete(PROMPT).text == GOOD


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": None, "completion_tokens": "7"},
        {"prompt_tokens": -1, "completion_tokens": 10**12},
        {"prompt_tokens": True, "prompt_tokens_details": None},
        {"total": 7},
    ],
)
def test_what_a_server_does_not_count_is_estimated(
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
def test_an_answer_may_come_in_another_form(
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
def test_an_answer_that_is_cut_off_is_an_error(
    llms: LoopbackServer, llm: OpenAiLlm, answer: Answer
) -> None:
    """Even if it looks complete."""
    llms.script.append(answer)
    with pytest.raises(LlmError, match="cut off") as caught:
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


@pytest.mark.parametrize("reason", ["error", "insufficient_system_resource"])
def test_an_answer_that_breaks_off_may_be_whole_next_time(
    llms: LoopbackServer, llm: OpenAiLlm, reason: str
) -> None:
    llms.script.append(chat(GOOD[:20], finish=reason))
    with pytest.raises(LlmError, match="did not finish") as caught:
        llm.complete(PROMPT)
    assert caught.value.retryable
    assert caught.value.spent == Tokens(input=30, output=7)


@pytest.mark.parametrize("text", [None, "", " \n", 7, [7], [THOUGHT], {"memories": []}])
def test_an_answer_without_text_is_an_error(
    llms: LoopbackServer, llm: OpenAiLlm, text: object
) -> None:
    llms.script.append(chat(text))
    with pytest.raises(LlmError, match="an empty answer") as caught:
        llm.complete(PROMPT)
    assert not caught.value.retryable, "else a turn that leaves it speechless blocks all others"
    assert caught.value.spent == Tokens(input=30, output=7)
