"""Failures of a server as LlmErrors, which say what happened and whether a retry may help.

Servers quote the prompt in their messages, so only their short error codes are used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from erstwhile.adapters.backoff import retry_after
from erstwhile.adapters.llm.cancellable_call import too_slow
from erstwhile.core.errors import LlmError
from erstwhile.core.tokens import Tokens

_PASSING = (408, 409, 425, 429)
_REMEDIES = {
    401: "check the key",
    402: "check what your plan allows",
    403: "check the key and its permissions",
    404: "check the model's name and llm_url, which often ends in /v1",
    429: "wait, and check what your plan allows",
}
_NOTHING = Tokens()
"""The cost of a prompt that the server refused."""
_TOO_LONG = re.compile(
    r"context_length_exceeded|context (?:length|size|window)|(?:prompt|input) is too long"
    r"|exceeds? the (?:available|maximum) context|maximum context",
    re.IGNORECASE,
)
_CODE = re.compile(r"[a-z][a-z0-9_]{1,60}", re.IGNORECASE)
_DECLINED = re.compile(
    "content_?(?:filter|policy)|invalid_prompt|inspection|moderat", re.IGNORECASE
)
"""Error codes for a prompt that is refused because of its content."""


def translated(error: Exception, sdk: Any, *, place: str, timeout: float) -> LlmError:
    """Return an error of a vendor's package as an LlmError."""
    if isinstance(error, LlmError):
        return error
    if isinstance(error, sdk.APIStatusError):
        return _refusal(error, place)
    if isinstance(error, sdk.APITimeoutError):
        return too_slow(timeout)
    if isinstance(error, sdk.APIConnectionError):
        return LlmError(f"{place} does not answer", remedy="wait, or check llm_url")
    return unreadable(place, type(error).__name__)


def unreadable(place: str, why: str) -> LlmError:
    """Return the error for an unreadable answer, such as the error page of a gateway."""
    return LlmError(f"{place} returned an unreadable answer ({why})", remedy="check llm_url")


def cut_off(place: str, spent: Tokens) -> LlmError:
    """Return the error for an answer that reached its limit of tokens."""
    return LlmError(
        f"the answer of {place} was cut off at its limit of tokens",
        remedy="use a model that thinks less, or a shorter prompt",
        retryable=False,
        spent=spent,
    )


def declined(place: str, spent: Tokens) -> LlmError:
    """Return the error for a refusal by the model."""
    return LlmError(
        f"the model at {place} declined to answer",
        remedy="check the text of the turn",
        retryable=False,
        spent=spent,
    )


def broken_off(place: str, spent: Tokens) -> LlmError:
    """Return the error for an answer that the server did not finish."""
    return LlmError(f"{place} did not finish its answer", remedy="wait", spent=spent)


def silent(place: str, spent: Tokens) -> LlmError:
    """Return the error for an empty answer."""
    return LlmError(
        f"{place} returned an empty answer",
        remedy="use another model, or one that thinks less",
        retryable=False,
        spent=spent,
    )


def complaint(error: Any) -> str:
    """Return all text of a server's error. It may quote the prompt, so never show it."""
    return f"{getattr(error, 'message', '')} {getattr(error, 'body', '')}"


def is_too_long(error: Any) -> bool:
    """Return whether the prompt exceeds the context of the model."""
    return error.status_code == 413 or bool(_TOO_LONG.search(complaint(error)))


def _refusal(error: Any, place: str) -> LlmError:
    if error.status_code < 500 and error.status_code not in _PASSING:
        return _of_the_prompt(error, place) or _of_the_server(error, place)
    return _of_the_server(error, place)


def _of_the_prompt(error: Any, place: str) -> LlmError | None:
    """Return the error if only this prompt is refused, not every prompt."""
    if is_too_long(error):
        return LlmError(
            f"the prompt is too long for the model at {place}",
            remedy="use a model with a larger context",
            retryable=False,
            spent=_NOTHING,
        )
    return declined(place, _NOTHING) if _DECLINED.search(_code(error.body)) else None


def _of_the_server(error: Any, place: str) -> LlmError:
    """Return the error of a server that refuses every prompt."""
    status, code = error.status_code, _code(error.body)
    if 300 <= status < 400:
        return LlmError(
            f"{place} redirects, which is not followed",
            remedy="if the new address is right, set llm_url to it",
            retryable=False,
        )
    return LlmError(
        f"{place} answered {status}{code and f' ({code})'}",
        remedy=_REMEDIES.get(status, "wait" if status >= 500 else "check the model and llm_url"),
        retryable=status in _PASSING or status >= 500,
        retry_after=_pause(error.response.headers),
    )


def _code(body: object) -> str:
    """Return the code or type of a server's error; empty if it has none."""
    details = body.get("error", body) if isinstance(body, dict) else None
    codes = (details.get("code"), details.get("type")) if isinstance(details, dict) else ()
    found = next((each for each in codes if isinstance(each, str) and _CODE.fullmatch(each)), None)
    return found or ""


def _pause(headers: Mapping[str, str]) -> float | None:
    """Return the pause in seconds that a server asks for; the more precise header comes first."""
    try:
        finer = retry_after(str(float(headers["retry-after-ms"]) / 1000))
    except (KeyError, ValueError):
        finer = None
    return retry_after(headers.get("retry-after")) if finer is None else finer
