"""`erstwhile.wrap` with the real packages of OpenAI and Anthropic, and a server that answers."""

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import anthropic
import openai
import pytest

import erstwhile
from erstwhile import InvalidInputError, Memory

ANSWER = "Use pnpm install."


class Answers(BaseHTTPRequestHandler):
    """Answers in the shapes of both vendors, and keeps the requests."""

    requests: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        type(self).requests.append(body)
        shape = {"/v1/messages": _anthropic, "/v1/responses": _responses}.get(self.path, _chat)
        events = shape(stream=bool(body.get("stream")))
        stream = len(events) > 1
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if stream else "application/json")
        self.end_headers()
        for event in events:
            text = json.dumps(event)
            named = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write((f"{named}data: {text}\n\n" if stream else text).encode())

    def log_message(self, *_arguments: object) -> None:
        pass


def _chat(*, stream: bool) -> list[dict[str, Any]]:
    about = {"id": "1", "created": 1, "model": "m"}
    if not stream:
        choice = {"index": 0, "finish_reason": "stop"}
        said = {**choice, "message": {"role": "assistant", "content": ANSWER}}
        return [{**about, "object": "chat.completion", "choices": [said]}]
    parts = [{"index": 0, "delta": {"content": part}} for part in ("Use pnpm ", "install.")]
    return [{**about, "object": "chat.completion.chunk", "choices": [each]} for each in parts]


def _responses(*, stream: bool) -> list[dict[str, Any]]:
    text = {"type": "output_text", "text": ANSWER, "annotations": []}
    item = {"type": "message", "role": "assistant", "id": "1", "status": "completed"}
    about = {"id": "1", "created_at": 1, "model": "m", "object": "response", "tools": []}
    done = {**about, "output": [{**item, "content": [text]}], "parallel_tool_calls": False}
    if not stream:
        return [{**done, "tool_choice": "auto"}]
    place = {"item_id": "1", "output_index": 0, "content_index": 0, "logprobs": []}
    deltas = [
        {"type": "response.output_text.delta", "delta": part, "sequence_number": n, **place}
        for n, part in enumerate(("Use pnpm ", "install."))
    ]
    end = {"type": "response.completed", "response": done, "sequence_number": 3}
    return [*deltas, end]


def _anthropic(*, stream: bool) -> list[dict[str, Any]]:
    about = {"id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": None}
    usage = {"usage": {"input_tokens": 1, "output_tokens": 1}}
    if not stream:
        return [{**about, **usage, "content": [{"type": "text", "text": ANSWER}]}]
    parts = [{"type": "text_delta", "text": part} for part in ("Use pnpm ", "install.")]
    return [
        {"type": "message_start", "message": {**about, **usage, "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, "delta": each} for each in parts),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_stop"},
    ]


@pytest.fixture
def server() -> Iterator[str]:
    Answers.requests = []
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    Thread(target=listening.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()
    listening.server_close()


@pytest.fixture
def memory() -> Iterator[Memory]:
    with erstwhile.open(":memory:", embedder="none") as memory:
        ana = memory.scoped(user="ana")
        ana.remember("Ana installs packages with pnpm", kind="preference")
        ana.remember("Answer in British English", kind="instruction")
        yield ana


def _openai(server: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{server}/v1", api_key="x")


QUESTION = "How do I install packages for the shop?"
CHAT: Any = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": QUESTION}]


def _stored(memory: Memory) -> list[tuple[str, str]]:
    conversation = memory.conversations.list()[0]
    return [(each.role, each.content) for each in memory.conversations.messages(conversation.id)]


def test_a_chat_gets_the_context_and_is_stored_without_it(server: str, memory: Memory) -> None:
    client = erstwhile.wrap(_openai(server), memory)

    answer = client.chat.completions.create(model="m", messages=CHAT)

    assert answer.choices[0].message.content == ANSWER
    system, instructions, asked = Answers.requests[0]["messages"]
    assert system == CHAT[0]
    assert "British English" in instructions["content"]
    assert "pnpm" in asked["content"]
    assert asked["content"].endswith(QUESTION)
    assert _stored(memory) == [("user", QUESTION), ("assistant", ANSWER)]


@pytest.mark.parametrize("kind", ["chat", "responses", "messages"])
def test_structured_answers_get_the_context_too(server: str, memory: Memory, kind: str) -> None:
    if kind == "messages":
        claude = erstwhile.wrap(anthropic.Anthropic(base_url=server, api_key="k"), memory)
        claude.messages.parse(model="m", max_tokens=9, messages=CHAT[1:])
    else:
        client = erstwhile.wrap(_openai(server), memory)
        if kind == "chat":
            client.chat.completions.parse(model="m", messages=CHAT)
        else:
            client.responses.parse(model="m", input=QUESTION)

    assert "pnpm" in json.dumps(Answers.requests[-1])
    assert _stored(memory) == [("user", QUESTION), ("assistant", ANSWER)]


def test_a_second_call_with_the_whole_list_stores_only_what_is_new(
    server: str, memory: Memory
) -> None:
    client = erstwhile.wrap(_openai(server), memory)
    client.chat.completions.create(model="m", messages=CHAT)
    more: Any = [*CHAT, {"role": "assistant", "content": ANSWER}, {"role": "user", "content": "ok"}]

    client.chat.completions.create(model="m", messages=more)

    assert [content for _, content in _stored(memory)] == [QUESTION, ANSWER, "ok", ANSWER]


def test_the_parts_of_a_stream_arrive_unchanged_and_are_stored(server: str, memory: Memory) -> None:
    client = erstwhile.wrap(_openai(server), memory)

    parts = list(client.chat.completions.create(model="m", messages=CHAT, stream=True))

    assert [part.choices[0].delta.content for part in parts] == ["Use pnpm ", "install."]
    assert _stored(memory)[-1] == ("assistant", ANSWER)


def test_the_responses_api_takes_a_text(server: str, memory: Memory) -> None:
    client = erstwhile.wrap(_openai(server), memory)

    answer = client.responses.create(model="m", input=QUESTION, instructions="Be kind.")

    assert answer.output_text == ANSWER
    assert Answers.requests[0]["instructions"].startswith("Be kind.")
    assert "pnpm" in Answers.requests[0]["input"][0]["content"]
    assert _stored(memory) == [("user", QUESTION), ("assistant", ANSWER)]


def test_blocks_and_cache_marks_of_anthropic_stay(server: str, memory: Memory) -> None:
    client = erstwhile.wrap(anthropic.Anthropic(base_url=server, api_key="x"), memory)
    kind = {"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}
    asked: Any = [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]

    client.messages.create(model="m", max_tokens=9, system=[kind], messages=asked)  # type: ignore[list-item]

    sent = Answers.requests[0]
    assert sent["system"][0] == kind
    assert "British English" in sent["system"][1]["text"]
    assert sent["messages"][0]["content"][-1] == {"type": "text", "text": QUESTION}
    assert "pnpm" in sent["messages"][0]["content"][0]["text"]
    assert _stored(memory) == [("user", QUESTION), ("assistant", ANSWER)]


def test_async_clients_stream_and_learn(server: str, memory: Memory) -> None:
    async def ask() -> list[str]:
        client = anthropic.AsyncAnthropic(base_url=server, api_key="x")
        wrapped = erstwhile.wrap(client, memory)
        stream = await wrapped.messages.create(
            model="m", max_tokens=9, messages=CHAT[1:], stream=True
        )
        return [event.type async for event in stream]

    assert asyncio.run(ask())[0] == "message_start"
    assert _stored(memory)[-1] == ("assistant", ANSWER)


def test_tool_calls_and_results_are_stored_as_such(server: str, memory: Memory) -> None:
    client = erstwhile.wrap(_openai(server), memory)
    call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    messages: Any = [
        *CHAT,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "found nothing"},
    ]

    client.chat.completions.create(model="m", messages=messages)

    assert Answers.requests[0]["messages"][-2:] == messages[-2:]
    assert ("tool", "found nothing") in _stored(memory)


def test_everything_else_of_the_client_stays(server: str, memory: Memory) -> None:
    client = erstwhile.wrap(_openai(server), memory, learn=False)

    assert str(client.base_url) == f"{server}/v1/"
    copy = client.with_options(max_retries=0)
    copy.chat.completions.create(model="m", messages=CHAT)
    assert copy.max_retries == 0
    assert "pnpm" in Answers.requests[0]["messages"][-1]["content"]
    assert not memory.conversations.list()


def test_a_call_is_made_even_if_the_memory_fails(server: str, memory: Memory) -> None:
    client = erstwhile.wrap(_openai(server), memory)
    memory.close()

    answer = client.chat.completions.create(model="m", messages=CHAT)

    assert answer.choices[0].message.content == ANSWER
    assert Answers.requests[0]["messages"] == CHAT


def test_another_object_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInputError, match="package openai or anthropic"):
        erstwhile.wrap(object(), memory)
