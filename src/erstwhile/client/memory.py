"""A memory on a server, with the verbs of every other memory."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, cast, get_args
from urllib.parse import SplitResult, urlsplit

from erstwhile.client.server import TIMEOUT, RemoteServer
from erstwhile.core.errors import ErstwhileError, InvalidInputError, RefusedError
from erstwhile.core.keywords import check_keywords
from erstwhile.core.scope import Scope, Viewer
from erstwhile.memory import Memory
from erstwhile.wire.decoding import decoded
from erstwhile.wire.hints import hints_of
from erstwhile.wire.verbs import LOCAL_PARAMETERS, LOCAL_VERBS, WireVerb, class_of, verbs

if TYPE_CHECKING:
    from erstwhile.services import Services
    from erstwhile.storage.access import Access
    from erstwhile.storage.collection import Collection


@dataclass(frozen=True, slots=True)
class RemoteAccess:
    """The server, and the viewer whose scope every request has."""

    server: RemoteServer
    viewer: Viewer

    def seen_by(self, viewer: Viewer) -> RemoteAccess:
        """Return the access of another viewer to the same server."""
        return RemoteAccess(self.server, viewer)


class RemoteMemory(Memory):
    """A memory on a server, seen from one scope. Its verbs are added below the class."""

    _access: RemoteAccess  # type: ignore[assignment]

    def __init__(self, access: RemoteAccess) -> None:
        super().__init__(cast("Access", access), cast("Services", None))

    def close(self) -> None:
        """Close the connections to the server, for all views. The server goes on."""
        self._access.server.close()

    def _seen_by(self, viewer: Viewer) -> Memory:
        return RemoteMemory(self._access.seen_by(viewer))

    def _create(self, kind: type[Collection]) -> Collection:
        try:
            remote = _remote(kind.__name__.lower())
        except KeyError:  # a part of a memory that is no collection, as those who look around find
            raise AttributeError(f"{kind.__name__} is on the server only") from None
        return remote(cast("Access", self._access), self._services)


def connect(
    address: str, token: str | None, *, actor: str | None = None, timeout: float = TIMEOUT
) -> Memory:
    """Return the memory that a token opens on a server."""
    server = RemoteServer(_parts(address), _checked(token), timeout=timeout)
    try:
        opened = decoded(server.about()["scope"], Scope, "scope", strict=False)
    except BaseException:
        server.close()
        raise
    return RemoteMemory(RemoteAccess(server, Viewer(scope=opened, name=actor)))


def _parts(address: str) -> SplitResult:
    """Return the parts of an address that is a host and perhaps a port and a path."""
    with suppress(ValueError):  # of a port or a host that cannot be read
        parts = urlsplit(address)
        more = parts.username or parts.password or parts.query or parts.fragment
        if parts.hostname and parts.port != 0 and not more:
            return parts
    raise InvalidInputError(
        "the address of a server has a host and perhaps a port and a path",
        remedy="give it as https://host:port, and the token as `token`",
    )


def _checked(token: str | None) -> str:
    """Return a token that a header can carry."""
    if not token:
        raise InvalidInputError(
            "a server needs a token", remedy="give `token`; `erstwhile tokens make` makes one"
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidInputError(
            "this is no token: it has a space or another character that no token has",
            remedy="give it as `erstwhile tokens make` showed it",
        )
    return token


def _sent(verb: WireVerb) -> Callable[..., Any]:
    """Return the method that sends a verb."""

    @wraps(verb.function)
    def send(self: Any, *args: Any, **keywords: Any) -> Any:
        access: RemoteAccess = self._access
        answer = access.server.call(verb, access.viewer, _arguments(verb, args, keywords))
        try:
            return decoded(answer, verb.result, verb.name, strict=False)
        except InvalidInputError as error:
            raise ErstwhileError(
                f"the answer of the server cannot be read: {error.message}",
                remedy="use the same version here and there",
            ) from None

    return send


def _arguments(
    verb: WireVerb, args: tuple[Any, ...], keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments by name. Raise TypeError for those that the verb does not have."""
    signature = inspect.signature(verb.function)
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


def _stays(name: str) -> Callable[..., Any]:
    """Return the method in place of a verb that cannot be sent."""

    def refuse(_self: object, *_args: object, **_keywords: object) -> None:
        raise RefusedError(
            f"{name} cannot be called on a server: {LOCAL_VERBS[name]}",
            remedy="call it where the memory is",
        )

    return refuse


@cache
def _remote(collection: str) -> type[Collection]:
    """Return the class of a collection on a server."""
    kind = class_of(collection)
    return type(f"Remote{kind.__name__}", (kind,), _methods(collection))


def _methods(collection: str) -> dict[str, Callable[..., Any]]:
    sent = {
        verb.name.rpartition(".")[2]: _sent(verb)
        for verb in verbs().values()
        if verb.collection == collection
    }
    kept = {
        name.partition(".")[2]: _stays(name)
        for name in LOCAL_VERBS
        if collection and name.startswith(f"{collection}.")
    }
    return sent | kept


for _name, _method in _methods("").items():
    setattr(RemoteMemory, _name, _method)
