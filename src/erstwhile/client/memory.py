"""Client of a server: a memory over HTTP, with the verbs of every other memory.

Only safe requests are repeated: reads, and changes with an Idempotency-Key. Redirects are not
followed: they could send the token anywhere.
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, wraps
from secrets import token_hex
from typing import TYPE_CHECKING, Any, cast, get_args
from urllib.parse import SplitResult, quote, urlencode, urlsplit

import httpx2

from erstwhile.adapters.http_common import MAX_PAUSE, backoff, retry_after
from erstwhile.core.arguments import check_keywords
from erstwhile.core.errors import (
    ClosedError,
    ErstwhileError,
    ForkedError,
    InvalidInputError,
    RefusedError,
    UnavailableError,
    UncertainError,
)
from erstwhile.core.scope import Scope, Viewer, dimensions_of
from erstwhile.core.verb_help import declared_signature
from erstwhile.memory import Memory
from erstwhile.rpc.codec import decode, encode_argument, hints_of, json_bytes
from erstwhile.rpc.problems import error_of
from erstwhile.rpc.verbs import LOCAL_PARAMETERS, LOCAL_VERBS, VERSION, Verb, class_of, verbs

if TYPE_CHECKING:
    from erstwhile.storage.access import Access
    from erstwhile.storage.record import Collection

TIMEOUT = 60.0
"""Seconds to wait for an answer, with all attempts."""
_LONG = 3_600.0
"""Seconds to wait for the answer of a `long` verb."""
_ATTEMPTS = 4
_CONNECT = 5.0
_RETRYABLE = frozenset((429, 502, 503, 504))
_FINAL = frozenset(("embedder", "llm", "closed"))
"""Error codes without a retry."""
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


@dataclass(frozen=True, slots=True)
class RemoteAccess:
    """A server, and the viewer of its requests."""

    server: RemoteServer
    viewer: Viewer
    secrets: None = None
    """The server has its own treatment of secrets."""


class RemoteMemory(Memory):
    """A memory on a server. Its verbs are added below the class."""

    _access: RemoteAccess  # type: ignore[assignment]

    def __init__(self, access: RemoteAccess) -> None:
        super().__init__(cast("Access", access))

    def close(self) -> None:
        """Close the connections to the server, for all views."""
        self._access.server.http.close()

    def _seen_by(self, viewer: Viewer) -> Memory:
        return RemoteMemory(replace(self._access, viewer=viewer))

    def _create(self, kind: type[Collection]) -> Collection:
        try:
            remote = _remote_class(kind.__name__.lower())
        except KeyError:  # no collection, such as what `dir` lists
            raise AttributeError(f"{kind.__name__} is on the server only") from None
        return remote(cast("Access", self._access), self._services)


def connect(
    address: str, token: str | None, *, actor: str | None = None, timeout: float = TIMEOUT
) -> Memory:
    """Open the memory of a token on a server."""
    server = RemoteServer(_parse_address(address), _check_token(token), timeout=timeout)
    try:
        opened = decode(server.send("GET", f"/{VERSION}")["scope"], Scope, "scope", strict=False)
    except BaseException:
        server.http.close()
        raise
    return RemoteMemory(RemoteAccess(server, Viewer(scope=opened, name=actor)))


def _parse_address(address: str) -> SplitResult:
    """Split the address of a server: a host, and perhaps a port and a path."""
    with suppress(ValueError):  # of a port or a host that cannot be read
        parts = urlsplit(address)
        more = parts.username or parts.password or parts.query or parts.fragment
        if parts.hostname and parts.port != 0 and not more:
            return parts
    raise InvalidInputError(
        "the address of a server has a host and perhaps a port and a path",
        remedy="give it as https://host:port, and the token as `token`",
    )


def _check_token(token: str | None) -> str:
    """Return a token that fits a header."""
    if not token:
        raise InvalidInputError(
            "a server needs a token", remedy="give `token`; `erstwhile tokens make` makes one"
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidInputError(
            "this is not a token: it has a space or another unexpected character",
            remedy="give it as `erstwhile tokens make` showed it",
        )
    return token


def _remote_method(verb: Verb) -> Callable[..., Any]:
    """Return the method that calls a verb on the server."""

    @wraps(verb.function)
    def send(self: Any, *args: Any, **keywords: Any) -> Any:
        access: RemoteAccess = self._access
        answer = access.server.call(verb, access.viewer, _arguments(verb, args, keywords))
        try:
            return decode(answer, verb.result, verb.name, strict=False)
        except InvalidInputError as error:
            raise ErstwhileError(
                f"the server's response cannot be read: {error.message}",
                remedy="use the same version here and there",
            ) from None

    return send


def _arguments(verb: Verb, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments by name. Raise TypeError for those that the verb does not have."""
    signature = declared_signature(verb.function)
    bound = signature.bind(None, *args, **keywords)
    found: dict[str, Any] = {}
    for name, value in list(bound.arguments.items())[1:]:
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            (fields,) = get_args(hints_of(verb.function)[name])
            check_keywords(value, fields, *signature.parameters)
            found |= value
        else:
            found[name] = value
    for name, reason in LOCAL_PARAMETERS.items():
        if found.pop(name, None) is not None:
            raise InvalidInputError(
                f"{name} cannot be sent to a server: {reason}", remedy="leave it out"
            )
    return found


def _local_method(name: str) -> Callable[..., Any]:
    """Return the method of a verb that only works locally."""

    def refuse(_self: object, *_args: object, **_keywords: object) -> None:
        raise RefusedError(
            f"{name} cannot be called on a server: {LOCAL_VERBS[name]}",
            remedy="call it on the machine of the memory",
        )

    return refuse


@cache
def _remote_class(collection: str) -> type[Collection]:
    """Return the class of a collection on a server."""
    kind = class_of(collection)
    return type(f"Remote{kind.__name__}", (kind,), _methods(collection))


def _methods(collection: str) -> dict[str, Callable[..., Any]]:
    sent = [verb for verb in verbs().values() if verb.collection == collection]
    kept = [name for name in LOCAL_VERBS if collection and name.startswith(f"{collection}.")]
    methods = {verb.name.rpartition(".")[2]: _remote_method(verb) for verb in sent}
    return methods | {name.partition(".")[2]: _local_method(name) for name in kept}


class RemoteServer:
    """HTTP client of one server."""

    def __init__(self, address: SplitResult, token: str, *, timeout: float = TIMEOUT) -> None:
        self.place = f"{address.scheme}://{address.netloc}"
        self._base = f"{self.place}{address.path.rstrip('/')}"
        self._timeout = timeout
        self._process = os.getpid()
        self.http = httpx2.Client(
            headers={"Authorization": f"Bearer {token}", "User-Agent": "erstwhile"},
            follow_redirects=False,
            verify=address.scheme == "https",  # a context for TLS takes 20 ms to make
            trust_env=address.hostname not in _LOOPBACK,
            limits=httpx2.Limits(max_connections=64, max_keepalive_connections=16),
        )

    def call(self, verb: Verb, viewer: Viewer, arguments: Mapping[str, Any]) -> Any:
        """Call a verb and return its JSON result."""
        given = {name: encode_argument(value) for name, value in arguments.items()}
        path = "/".join(_path_segment(part, given) for part in verb.route)
        rest = {name: value for name, value in given.items() if name not in verb.in_path}
        headers, body, query = _view_headers(viewer), None, ""
        if verb.has_body:
            body, headers["Content-Type"] = json_bytes(rest), "application/json"
        elif rest:
            query = f"?{urlencode(_query_fields(verb, rest), doseq=True)}"
        if not verb.reads:
            headers["Idempotency-Key"] = token_hex(16)
        seconds = _LONG if "long" in verb.marks else self._timeout
        return self.send(verb.method, f"/{path}{query}", headers, body, seconds=seconds)

    def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        *,
        seconds: float | None = None,
    ) -> Any:
        """Send a request, with retries, and return the JSON value of its response."""
        if os.getpid() != self._process:
            raise ForkedError(
                "this memory was opened before a fork", remedy="open it again in this process"
            )
        if self.http.is_closed:
            raise ClosedError("the memory was closed", remedy="open it again")
        request = self.http.build_request(
            method, f"{self._base}{path}", content=body, headers=dict(headers or {})
        )
        deadline = time.monotonic() + (seconds or self._timeout)
        uncertain: ErstwhileError | None = None
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return _json_result(self._respond(request, deadline))
            except _RetryError as failure:
                if isinstance(failure.error, UncertainError):  # no later failure removes the doubt
                    uncertain = uncertain or failure.error
                pause = backoff(attempt) + (failure.after or 0.0)
                too_late = pause > MAX_PAUSE or time.monotonic() + pause > deadline
                if attempt == _ATTEMPTS or too_late:
                    raise uncertain or failure.error from None
                time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _respond(self, request: httpx2.Request, deadline: float) -> httpx2.Response:
        left = max(0.1, deadline - time.monotonic())
        timeout = httpx2.Timeout(left, connect=min(left, _CONNECT))
        request.extensions["timeout"] = timeout.as_dict()
        try:
            return self.http.send(request)
        except httpx2.TransportError as error:
            if "Idempotency-Key" in request.headers and not isinstance(error, httpx2.ConnectError):
                uncertain = UncertainError(
                    f"{self.place} did not answer, so the change may be stored or not",
                    remedy="check whether it is stored before you repeat it",
                )
                raise _RetryError(uncertain) from None
            unreachable = UnavailableError(
                f"{self.place} does not answer ({type(error).__name__})",
                remedy="check that the server runs there, and try again",
            )
            raise _RetryError(unreachable) from None


@dataclass(eq=False)
class _RetryError(Exception):
    """A failure that may pass, and the seconds to wait."""

    error: ErstwhileError
    after: float | None = None


def _json_result(response: httpx2.Response) -> Any:
    """Return the JSON value of a response, or raise its error."""
    try:
        value = response.json()
    except (ValueError, RecursionError):
        value = None
    if response.is_success and (value is not None or response.content == b"null"):
        return value
    status = response.status_code
    foreign = {
        "code": "unavailable" if status in _RETRYABLE else "error",
        "detail": f"the server answered {status} with something else than an answer",
        "remedy": "check the address: is it a server of Erstwhile?",
    }
    error = error_of(value if isinstance(value, dict) and "code" in value else foreign)
    is_under_way = status == 409 and error.code == "busy"
    if is_under_way or (status in _RETRYABLE and error.code not in _FINAL):
        raise _RetryError(error, retry_after(response.headers.get("Retry-After")))
    raise error


def _view_headers(viewer: Viewer) -> dict[str, str]:
    """Return the headers of a view: its scope and its actor."""
    given = dimensions_of(viewer.scope)
    headers = {f"Erstwhile-{name}": quote(text) for name, text in given.items()}
    if viewer.user_unknown:
        headers["Erstwhile-user"] = ""
    if viewer.everything:
        headers["Erstwhile-everything"] = "true"
    if not viewer.person:
        headers["Erstwhile-person"] = "false"
    if viewer.name:
        headers["Erstwhile-actor"] = quote(viewer.name)
    return headers


def _path_segment(part: str, given: Mapping[str, Any]) -> str:
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
        raise InvalidInputError(f"{part[1:-1]} has a lone surrogate", remedy="remove it") from None


def _query_fields(verb: Verb, rest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a query. Reject values that a query cannot express."""
    found: dict[str, Any] = {}
    for name, value in rest.items():
        # In a query every value is a text, so the server cannot see a wrong type.
        decode(value, verb.parameters[name].hint, name, strict=True)
        if value is None:
            continue
        if value == []:
            raise InvalidInputError(f"the list {name} is empty", remedy="leave it out")
        if isinstance(value, dict):
            value = json_bytes(value)
        several = value if isinstance(value, list) else [value]
        found[name] = [str(part).lower() if isinstance(part, bool) else part for part in several]
    return found


for _name, _method in (_methods("") | {"on_change": _local_method("on_change")}).items():
    setattr(RemoteMemory, _name, _method)
