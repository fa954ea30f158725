"""What goes wrong with a server, as one error: what happened, and whether it may pass.

Servers quote what they were sent, so of their words only short codes get into a message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from recollect.adapters.llm.watching import too_slow
from recollect.adapters.patience import retry_after
from recollect.model.errors import LlmError
from recollect.model.usage import Tokens

_PASSING = (408, 409, 425, 429)
_REMEDIES = {
    401: "check the key",
    403: "check the key and what it may do",
    404: "check the model's name and llm_url",
    429: "wait, and check what your plan allows",
}
_TOO_LONG = re.compile(
    r"context_length_exceeded|context (?:length|size|window)|(?:prompt|input) is too long"
    r"|exceeds? the (?:available|maximum) context|maximum context",
    re.IGNORECASE,
)
_CODE = re.compile(r"[a-z][a-z0-9_]{1,60}", re.IGNORECASE)


def translated(error: Exception, sdk: Any, *, place: str, timeout: float) -> LlmError:
    """The error of a vendor's package, in our own words."""
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
    """It answered, in a form that is none: a gateway in trouble, or another program."""
    return LlmError(
        f"{place} answered with something that is no answer ({why})", remedy="check llm_url"
    )


def cut_off(place: str, most: int, spent: Tokens) -> LlmError:
    return LlmError(
        f"the answer of {place} was cut off at the limit of {most:,} tokens",
        remedy="use a model that thinks less, or give it less to read",
        retryable=False,
        spent=spent,
    )


def declined(place: str, spent: Tokens) -> LlmError:
    return LlmError(
        f"the model at {place} declined to answer",
        remedy="see what it read",
        retryable=False,
        spent=spent,
    )


def silent(place: str, spent: Tokens) -> LlmError:
    return LlmError(
        f"{place} answered without a word", remedy="wait, or try another model", spent=spent
    )


def complaint(error: Any) -> str:
    """All that a server said. It may quote the prompt, so it is searched and never shown."""
    return f"{getattr(error, 'message', '')} {getattr(error, 'body', '')}"


def is_too_long(error: Any) -> bool:
    return error.status_code == 413 or bool(_TOO_LONG.search(complaint(error)))


def _refusal(error: Any, place: str) -> LlmError:
    status = error.status_code
    if status < 500 and status not in _PASSING and is_too_long(error):
        return LlmError(
            f"the prompt is too long for the model at {place}",
            remedy="use a model with a larger context",
            retryable=False,
        )
    if 300 <= status < 400:
        return LlmError(
            f"{place} redirects, which is not followed",
            remedy="if that is where it should go, set llm_url to it",
            retryable=False,
        )
    return LlmError(
        f"{place} answered {status}{_code(error.body)}",
        remedy=_REMEDIES.get(status, "wait" if status >= 500 else "check the model and llm_url"),
        retryable=status in _PASSING or status >= 500,
        retry_after=_pause(error.response.headers),
    )


def _code(body: object) -> str:
    """The code or type that such servers put beside their words."""
    said = body.get("error", body) if isinstance(body, dict) else None
    codes = (said.get("code"), said.get("type")) if isinstance(said, dict) else ()
    found = next((each for each in codes if isinstance(each, str) and _CODE.fullmatch(each)), None)
    return f" ({found})" if found else ""


def _pause(headers: Mapping[str, str]) -> float | None:
    """The finer of the two headers goes first."""
    try:
        return retry_after(str(float(headers["retry-after-ms"]) / 1000))
    except (KeyError, ValueError):
        return retry_after(headers.get("retry-after"))
