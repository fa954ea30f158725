"""The reference of the HTTP API, for everybody: its OpenAPI document, and a page that renders it.

Neither needs a token, and neither knows anything about a memory. The page loads nothing from
elsewhere. The files are read once and served from memory.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from erstwhile.core.public_record import to_json
from erstwhile.rpc.codec import json_bytes
from erstwhile.rpc.verbs import VERSION
from erstwhile.servers.http.openapi import openapi_document
from erstwhile.servers.options import JSON

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    "Vary": "Accept-Encoding",
}


def docs_routes() -> list[Route]:
    """Return the routes of the document and of the page."""
    return [
        _route(f"/{VERSION}/openapi.json", JSON, lambda: json_bytes(to_json(openapi_document()))),
        _route("/docs", "text/html", lambda: _read("page.html")),
        _route("/docs/page.css", "text/css", lambda: _read("page.css")),
        _route("/docs/page.js", "text/javascript", lambda: _read("page.js")),
    ]


def _route(path: str, media_type: str, read: Callable[[], bytes]) -> Route:
    @cache
    def contents() -> tuple[bytes, bytes]:
        content = read()
        return content, gzip.compress(content)

    async def respond(request: Request) -> Response:
        plain, packed = await run_sync(contents)
        is_packed = "gzip" in request.headers.get("accept-encoding", "")
        headers = {**_HEADERS, **({"Content-Encoding": "gzip"} if is_packed else {})}
        return Response(packed if is_packed else plain, media_type=media_type, headers=headers)

    return Route(path, respond)


def _read(name: str) -> bytes:
    return files(__package__).joinpath("docs_page", name).read_bytes()
