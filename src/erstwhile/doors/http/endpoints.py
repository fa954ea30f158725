"""What is served besides the verbs: who asks, the document, changes, exports and imports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import anyio.to_thread

from erstwhile import __version__
from erstwhile.doors.http.callers import view_of
from erstwhile.doors.http.events import HEADER, KIND, changes_since
from erstwhile.doors.http.messages import HttpAnswer, HttpRequest, begun
from erstwhile.doors.http.refusals import wrong_content
from erstwhile.wire.encoding import encoded_result, written_json

LINES = "application/x-ndjson"
STREAMED = frozenset(("/v1/import",))
"""The paths whose bodies may have any size."""

Endpoint: TypeAlias = Callable[[HttpRequest], Awaitable[HttpAnswer]]


async def _about(request: HttpRequest) -> HttpAnswer:
    """Say who asks: what the token opens and allows."""
    token = request.token
    found: dict[str, Any] = {
        "version": __version__,
        "token": token.name,
        "scope": encoded_result(token.scope),
        "right": token.right.value,
        "person": token.person,
    }
    return HttpAnswer(200, written_json(found))


async def _document(_request: HttpRequest) -> HttpAnswer:
    """Return the OpenAPI document."""
    return HttpAnswer(200, await anyio.to_thread.run_sync(_written_document))


async def _changes(request: HttpRequest) -> HttpAnswer:
    """Stream the changes in the scope."""
    stream = changes_since(view_of(request), request.headers.get(HEADER))
    return HttpAnswer(200, b"", KIND, stream=await begun(stream))


async def _export(request: HttpRequest) -> HttpAnswer:
    """Stream an export of the scope."""
    from erstwhile.doors.http import streams  # exports are seldom asked for

    streams.check_administrator(request.token)
    return HttpAnswer(200, b"", LINES, stream=await begun(streams.exported(view_of(request))))


async def _import(request: HttpRequest) -> HttpAnswer:
    """Import a stream of lines."""
    from erstwhile.doors.http import streams  # so are imports

    view = view_of(request)
    streams.check_importer(request.token, view)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != LINES:
        raise wrong_content(LINES)
    streams.check_whole(view)
    done = await streams.imported(view, request.parts())
    return HttpAnswer(200, written_json(encoded_result(done)))


def _written_document() -> bytes:
    from erstwhile.doors.http.openapi import openapi_document  # few clients ask for it

    return written_json(openapi_document())


ENDPOINTS: tuple[tuple[str, tuple[str, ...], Endpoint], ...] = (
    ("GET", (), _about),
    ("GET", ("openapi.json",), _document),
    ("GET", ("events",), _changes),
    ("GET", ("export",), _export),
    ("POST", ("import",), _import),
)
