"""Requests that no verb sees: they are refused by what HTTP says about them."""

from __future__ import annotations

from erstwhile.core.errors import ErstwhileError, InvalidInputError, NotFoundError, RefusedError
from erstwhile.wire.problems import status_of


class HttpRefusalError(Exception):
    """A request that is refused, with the status of the answer and its headers."""

    def __init__(
        self,
        error: ErstwhileError,
        status: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.status = status or status_of(error)
        self.headers = headers or {}


def malformed(message: str, remedy: str = "") -> HttpRefusalError:
    """Return the refusal of a request that cannot be read."""
    return HttpRefusalError(InvalidInputError(message, remedy=remedy), 400)


def no_such_path() -> HttpRefusalError:
    """Return the refusal of a path that nothing is at."""
    return HttpRefusalError(
        NotFoundError("nothing is at this path", remedy="see /v1/openapi.json"), 404
    )


def wrong_method(allowed: list[str]) -> HttpRefusalError:
    """Return the refusal of a method that a path does not take."""
    methods = ", ".join(sorted(allowed))
    error = InvalidInputError("this path takes other methods", remedy=f"use {methods}")
    return HttpRefusalError(error, 405, {"Allow": methods})


def wrong_content(wanted: str) -> HttpRefusalError:
    """Return the refusal of a body of another type."""
    error = InvalidInputError("the body has another type", remedy=f"send it as {wanted}")
    return HttpRefusalError(error, 415, {"Accept": wanted})


def not_allowed(message: str, remedy: str) -> RefusedError:
    """Return the error of a token that may not do this."""
    return RefusedError(message, remedy=remedy)
