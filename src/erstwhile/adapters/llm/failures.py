"""Failures of language models as LlmErrors, with a remedy and whether a retry may help.

Servers quote the prompt in their messages, so only their short error codes are used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from erstwhile.adapters.http_common import retry_after
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Tokens

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
        refusal = None if _is_temporary(error.status_code) else _prompt_refusal(error, place)
        return refusal or _server_refusal(error, place)
    if isinstance(error, sdk.APITimeoutError):
        return too_slow(timeout)
    if isinstance(error, sdk.APIConnectionError):
        return LlmError(f"{place} does not answer", remedy="wait, or check llm_url")
    return unreadable(place, type(error).__name__)


def too_slow(longest: float) -> LlmError:
    """Return the error for an answer that takes too long."""
    return LlmError(f"the language model did not answer within {longest:g} seconds", remedy="wait")


def was_cancelled() -> LlmError:
    return LlmError("the question to the language model was cancelled")


def unreadable(place: str, why: str) -> LlmError:
    """Return the error for an unreadable answer, such as the error page of a gateway."""
    return LlmError(f"{place} returned an unreadable answer ({why})", remedy="check llm_url")


class StopReason(Enum):
    """The reason why an answer is incomplete: message, remedy, and whether a retry may help."""

    CUT_OFF = (
        "the answer of {place} was cut off at its limit of tokens",
        "use a model that thinks less, or a shorter prompt",
        False,
    )
    DECLINED = "the model at {place} declined to answer", "check the text of the turn", False
    BROKEN_OFF = "{place} did not finish its answer", "wait", True
    EMPTY = "{place} returned an empty answer", "use another model, or one that thinks less", False

    def error(self, place: str, spent: Tokens) -> LlmError:
        """Return the error for an answer of the server at `place`."""
        message, remedy, retryable = self.value
        return LlmError(
            message.format(place=place), remedy=remedy, retryable=retryable, spent=spent
        )


def complaint(error: Any) -> str:
    """Return all text of a server's error. It may quote the prompt, so never show it."""
    return f"{getattr(error, 'message', '')} {getattr(error, 'body', '')}"


def is_too_long(error: Any) -> bool:
    """Return whether the prompt exceeds the context of the model."""
    return error.status_code == 413 or bool(_TOO_LONG.search(complaint(error)))


def _is_temporary(status: int) -> bool:
    return status >= 500 or status in _PASSING


def _prompt_refusal(error: Any, place: str) -> LlmError | None:
    """Return the error if only this prompt is refused, not every prompt."""
    if is_too_long(error):
        return LlmError(
            f"the prompt is too long for the model at {place}",
            remedy="use a model with a larger context",
            retryable=False,
            spent=_NOTHING,
        )
    if _DECLINED.search(_error_code(error.body)):
        return StopReason.DECLINED.error(place, _NOTHING)
    return None


def _server_refusal(error: Any, place: str) -> LlmError:
    """Return the error of a server that refuses every prompt."""
    status, code = error.status_code, _error_code(error.body)
    if 300 <= status < 400:
        return LlmError(
            f"{place} redirects, which is not followed",
            remedy="if the new address is right, set llm_url to it",
            retryable=False,
        )
    return LlmError(
        f"{place} answered {status}{code and f' ({code})'}",
        remedy=_REMEDIES.get(status, "wait" if status >= 500 else "check the model and llm_url"),
        retryable=_is_temporary(status),
        retry_after=_requested_pause(error.response.headers),
    )


def _error_code(body: object) -> str:
    """Return the code or type of a server's error; empty if it has none."""
    details = body.get("error", body) if isinstance(body, dict) else None
    codes = (details.get("code"), details.get("type")) if isinstance(details, dict) else ()
    found = next((each for each in codes if isinstance(each, str) and _CODE.fullmatch(each)), None)
    return found or ""


def _requested_pause(headers: Mapping[str, str]) -> float | None:
    """Return the pause in seconds that a server asks for; the more precise header comes first."""
    try:
        finer = retry_after(str(float(headers["retry-after-ms"]) / 1000))
    except (KeyError, ValueError):
        finer = None
    return retry_after(headers.get("retry-after")) if finer is None else finer
