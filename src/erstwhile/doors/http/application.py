"""The HTTP API as an ASGI application."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import anyio.to_thread

from erstwhile.core.errors import ConflictError, ErstwhileError, TooLargeError
from erstwhile.core.logs import log_failure
from erstwhile.doors.asgi import Application, Connection, Receive, Send
from erstwhile.doors.gate import MEMORY, TOKEN
from erstwhile.doors.http.callers import check_right, view_of
from erstwhile.doors.http.endpoints import ENDPOINTS, Endpoint
from erstwhile.doors.http.idempotency import HEADER as IDEMPOTENCY_KEY
from erstwhile.doors.http.idempotency import keyed_request, once
from erstwhile.doors.http.messages import JSON, HttpAnswer, HttpRequest, send_parts, send_whole
from erstwhile.doors.http.reading import check_no_query, read_arguments
from erstwhile.doors.http.refusals import HttpRefusalError, wrong_content
from erstwhile.doors.http.routing import Routes, path_arguments
from erstwhile.doors.http.versions import etag, expected_version, stale
from erstwhile.wire.encoding import encoded_result, written_json
from erstwhile.wire.problems import PROBLEM, problem_of
from erstwhile.wire.verbs import VERSION, WireVerb, verbs

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_MOST_BYTES = 64 * 1024 * 1024
"""The largest body that is read into memory, whatever the gate allows."""


def http_application() -> Application:
    """Return the application. It expects what the gate puts into a connection.

    That is the Token of the request under `erstwhile.token`, and under `erstwhile.memory` the
    Memory that the token opens, in the token's scope. So the application knows no tokens and opens
    no memory; it checks the rights of the token, narrows the scope by headers, and calls verbs on
    threads. It answers on every path below `/v1`, and nothing elsewhere.
    """
    return HttpApi()


class HttpApi:
    """Answers requests by calling verbs."""

    def __init__(self) -> None:
        rows: list[tuple[str, tuple[str, ...], WireVerb | Endpoint]] = [
            (verb.method, verb.route, verb) for verb in verbs().values()
        ]
        rows += [(method, (VERSION, *path), endpoint) for method, path, endpoint in ENDPOINTS]
        self._routes = Routes(rows)

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if connection["type"] != "http":
            return
        answer = await self._answered(connection, receive)
        await (
            send_whole(answer, send) if answer.stream is None else send_parts(answer, receive, send)
        )

    async def _answered(self, connection: Connection, receive: Receive) -> HttpAnswer:
        try:
            raw = connection.get("raw_path") or connection["path"].encode()
            target, texts = self._routes.find(connection["method"], raw.partition(b"?")[0])
            request = HttpRequest(
                connection[TOKEN],
                connection[MEMORY],
                {name.decode().lower(): value.decode("latin-1")
                 for name, value in connection["headers"]},
                connection["query_string"],
                receive,
            )  # fmt: skip
            if isinstance(target, WireVerb):
                return await _call(target, request, texts)
            check_no_query(request.query)
            return await target(request)
        except HttpRefusalError as refusal:
            return _problem(refusal.error, refusal.status, refusal.headers)
        except ErstwhileError as error:
            return _problem(error)
        except Exception as error:  # a defect: its message could quote content
            log_failure(__name__, "a request failed", error=error)
            return _problem(ErstwhileError("the server failed", remedy="see its log"))


async def _call(verb: WireVerb, request: HttpRequest, texts: list[str]) -> HttpAnswer:
    check_right(request.token, verb)
    body = await _whole_body(request) if verb.has_body else b""
    path = path_arguments(verb.in_path, texts)

    def called() -> HttpAnswer:
        arguments = read_arguments(verb, path, request.query, body)
        arguments |= expected_version(verb, request.headers, arguments)

        def answer(view: Memory) -> str:
            return written_json(encoded_result(verb.call(view, arguments))).decode()

        key = None if verb.reads else request.headers.get(IDEMPOTENCY_KEY)
        view = view_of(request)
        if key is None:
            return _answer(verb, answer(view))
        asked = keyed_request(request.token, view, key, verb, path, request.query, body)
        return _answer(verb, once(view, asked, answer))

    try:
        return await anyio.to_thread.run_sync(called)
    except ConflictError as error:
        raise stale(verb, request.headers, error) from None


def _answer(verb: WireVerb, text: str) -> HttpAnswer:
    return HttpAnswer(200, text.encode(), headers=etag(verb, text))


async def _whole_body(request: HttpRequest) -> bytes:
    body = bytearray()
    async for part in request.parts():
        body += part
        if len(body) > _MOST_BYTES:
            raise HttpRefusalError(TooLargeError("the body is too large", remedy="send less"))
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and kind != JSON:
        raise wrong_content(JSON)
    return bytes(body)


def _problem(
    error: ErstwhileError, status: int | None = None, headers: Mapping[str, str] | None = None
) -> HttpAnswer:
    document = problem_of(error, status)
    more = dict(headers or {})
    if document["status"] == 503:
        more.setdefault("Retry-After", "1")
    return HttpAnswer(document["status"], written_json(document), PROBLEM, more)
