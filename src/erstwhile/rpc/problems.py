"""Errors as problem documents (RFC 9457), and back: a typed error stays typed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from inspect import getdoc
from typing import Any

from erstwhile.blocks.block import Block
from erstwhile.core import errors
from erstwhile.core.errors import ErstwhileError
from erstwhile.core.ports import Tokens
from erstwhile.core.public_record import to_json
from erstwhile.rpc.codec import decode

PROBLEM = "application/problem+json"
_TYPE = "urn:erstwhile:error:"
_STATUS = {
    "invalid_input": 422, "ambiguous_id": 422, "ambiguous_text": 422, "too_large": 413,
    "not_found": 404, "refused": 403, "scope": 403, "read_only": 403, "conflict": 409,
    "clock": 409, "purged": 410, "busy": 503, "unavailable": 503, "closed": 503,
    "embedder": 503, "llm": 502,
}  # fmt: skip
_FAILED = 500
_MORE: Mapping[str, Any] = {
    "candidates": tuple[str, ...],
    "current": Block | None,
    "retry_after": float | None,
    "retryable": bool,
    "spent": Tokens | None,
}
"""The further attributes of errors, and their types."""


def problem_of(error: ErstwhileError, status: int | None = None) -> dict[str, Any]:
    """Return the problem document of an error: its code, its message and its remedy."""
    more = {name: getattr(error, name) for name in _MORE if hasattr(error, name)}
    return {
        "type": f"{_TYPE}{error.code}",
        "title": (getdoc(type(error)) or "").partition("\n")[0],
        "status": status or _STATUS.get(error.code, _FAILED),
        "detail": error.message,
        "code": error.code,
        **({"remedy": error.remedy} if error.remedy else {}),
        **{name: to_json(value) for name, value in more.items() if value is not None},
    }


def error_of(problem: Mapping[str, Any]) -> ErstwhileError:
    """Return the error of a problem document, of the class that the server raised."""
    kind = error_codes().get(str(problem.get("code")), ErstwhileError)
    error = kind.__new__(kind)
    ErstwhileError.__init__(
        error, str(problem.get("detail", "")), remedy=str(problem.get("remedy", ""))
    )
    for name, hint in _MORE.items():
        if name in problem:
            setattr(error, name, decode(problem[name], hint, name, strict=False))
        elif name != "retryable":
            setattr(error, name, () if name == "candidates" else None)
    return error


@cache
def error_codes() -> Mapping[str, type[ErstwhileError]]:
    """Return every class of errors by its code."""
    named = [each for each in vars(errors).values() if isinstance(each, type)]
    return {each.code: each for each in named if issubclass(each, ErstwhileError)}
