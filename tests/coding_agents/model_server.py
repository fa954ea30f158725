"""A model server on loopback for coding agents: Anthropic's messages and OpenAI's responses.

It answers "Noted.", or calls the shell if the user says `RUN: COMMAND`. It keeps all requests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

_RUN = re.compile(r"RUN: ([^\n\"\\]+)")
_SHELLS = ("shell_command", "exec_command", "shell", "local_shell")


class ModelServer(ThreadingHTTPServer):
    """The server, with the requests that it got."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests = list[dict[str, Any]]()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def texts(self) -> str:
        """Return all texts of all requests."""
        return "\n".join(json.dumps(each, ensure_ascii=False) for each in self.requests)


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Serve until the block ends."""
    server = ModelServer()
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._send("application/json", json.dumps({"data": [], "models": []}))

    def do_HEAD(self) -> None:
        self._send("application/json", "")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = {}
        if self.path.partition("?")[0].endswith("/messages"):
            self.server.requests.append(body)
            self._events(_anthropic(body))
        elif self.path.endswith("/responses"):
            self.server.requests.append(body)
            self._events(_responses(body))
        else:
            self._send("application/json", json.dumps({"input_tokens": 10}))

    def _events(self, events: Iterator[dict[str, Any]]) -> None:
        lines = [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events]
        self._send("text/event-stream", "".join(lines))

    def _send(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _wanted(last: Any) -> str | None:
    """Return the command that the last message asks for, unless it is the result of one."""
    text = json.dumps(last, ensure_ascii=False)
    found = _RUN.search(text)
    is_result = '"tool_result"' in text or "call_output" in text
    return found[1].strip() if found and not is_result else None


def _anthropic(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    asked = [each for each in body.get("messages", []) if each.get("role") == "user"]
    command = _wanted(asked[-1:]) if body.get("tools") else None
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model"),
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    yield {"type": "message_start", "message": message}
    if command:
        call = {"id": f"toolu_{abs(hash(command))}", "name": "Bash", "input": {}}
        block = {"type": "tool_use", **call}
        part = {"type": "input_json_delta", "partial_json": json.dumps({"command": command})}
    else:
        block, part = {"type": "text", "text": ""}, {"type": "text_delta", "text": "Noted."}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": part}
    yield {"type": "content_block_stop", "index": 0}
    reason = "tool_use" if command else "end_turn"
    end = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _responses(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    items = [each for each in body.get("input", []) if each.get("role") != "developer"]
    command, tools = _wanted(items[-1:]), [each.get("name") for each in body.get("tools", [])]
    if command:
        name = next(each for each in _SHELLS if each in tools)
        arguments: dict[str, Any] = {"cmd" if name == "exec_command" else "command": command}
        if name == "shell":
            arguments = {"command": ["bash", "-lc", command]}
        item: dict[str, Any] = {
            "type": "function_call", "id": "fc_1", "call_id": f"call_{abs(hash(command))}",
            "name": name, "arguments": json.dumps(arguments), "status": "completed",
        }  # fmt: skip
    else:
        content = [{"type": "output_text", "text": "Noted.", "annotations": []}]
        item = {
            "type": "message", "id": "m_1", "role": "assistant", "content": content,
            "status": "completed",
        }  # fmt: skip
    usage = {
        "input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    made = {"id": "resp_1", "object": "response", "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": made}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    done = {**made, "status": "completed", "output": [item], "usage": usage}
    yield {"type": "response.completed", "response": done}
