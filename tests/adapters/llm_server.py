"""A server on loopback with OpenAI's and Anthropic's interfaces, which misbehaves on request."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from typing import Any

from erstwhile.core.ports import Prompt
from tests.adapters.loopback import Answer, LoopbackServer, saying

KEY = "sk-very-secret-4711"
GOOD = '{"memories": [{"text": "Ana lives in Lyon"}]}'
CHAT, MESSAGES = "/v1/chat/completions", "/v1/messages"


def chat(
    text: object = GOOD,
    *,
    finish: str = "stop",
    usage: dict[str, Any] | None = None,
    **message: object,
) -> Answer:
    """Return an answer in the form of OpenAI's interface."""
    said = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "finish_reason": finish, "message": said}
    return json_saying(
        {
            "id": "c-1",
            "object": "chat.completion",
            "created": 1,
            "model": "test-model",
            "choices": [choice],
            "usage": usage or {"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37},
        }
    )


def claude(
    *texts: str, stop: str = "end_turn", usage: dict[str, Any] | None = None, thought: str = ""
) -> Answer:
    """Return an answer in the form of Anthropic's interface."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts or (GOOD,)]
    if thought:
        blocks.insert(0, {"type": "thinking", "thinking": thought, "signature": "s"})
    return json_saying(
        {
            "id": "m-1",
            "type": "message",
            "role": "assistant",
            "model": "test-model",
            "content": blocks,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage or {"input_tokens": 30, "output_tokens": 7},
        }
    )


def streamed(*pieces: str) -> Answer:
    """Return a stream of pieces in the form of OpenAI's interface."""
    deltas = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    return _events([*deltas, {"choices": []}], end="data: [DONE]\n\n")


def streamed_claude(*pieces: str) -> Answer:
    """Return a stream of pieces in the form of Anthropic's interface."""
    delta = {"type": "content_block_delta", "index": 0}
    texts = [{**delta, "delta": {"type": "text_delta", "text": piece}} for piece in pieces]
    return _events([*texts, {"type": "message_stop"}])


def _events(events: list[dict[str, Any]], end: str = "") -> Answer:
    names = (f"event: {each['type']}\n" if "type" in each else "" for each in events)
    written = (
        f"{name}data: {json.dumps(each)}\n\n" for name, each in zip(names, events, strict=True)
    )
    return saying("".join((*written, end)), Content_Type="text/event-stream")


def failing(status: int, words: str = "no", **more: Any) -> Answer:
    """Return an error in the form of both vendors, with further fields and headers."""
    headers = {name: more.pop(name) for name in list(more) if name.startswith("Retry")}
    error = {"message": words, **more}
    return json_saying({"type": "error", "error": error}, status=status, **headers)


def json_saying(value: object, *, status: int = 200, **headers: str) -> Answer:
    return saying(json.dumps(value), status=status, Content_Type="application/json", **headers)


def llm_server() -> LoopbackServer:
    return LoopbackServer(well)


def well(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    answers = {CHAT: chat(), MESSAGES: claude()}
    answers.get(handler.path, failing(404, "no such path"))(handler, body)


SCHEMA = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "minLength": 1},
                    "kind": {"type": "string", "enum": ["fact", "preference"]},
                },
                "required": ["text"],
            },
        }
    },
    "required": ["memories"],
}
PROMPT = Prompt(system="Find facts.", user="我住在里昂 — 日本語 🦊", schema=SCHEMA, max_tokens=500)
