"""Who makes a request: the right of the token, and the view that its headers ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from erstwhile.core.scope import DIMENSIONS
from erstwhile.doors.http.refusals import malformed, not_allowed
from erstwhile.doors.tokens import Right, Token
from erstwhile.wire.verbs import WireVerb

if TYPE_CHECKING:
    from erstwhile.doors.http.messages import HttpRequest
    from erstwhile.memory import Memory

PREFIX = "erstwhile-"
_ACTOR, _EVERYTHING, _PERSON = "actor", "everything", "person"
_KNOWN = frozenset((*DIMENSIONS, _ACTOR, _EVERYTHING, _PERSON))


def check_right(token: Token, verb: WireVerb) -> None:
    """Raise RefusedError if a token may not call a verb."""
    if not token.may(Right(verb.right)):
        raise not_allowed(
            f"this needs the right {verb.right!r}", "use a token that has it: erstwhile tokens"
        )


def view_of(request: HttpRequest) -> Memory:
    """Return the memory of a token as the headers ask to see it: narrower, never wider.

    It has the standing of a person or of an agent, which the library judges by.
    """
    memory, token, asked = request.memory, request.token, _asked(request.headers)
    if unknown := sorted(asked.keys() - _KNOWN):
        raise malformed(
            f"there is no header {PREFIX}{unknown[0]}",
            f"known are {', '.join(PREFIX + name for name in sorted(_KNOWN))}",
        )
    actor = f"http:{token.name}"
    if named := asked.pop(_ACTOR, None):
        actor = f"{actor}:{named}"
    person = not _renounces(asked) and token.person
    if _EVERYTHING in asked:
        return _everything(memory, token, asked).acting_as(actor, person=person)
    dimensions: Any = {name: text or None for name, text in asked.items()}
    return memory.scoped(**dimensions).acting_as(actor, person=person)


def _renounces(asked: dict[str, str]) -> bool:
    """Return whether a request renounces the standing of a person that its token has."""
    given = asked.pop(_PERSON, None)
    if given not in (None, "false"):
        raise malformed(f"{PREFIX}{_PERSON} is only `false`: the token says who speaks for people")
    return given is not None


def _everything(memory: Memory, token: Token, asked: Mapping[str, str]) -> Memory:
    if asked != {_EVERYTHING: "true"}:
        raise malformed(f"{PREFIX}{_EVERYTHING} is only `true`, and has no scope beside it")
    if not token.may(Right.ADMIN):
        raise not_allowed("a view of everything needs the right 'admin'", "use such a token")
    return memory.everything()


def _asked(headers: Mapping[str, str]) -> dict[str, str]:
    found = {
        name.removeprefix(PREFIX): value
        for name, value in headers.items()
        if name.startswith(PREFIX)
    }
    try:
        return {name: unquote_to_bytes(value).decode("utf-8") for name, value in found.items()}
    except UnicodeDecodeError:
        raise malformed("a header is not percent-encoded UTF-8") from None
