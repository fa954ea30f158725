"""The HTTP API: an ASGI application that calls the verb of each request.

It expects the Token and the Memory of a request in the ASGI scope, from `AccessMiddleware`. It
checks the right of the token, narrows the scope by headers, and calls verbs on threads. All paths
are below `/v1`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias, get_origin
from urllib.parse import unquote_to_bytes

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from erstwhile import __version__
from erstwhile.core.errors import ConflictError, ErstwhileError, InvalidInputError, RefusedError
from erstwhile.core.logs import log_failure
from erstwhile.core.public_record import to_json
from erstwhile.core.results import Page
from erstwhile.core.scope import DIMENSIONS, SHARED
from erstwhile.core.time import moment_asked
from erstwhile.rpc.codec import json_bytes
from erstwhile.rpc.verbs import VERSION, Verb, verbs
from erstwhile.servers.http.arguments import expected_version, read_arguments
from erstwhile.servers.http.idempotency import keyed_request, once
from erstwhile.servers.http.streams import changes_since, export_lines, import_stream
from erstwhile.servers.options import EVENTS, JSON, LINES, MEMORY, THREADS, TOKEN
from erstwhile.servers.problems import (
    HttpError,
    bad_request,
    path_not_found,
    problem_response,
    server_failure,
)
from erstwhile.servers.threads import RunOnThread
from erstwhile.servers.tokens import Right, Token

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_ANY = "{}"
"""A path parameter in the keys of routes."""
_PREFIX = "erstwhile-"
_HEADERS = frozenset((*DIMENSIONS, "actor", "everything", "person"))
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
Target: TypeAlias = Verb | Endpoint
MAX_BYTES = 4 * 1024 * 1024
"""The bytes of a page. It ends with the step that reaches them, and its `next` continues there."""
_FIRST_STEP, _GROWTH = 20, 4
"""The records of the first step, and how many times as many a next one reads, if it may."""


class HttpApi:
    """Routes requests to verbs and other endpoints.

    A name in a path may hold an encoded slash. Starlette decodes paths before it matches them, so
    its router cannot tell such a name from two segments.
    """

    def __init__(self) -> None:
        self._targets: dict[tuple[str, ...], dict[str, Target]] = {}
        for verb in verbs().values():
            key = tuple(_ANY if each.startswith("{") else each for each in verb.route)
            self._targets.setdefault(key, {})[verb.method] = verb
        for path, (method, endpoint) in _ENDPOINTS.items():
            self._targets.setdefault((VERSION, *path), {})[method] = endpoint
        self._longest = max(map(len, self._targets))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        request = Request(scope, receive)
        try:
            path = scope.get("raw_path") or scope["path"].encode()
            target, texts = self._find(request.method, path.partition(b"?")[0])
            if isinstance(target, Verb):
                response = await _call(target, request, texts)
            elif scope["query_string"]:
                raise bad_request("this path takes no query", "use the body or the headers")
            else:
                response = await target(request)
        except (HttpError, ErstwhileError) as error:
            response = problem_response(error)
        except ClientDisconnect:
            response = problem_response(bad_request("the body is not complete"))
        except Exception as error:  # a defect: its message could quote content
            log_failure(__name__, "a request failed", error=error)
            response = problem_response(server_failure())
        await response(scope, receive, send)

    def _find(self, method: str, raw_path: bytes) -> tuple[Target, list[str]]:
        """Return the target of a request, and the texts of the path parameters.

        Literal segments take precedence over parameters.
        """
        try:
            raw_segments = raw_path.removeprefix(b"/").split(b"/")
            segments = [unquote_to_bytes(each).decode("utf-8") for each in raw_segments]
        except UnicodeDecodeError:
            raise bad_request("the path is not UTF-8") from None
        keys = product(*((each, _ANY) for each in segments[: self._longest + 1]))
        found = [key for key in keys if key in self._targets]
        for key in found:
            if method in self._targets[key]:
                texts = [text for text, each in zip(segments, key, strict=True) if each == _ANY]
                return self._targets[key][method], texts
        if not found:
            raise path_not_found()
        methods = ", ".join(sorted(each for key in found for each in self._targets[key]))
        error = InvalidInputError("this path takes other methods", remedy=f"use {methods}")
        raise HttpError(error, 405, {"Allow": methods})


async def _call(verb: Verb, request: Request, texts: list[str]) -> Response:
    """Call the verb of a request on a thread."""
    _check_right(request, verb.right)
    body = await request.body() if verb.has_body else b""
    if body:
        _check_media_type(request, JSON)
    path = dict(zip(verb.in_path, texts, strict=True))
    try:
        text = await _answer(verb, request, path, body)
    except ConflictError as error:
        by_version = "if-match" in request.headers and "version" in verb.marks
        raise HttpError(error, 412 if by_version and error.current is not None else None) from None
    is_versioned = verb.marks & {"version", "etag"}
    headers = {"ETag": f'"{json.loads(text)["version"]}"'} if is_versioned else {}
    return Response(text, headers=headers, media_type=JSON)


async def _answer(verb: Verb, request: Request, path: Mapping[str, str], body: bytes) -> str:
    """Return the JSON result of a verb, or that of an earlier request with the same key."""
    query, headers = request.scope["query_string"], request.headers
    view, key = view_of(request), headers.get("idempotency-key")
    gone = request.is_disconnected
    run: RunOnThread = partial(request.scope[THREADS], heavy=verb.heavy, gone=gone)

    def answer(memory: Memory) -> str:
        arguments = read_arguments(verb, path, query, body)
        if "if-match" in headers:
            arguments |= expected_version(verb, headers["if-match"], arguments)
        return _result_json(verb, memory, arguments)

    if key is None or verb.reads:
        return await run(answer, view)
    token = request.scope[TOKEN]
    keyed = await run(keyed_request, token, view, key, verb, path, query, body)
    return await once(view, keyed, answer, run)


def _result_json(verb: Verb, memory: Memory, arguments: Mapping[str, Any]) -> str:
    """Call a verb and return its result as JSON.

    A long page is read in steps: large records do not fill the memory.
    """
    limit = arguments.get("limit")
    if get_origin(verb.result) is not Page or not isinstance(limit, int) or limit <= _FIRST_STEP:
        result = verb.call(memory, arguments)
        return _json_text(to_json(result, moment_asked(arguments)))
    parts, left, size, step = list[str](), limit, 0, _FIRST_STEP
    cursor = arguments.get("cursor")
    while True:
        read = min(step, left)
        page = verb.call(memory, {**arguments, "limit": read, "cursor": cursor})
        found = to_json(page.items, moment_asked(arguments))
        read_part = [_json_text(found)[1:-1]] if page else []
        parts = read_part + parts if "ascending" in verb.marks else parts + read_part
        left, size, cursor = left - read, sum(map(len, parts)), page.next
        if cursor is None or left <= 0 or size >= MAX_BYTES:
            return f'{{"items":[{",".join(parts)}],"next":{_json_text(cursor)}}}'
        step *= _GROWTH if size * _GROWTH < MAX_BYTES else 1


def _json_text(value: Any) -> str:
    return json_bytes(value).decode()


def _check_media_type(request: Request, expected: str) -> None:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != expected:
        error = InvalidInputError("the body has another type", remedy=f"send it as {expected}")
        raise HttpError(error, 415, {"Accept": expected})


def _check_right(request: Request, right: str) -> None:
    """Raise RefusedError if the token of a request lacks a right."""
    token: Token = request.scope[TOKEN]
    if not token.may(Right(right)):
        raise RefusedError(
            f"this needs the right '{right}'", remedy="use a token that has it: erstwhile tokens"
        )


def view_of(request: Request) -> Memory:
    """Return the memory of a request, as its headers narrow it.

    Its viewer is a person or an agent, by the token.
    """
    memory, token, asked = request.scope[MEMORY], request.scope[TOKEN], _view_headers(request)
    actor = ":".join(filter(None, ("http", token.name, asked.pop("actor", None))))
    person = asked.pop("person", None)
    if person not in (None, "false"):
        raise bad_request(f"{_PREFIX}person is only `false`: the token says who acts for people")
    if "everything" not in asked:
        dimensions: Any = {name: text or None for name, text in asked.items()}
        view = memory.scoped(**dimensions)
    elif asked != {"everything": "true"}:
        raise bad_request(f"{_PREFIX}everything is only `true`, and has no scope beside it")
    else:
        _check_right(request, Right.ADMIN)
        view = memory.everything()
    found: Memory = view.acting_as(actor, person=token.person and person is None)
    return found


def _view_headers(request: Request) -> dict[str, str]:
    found = {
        name.removeprefix(_PREFIX): value
        for name, value in request.headers.items()
        if name.startswith(_PREFIX)
    }
    if unknown := sorted(found.keys() - _HEADERS):
        known = ", ".join(_PREFIX + name for name in sorted(_HEADERS))
        raise bad_request(f"there is no header {_PREFIX}{unknown[0]}", f"known are {known}")
    try:
        return {name: unquote_to_bytes(value).decode("utf-8") for name, value in found.items()}
    except UnicodeDecodeError:
        raise bad_request("a header is not percent-encoded UTF-8") from None


async def _about(request: Request) -> Response:
    """Return the scope and the right of the token."""
    token: Token = request.scope[TOKEN]
    about = {name: getattr(token, name) for name in ("scope", "right", "person")}
    about = {"version": __version__, "token": token.name, **about}
    return Response(json_bytes(to_json(about)), media_type=JSON)


async def _events(request: Request) -> Response:
    """Stream the changes in the scope."""
    last, run = request.headers.get("last-event-id"), request.scope[THREADS]
    changes = changes_since(view_of(request), last, run)
    return StreamingResponse(await _begin(changes), media_type=EVENTS)


async def _export(request: Request) -> Response:
    """Stream an export of the scope."""
    _check_right(request, Right.ADMIN)
    lines = export_lines(view_of(request), request.scope[THREADS])
    return StreamingResponse(await _begin(lines), media_type=LINES)


async def _import(request: Request) -> Response:
    """Import a stream of lines."""
    _check_right(request, Right.ADMIN)
    view, token = view_of(request), request.scope[TOKEN]
    if token.scope != SHARED:
        raise RefusedError("an import can contain any scope", remedy="use a token without a scope")
    view._access.viewer.check_person("import the words of people")  # noqa: SLF001 (no verb)
    _check_media_type(request, LINES)
    imported = await import_stream(view, request.stream(), request.scope[THREADS])
    return Response(json_bytes(to_json(imported)), media_type=JSON)


async def _begin(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Wait for the first part of a stream, so that early errors become error responses."""
    first = await anext(stream, b"")

    async def parts() -> AsyncIterator[bytes]:
        yield first
        async for part in stream:
            yield part

    return parts()


_ENDPOINTS: Mapping[tuple[str, ...], tuple[str, Endpoint]] = {
    (): ("GET", _about),
    ("events",): ("GET", _events),
    ("export",): ("GET", _export),
    ("import",): ("POST", _import),
}
