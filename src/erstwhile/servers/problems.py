"""Error responses: problem documents (RFC 9457) with the code of an error of this project.

A client can raise the same error again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

import anyio
from starlette.responses import Response
from starlette.types import Receive, Send

from erstwhile.core.errors import (
    BusyError,
    ErstwhileError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
    TooLargeError,
)
from erstwhile.rpc.codec import json_bytes
from erstwhile.rpc.problems import PROBLEM, problem_of

_DISCARD_SECONDS = 2.0
_DISCARD_BYTES = 16 * 1024 * 1024
"""Seconds and bytes for reading the body of a rejected request."""


@dataclass(eq=False)
class HttpError(Exception):
    """An error with the status and the headers of its response."""

    error: ErstwhileError
    status: int | None = None
    headers: Mapping[str, str] | None = None


def problem_response(error: ErstwhileError | HttpError, *, by_status: bool = False) -> Response:
    """Return the response for an error; `by_status` titles it with the phrase of its status."""
    found = error if isinstance(error, HttpError) else HttpError(error)
    document = problem_of(found.error, found.status)
    if by_status:
        document["title"] = HTTPStatus(document["status"]).phrase
    retry = {"Retry-After": "1"} if document["status"] == 503 else {}
    headers = {**retry, **(found.headers or {})}
    return Response(json_bytes(document), document["status"], headers, PROBLEM)


async def reject(error: HttpError, send: Send, receive: Receive | None = None) -> None:
    """Send an error response and close the connection.

    A client that is still sending its body would not see the response, so with `receive` a part of
    the body is read and discarded first.
    """
    response = problem_response(error, by_status=True)
    response.headers["Connection"] = "close"
    start = {"status": response.status_code, "headers": response.raw_headers}
    await send({"type": "http.response.start", **start})
    more = receive is not None
    await send({"type": "http.response.body", "body": response.body, "more_body": more})
    if receive is None:
        return
    left = _DISCARD_BYTES
    with anyio.move_on_after(_DISCARD_SECONDS):
        while left > 0:
            message = await receive()
            if not message.get("more_body", False):
                break
            left -= len(message.get("body", b""))
    await send({"type": "http.response.body", "body": b""})


def bad_request(message: str, remedy: str = "") -> HttpError:
    return HttpError(InvalidInputError(message, remedy=remedy), 400)


def forbidden(message: str, remedy: str = "", status: int = 403) -> HttpError:
    """Return the error of a request without permission."""
    return HttpError(RefusedError(message, remedy=remedy), status)


def path_not_found() -> HttpError:
    return HttpError(NotFoundError("nothing is at this path", remedy="see /v1/openapi.json"), 404)


def body_too_large(most_bytes: int) -> HttpError:
    """Return the error of a body with more bytes than are allowed."""
    remedy = f"send less: {most_bytes:,} bytes are allowed"
    return HttpError(TooLargeError("the body is too large", remedy=remedy), 413)


def too_many_values(most: int) -> HttpError:
    """Return the error of a body with more JSON values than are allowed."""
    remedy = f"send less at once: {most:,} commas and brackets are allowed"
    return HttpError(TooLargeError("the body has too many values", remedy=remedy), 413)


def server_failure() -> HttpError:
    """Return the error of a defect. It has no details: they could quote content."""
    return HttpError(ErstwhileError("the server failed", remedy="see its log"))


def too_busy(status: int, message: str, seconds: int) -> HttpError:
    """Return the error of a request that may be repeated after some seconds."""
    error = BusyError(message, remedy="try again later")
    return HttpError(error, status, {"Retry-After": str(max(1, seconds))})
