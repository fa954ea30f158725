"""The web console: static files that call the HTTP API with the token of the person.

The files need no token, since they contain no memory. The page works without a build step and loads
nothing from elsewhere: its content security policy allows only the server itself.
"""

from __future__ import annotations

from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

PATH = "/console"
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
    "cross-origin-opener-policy": "same-origin",
}


class _ConsoleFiles(StaticFiles):
    """The files of the console, with the headers that confine the page."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_HEADERS)
        return response


def console_routes() -> list[BaseRoute]:
    """Return the routes of the console."""
    files = _ConsoleFiles(packages=[(__name__, "static")], html=True)
    return [Route("/", _to_console), Mount(PATH, GZipMiddleware(files))]


async def _to_console(_request: Request) -> Response:
    return RedirectResponse(f"{PATH}/")
