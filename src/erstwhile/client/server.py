"""The server of a memory, as its client sees it: requests with an end, and careful retries.

Only what can be repeated is repeated: questions, and changes with a key by which the server knows
them again. Redirects are not followed: they could send the token anywhere.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import Any
from urllib.parse import SplitResult, quote, urlencode

import httpx2

from erstwhile.adapters.backoff import LONGEST_PAUSE, backoff, retry_after
from erstwhile.core.errors import (
    ClosedError,
    ErstwhileError,
    ForkedError,
    InvalidInputError,
    UnavailableError,
    UncertainError,
)
from erstwhile.core.scope import DIMENSIONS, Viewer
from erstwhile.wire.decoding import decoded
from erstwhile.wire.encoding import encoded_argument, written_json
from erstwhile.wire.problems import error_of
from erstwhile.wire.verbs import VERSION, WireVerb

TIMEOUT = 60.0
"""Seconds until an answer must be here, with all tries."""
_LONG = 3_600.0
"""The same for verbs that may work for long."""
_TRIES = 4
_CONNECT = 5.0
_PASSING = frozenset((429, 502, 503, 504))
_FINAL = frozenset(("embedder", "llm", "closed"))
"""The codes of failures that a further try seldom helps."""
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


@dataclass(frozen=True, slots=True, repr=False)
class WireCall:
    """One request, ready to be sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None
    repeatable: bool
    changes: bool
    seconds: float


class RemoteServer:
    """Sends requests to one server."""

    def __init__(self, address: SplitResult, token: str, *, timeout: float = TIMEOUT) -> None:
        self.place = f"{address.scheme}://{address.netloc}"
        self._base = f"{self.place}{address.path.rstrip('/')}"
        self._timeout = timeout
        self._process = os.getpid()
        self._http = httpx2.Client(
            headers={"Authorization": f"Bearer {token}", "User-Agent": "erstwhile"},
            follow_redirects=False,
            verify=address.scheme == "https",  # a context for TLS takes 20 ms to make
            trust_env=address.hostname not in _LOOPBACK,
            limits=httpx2.Limits(max_connections=64, max_keepalive_connections=16),
        )

    def __repr__(self) -> str:
        return f"<RemoteServer {self.place}>"

    def about(self) -> Any:
        """Return what the token opens."""
        return self._sent(WireCall("GET", f"/{VERSION}", {}, None, True, False, self._timeout))

    def call(self, verb: WireVerb, viewer: Viewer, arguments: Mapping[str, Any]) -> Any:
        """Return the answer of a verb in JSON types."""
        given = {name: encoded_argument(value) for name, value in arguments.items()}
        path = "/".join(_segment(part, given) for part in verb.route)
        rest = {name: value for name, value in given.items() if name not in verb.in_path}
        headers, body, query = _view(viewer), None, ""
        if verb.has_body:
            body, headers["Content-Type"] = written_json(rest), "application/json"
        elif rest:
            query = f"?{urlencode(_query(verb, rest), doseq=True)}"
        if not verb.reads:
            headers["Idempotency-Key"] = token_hex(16)
        seconds = _LONG if "long" in verb.marks else self._timeout
        return self._sent(
            WireCall(verb.method, f"/{path}{query}", headers, body, True, not verb.reads, seconds)
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _sent(self, call: WireCall) -> Any:
        self._check_open()
        deadline = time.monotonic() + call.seconds
        doubt: ErstwhileError | None = None
        for attempt in range(1, _TRIES + 1):
            last = attempt == _TRIES or not call.repeatable
            try:
                return _read(self._answer(call, deadline))
            except _TryAgainError as passing:
                doubt = doubt or (passing.error if passing.leaves_doubt else None)
                pause = backoff(attempt) + (passing.after or 0.0)
                if last or pause > LONGEST_PAUSE or time.monotonic() + pause > deadline:
                    raise doubt or passing.error from None
                time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _answer(self, call: WireCall, deadline: float) -> httpx2.Response:
        left = max(0.1, deadline - time.monotonic())
        try:
            return self._http.request(
                call.method,
                f"{self._base}{call.path}",
                content=call.body,
                headers=dict(call.headers),
                timeout=httpx2.Timeout(left, connect=min(left, _CONNECT)),
            )
        except httpx2.ConnectError as error:
            raise _TryAgainError(self._unreachable(error)) from None
        except httpx2.TransportError as error:
            failed = self._uncertain() if call.changes else self._unreachable(error)
            raise _TryAgainError(failed) from None

    def _check_open(self) -> None:
        if os.getpid() != self._process:
            raise ForkedError(
                "this memory was opened before a fork", remedy="open it again in this process"
            )
        if self._http.is_closed:
            raise ClosedError("the memory was closed", remedy="open it again")

    def _unreachable(self, error: Exception) -> ErstwhileError:
        return UnavailableError(
            f"{self.place} does not answer ({type(error).__name__})",
            remedy="check that the server runs there, and try again",
        )

    def _uncertain(self) -> ErstwhileError:
        return UncertainError(
            f"{self.place} did not answer, so the change may be stored or not",
            remedy="look whether it is stored before you repeat it",
        )


class _TryAgainError(Exception):
    """A failure that may pass.

    After one that leaves a doubt whether a change is stored, no later failure removes the doubt.
    """

    def __init__(self, error: ErstwhileError, after: float | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.after = after
        self.leaves_doubt = isinstance(error, UncertainError)


def _read(response: httpx2.Response) -> Any:
    """Return the value of an answer, or raise the error that it tells."""
    try:
        value = response.json()
    except (ValueError, RecursionError):
        value = None
    if response.is_success and (value is not None or response.content == b"null"):
        return value
    problem = value if isinstance(value, dict) and "code" in value else _other(response)
    error = error_of(problem)
    is_under_way = response.status_code == 409 and error.code == "busy"
    if is_under_way or (response.status_code in _PASSING and error.code not in _FINAL):
        raise _TryAgainError(error, retry_after(response.headers.get("Retry-After")))
    raise error


def _other(response: httpx2.Response) -> dict[str, Any]:
    """Return the problem of an answer that is not one of ours."""
    status = response.status_code
    return {
        "code": "unavailable" if status in _PASSING else "error",
        "detail": f"the server answered {status} with something else than an answer",
        "remedy": "check the address: is it a server of Erstwhile?",
    }


def _view(viewer: Viewer) -> dict[str, str]:
    """Return the headers for a view: its scope and its actor."""
    asked = {name: getattr(viewer.scope, name) for name in DIMENSIONS}
    headers = {f"Erstwhile-{name}": quote(text) for name, text in asked.items() if text is not None}
    if viewer.user_unknown:
        headers["Erstwhile-user"] = ""
    if viewer.everything:
        headers["Erstwhile-everything"] = "true"
    if not viewer.person:
        headers["Erstwhile-person"] = "false"
    if viewer.name:
        headers["Erstwhile-actor"] = quote(viewer.name)
    return headers


def _segment(part: str, given: Mapping[str, Any]) -> str:
    if not part.startswith("{"):
        return part
    text = given[part[1:-1]]
    if not isinstance(text, str):
        raise InvalidInputError(f"{part[1:-1]} must be text", remedy="give it as a str")
    if text in (".", ".."):  # else it would be read as a path
        return text.replace(".", "%2E")
    try:
        return quote(text, "")
    except UnicodeEncodeError:
        raise InvalidInputError(
            f"{part[1:-1]} has half a character", remedy="remove lone surrogates"
        ) from None


def _query(verb: WireVerb, rest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a query. What cannot be written must not widen the answer."""
    found: dict[str, Any] = {}
    for name, value in rest.items():
        # In a query every value is a text: a wrong type would not be seen by the server.
        decoded(value, verb.parameters[name].hint, name, strict=True)
        if value is None:
            continue
        if value == []:
            raise InvalidInputError(f"the list {name} is empty", remedy="leave it out")
        found[name] = _texts(value)
    return found


def _texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_texts(each) for each in value]
    return str(value).lower() if isinstance(value, bool) else value
