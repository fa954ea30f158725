"""The HTTP API: an ASGI application that calls the verb of each request.

It expects the Token and the Memory of a request in the ASGI scope, from `AccessMiddleware`. It
checks the right of the token, narrows the scope by headers, and calls verbs on threads. All paths
are below `/v1`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote_to_bytes

from anyio.to_thread import run_sync
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from erstwhile import __version__
from erstwhile.core.errors import ConflictError, ErstwhileError, RefusedError, TooLargeError
from erstwhile.core.logs import log_failure
from erstwhile.core.scope import DIMENSIONS
from erstwhile.rpc.codec import encode_result, json_bytes
from erstwhile.rpc.verbs import VERSION, Verb, verbs
from erstwhile.servers.http.arguments import etag, expected_version, is_stale, read_arguments
from erstwhile.servers.http.idempotency import keyed_request, once
from erstwhile.servers.http.openapi import openapi_document
from erstwhile.servers.http.streams import (
    changes_since,
    check_importer,
    export_lines,
    import_stream,
)
from erstwhile.servers.middleware import MEMORY, TOKEN
from erstwhile.servers.options import EVENTS, JSON, LINES
from erstwhile.servers.problems import (
    HttpError,
    bad_request,
    method_not_allowed,
    path_not_found,
    problem_response,
    unsupported_media_type,
)
from erstwhile.servers.tokens import Right, Token

if TYPE_CHECKING:
    from erstwhile.memory import Memory

UNLIMITED_PATHS = frozenset((f"/{VERSION}/import",))
"""Paths whose bodies may have any size."""
_MOST_BYTES = 64 * 1024 * 1024
"""The largest body to read into memory, whatever the options allow."""
_ANY = "{}"
"""A path parameter in the keys of routes."""
_PREFIX = "erstwhile-"
_HEADERS = frozenset((*DIMENSIONS, "actor", "everything", "person"))
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
Target: TypeAlias = Verb | Endpoint


class HttpApi:
    """Routes requests to verbs and other endpoints."""

    def __init__(self) -> None:
        rows: list[tuple[str, tuple[str, ...], Verb | Endpoint]] = [
            (verb.method, verb.route, verb) for verb in verbs().values()
        ]
        rows += [(method, (VERSION, *path), endpoint) for method, path, endpoint in _ENDPOINTS]
        self._routes = Routes(rows)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        response = await self._respond(Request(scope, receive))
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        try:
            path = request.scope.get("raw_path") or request.scope["path"].encode()
            target, texts = self._routes.find(request.method, path.partition(b"?")[0])
            if isinstance(target, Verb):
                return await _call(target, request, texts)
            if request.scope["query_string"]:
                raise bad_request("this path takes no query", "use the body or the headers")
            return await target(request)
        except (HttpError, ErstwhileError) as error:
            return problem_response(error)
        except ClientDisconnect:
            return problem_response(bad_request("the body is not complete"))
        except Exception as error:  # a defect: its message could quote content
            log_failure(__name__, "a request failed", error=error)
            return problem_response(ErstwhileError("the server failed", remedy="see its log"))


async def _call(verb: Verb, request: Request, texts: list[str]) -> Response:
    """Call the verb of a request on a thread."""
    _check_right(request, verb.right)
    body = await _read_body(request) if verb.has_body else b""
    path = dict(zip(verb.in_path, texts, strict=True))
    query, headers = request.scope["query_string"], request.headers

    def call() -> str:
        arguments = read_arguments(verb, path, query, body)
        arguments |= expected_version(verb, headers, arguments)

        def answer(view: Memory) -> str:
            return json_bytes(encode_result(verb.call(view, arguments))).decode()

        view, key = view_of(request), headers.get("idempotency-key")
        if key is None or verb.reads:
            return answer(view)
        keyed = keyed_request(request.scope[TOKEN], view, key, verb, path, query, body)
        return once(view, keyed, answer)

    try:
        text = await run_sync(call)
    except ConflictError as error:
        raise HttpError(error, 412 if is_stale(verb, headers, error) else None) from None
    return Response(text, headers=etag(verb, text), media_type=JSON)


async def _read_body(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            raise TooLargeError("the body is too large", remedy="send less")
    if body:
        _check_media_type(request, JSON)
    return bytes(body)


def _check_media_type(request: Request, expected: str) -> None:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != expected:
        raise unsupported_media_type(expected)


def _check_right(request: Request, right: str) -> None:
    """Raise RefusedError if the token of a request lacks a right."""
    token: Token = request.scope[TOKEN]
    if not token.may(Right(right)):
        raise RefusedError(
            f"this needs the right {right!r}", remedy="use a token that has it: erstwhile tokens"
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
    return _json_response(
        {
            "version": __version__,
            "token": token.name,
            "scope": token.scope,
            "right": token.right,
            "person": token.person,
        }
    )


async def _openapi(_request: Request) -> Response:
    """Return the OpenAPI document."""
    return _json_response(await run_sync(openapi_document))


async def _events(request: Request) -> Response:
    """Stream the changes in the scope."""
    changes = changes_since(view_of(request), request.headers.get("last-event-id"))
    return StreamingResponse(await _begin(changes), media_type=EVENTS)


async def _export(request: Request) -> Response:
    """Stream an export of the scope."""
    _check_right(request, Right.ADMIN)
    return StreamingResponse(await _begin(export_lines(view_of(request))), media_type=LINES)


async def _import(request: Request) -> Response:
    """Import a stream of lines."""
    _check_right(request, Right.ADMIN)
    view = view_of(request)
    check_importer(request.scope[TOKEN], view)
    _check_media_type(request, LINES)
    return _json_response(await import_stream(view, request.stream()))


def _json_response(value: Any) -> Response:
    return Response(json_bytes(encode_result(value)), media_type=JSON)


async def _begin(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Wait for the first part of a stream, so that early errors become error responses."""
    first = await anext(stream, b"")

    async def parts() -> AsyncIterator[bytes]:
        yield first
        async for part in stream:
            yield part

    return parts()


_ENDPOINTS: tuple[tuple[str, tuple[str, ...], Endpoint], ...] = (
    ("GET", (), _about),
    ("GET", ("openapi.json",), _openapi),
    ("GET", ("events",), _events),
    ("GET", ("export",), _export),
    ("POST", ("import",), _import),
)


class Routes:
    """Targets by path and method.

    A name in a path may hold an encoded slash. Starlette decodes paths before it matches them, so
    its router cannot tell such a name from two segments.
    """

    def __init__(self, routes: Iterable[tuple[str, tuple[str, ...], Target]]) -> None:
        self._targets: dict[tuple[str, ...], dict[str, Target]] = {}
        for method, segments, target in routes:
            key = tuple(_ANY if each.startswith("{") else each for each in segments)
            self._targets.setdefault(key, {})[method] = target
        self._longest = max(map(len, self._targets))

    def find(self, method: str, raw_path: bytes) -> tuple[Target, list[str]]:
        """Return the target of a request, and the texts of the path parameters.

        Literal segments take precedence over parameters.
        """
        segments = [_decode_segment(part) for part in raw_path.removeprefix(b"/").split(b"/")]
        keys = product(*((each, _ANY) for each in segments[: self._longest + 1]))
        found = [key for key in keys if key in self._targets]
        for key in found:
            if method in self._targets[key]:
                texts = [text for text, each in zip(segments, key, strict=True) if each == _ANY]
                return self._targets[key][method], texts
        if not found:
            raise path_not_found()
        raise method_not_allowed([each for key in found for each in self._targets[key]])


def _decode_segment(segment: bytes) -> str:
    try:
        return unquote_to_bytes(segment).decode("utf-8")
    except UnicodeDecodeError:
        raise bad_request("the path is not UTF-8") from None
