"""On whose behalf a request is made: the scope of the view, the actor, and what it may claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from erstwhile.core.kinds import Origin, Tier
from erstwhile.core.scope import DIMENSIONS
from erstwhile.decisions.decision import Decider, Decision
from erstwhile.doors.http.refusals import malformed, not_allowed
from erstwhile.doors.tokens import Right, Token
from erstwhile.wire.verbs import WireVerb

if TYPE_CHECKING:
    from erstwhile.doors.http.messages import HttpRequest
    from erstwhile.memory import Memory

PREFIX = "erstwhile-"
_ACTOR, _EVERYTHING = "actor", "everything"
_KNOWN = frozenset((*DIMENSIONS, _ACTOR, _EVERYTHING))
_OWN_ORIGINS = frozenset((Origin.AGENT, Origin.TOOL, Origin.WEB, Origin.DOCUMENT))
_NO_PERSON = "use a token of a program that speaks for people: erstwhile tokens make --person"


def check_right(token: Token, verb: WireVerb) -> None:
    """Raise RefusedError if a token may not call a verb."""
    if not token.may(Right(verb.right)):
        raise not_allowed(
            f"this needs the right {verb.right!r}", "use a token that has it: erstwhile tokens"
        )
    if "person" in verb.marks and not token.person:
        raise not_allowed("only a person may do this, and this token is an agent's", _NO_PERSON)


def view_of(request: HttpRequest) -> Memory:
    """Return the memory of a token as the headers ask to see it: narrower, never wider."""
    memory, token, asked = request.memory, request.token, _asked(request.headers)
    if unknown := sorted(asked.keys() - _KNOWN):
        raise malformed(
            f"there is no header {PREFIX}{unknown[0]}",
            f"known are {', '.join(PREFIX + name for name in sorted(_KNOWN))}",
        )
    actor = f"http:{token.name}"
    if named := asked.pop(_ACTOR, None):
        actor = f"{actor}:{named}"
    if _EVERYTHING in asked:
        return _everything(memory, token, asked).acting_as(actor)
    dimensions: Any = {name: text or None for name, text in asked.items()}
    return memory.scoped(**dimensions).acting_as(actor)


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


def as_agent(verb: WireVerb, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of an agent: what it writes is its own word, not that of a person."""
    if verb.name == "remember_many":
        return {"items": [_own_item(item) for item in arguments["items"]]}
    if verb.name == "decisions.record":
        return {"decision": _own_decision(arguments["decision"])}
    return _own_words(arguments) if "origin" in verb.parameters else arguments


def _own_item(item: Any) -> Any:
    return _own_words({"text": item} if isinstance(item, str) else dict(item))


def _own_words(details: dict[str, Any]) -> dict[str, Any]:
    origin = details.get("origin", Origin.AGENT)
    if origin not in _OWN_ORIGINS:
        raise not_allowed(f"an agent cannot store a fact with the origin {origin!r}", _NO_PERSON)
    if details.get("pinned") or details.get("tier") not in (None, Tier.INFERRED):
        raise not_allowed("an agent cannot pin a fact, nor say that it is certain", _NO_PERSON)
    return {**details, "origin": origin}


def _own_decision(decision: Decision) -> Decision:
    if decision.decided_by == Decider.PERSON:
        raise not_allowed(
            "an agent cannot decide as a person", f"name itself in decided_by, or {_NO_PERSON}"
        )
    return decision
