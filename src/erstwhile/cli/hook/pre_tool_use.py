"""What `erstwhile hook pre-tool-use` does, without the rest of the command line.

A coding agent starts it before every tool call and waits, so it has to be quick: it loads neither
click nor numpy nor a model, and compares by the very input and by words. Whatever goes wrong, the
agent is told to ask, and the reason stands on standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

EVENT = "PreToolUse"
PATIENCE = 1.0
"""Seconds to wait for another process that holds the store."""
SCOPE = ("user", "agent", "project", "session")
_BEFORE = frozenset(f"--{name}" for name in ("db", *SCOPE))
_AFTER = frozenset(("--goal", "--namespace"))


def plain_call(words: Sequence[str]) -> dict[str, Any] | None:
    """What the words say, if they call the hook in a way that needs no more than this module."""
    try:
        place = list(words).index("hook")
    except ValueError:
        return None
    before, after = words[:place], words[place + 2 :]
    said: dict[str, Any] = {"silent": "--silent" in after}
    after = [word for word in after if word != "--silent"]
    if words[place : place + 2] != ["hook", "pre-tool-use"] or len(before) % 2 or len(after) % 2:
        return None
    for options, allowed in ((before, _BEFORE), (after, _AFTER)):
        if not allowed.issuperset(options[::2]):
            return None
        said |= {name[2:]: value for name, value in zip(options[::2], options[1::2], strict=True)}
    return said


def respond(said: Mapping[str, Any]) -> None:
    """Answer the call on standard input."""
    try:
        suggestion, reason = _advised(json.loads(sys.stdin.buffer.read()), said)
    except Exception as error:  # whatever it is, the agent goes on
        suggestion, reason = "ask", f"the memory could not be asked: {_told(error)}"
        with suppress(OSError):
            print(f"erstwhile hook: {reason}", file=sys.stderr)
    if suggestion == "ask" and said.get("silent"):
        return
    with suppress(OSError):
        print(_answer(suggestion, reason), flush=True)


def ask(reason: str) -> None:
    """Tell the agent to ask, and nothing else."""
    with suppress(OSError):
        print(_answer("ask", reason), flush=True)


def _answer(suggestion: str, reason: str) -> str:
    decision = {
        "hookEventName": EVENT,
        "permissionDecision": suggestion,
        "permissionDecisionReason": f"Erstwhile: {reason}",
    }
    return json.dumps({"hookSpecificOutput": decision})


def _advised(call: Any, said: Mapping[str, Any]) -> tuple[str, str]:
    from erstwhile.core.errors import InvalidInputError
    from erstwhile.decisions.decision import DecisionRequest
    from erstwhile.decisions.draft import checked_request

    if not isinstance(call, dict) or call.get("hook_event_name", EVENT) != EVENT:
        raise InvalidInputError(f"this is not a {EVENT} event")
    request = checked_request(
        DecisionRequest(
            goal=said.get("goal") or call.get("session_id") or "any",
            tool=call.get("tool_name", ""),
            input=call.get("tool_input", {}),
        )
    )
    advice = (_by_meaning if said.get("meaning") else _by_words)(request, said)
    ids = ", ".join(hit.decision.short_id for hit in advice.precedents[:3])
    return advice.suggestion.value, f"{advice.reason} [{ids}]" if ids else advice.reason


def _by_words(request: Any, said: Mapping[str, Any]) -> Any:
    from erstwhile.cli.hook.look import look
    from erstwhile.core.kinds import choice
    from erstwhile.decisions.advice import ADVICE_FLOOR
    from erstwhile.decisions.decision import Namespace
    from erstwhile.decisions.precedents import Asked, advised
    from erstwhile.recall.service import no_similarities

    namespace = choice(Namespace, said.get("namespace") or "global", name="namespace")
    asked = Asked(request, namespace, ADVICE_FLOOR, no_similarities, "the hook loads no embedder")
    with look(_settings(said), patience=PATIENCE) as access:
        return access.ask(lambda view: advised(view, asked, 5))


def _by_meaning(request: Any, said: Mapping[str, Any]) -> Any:
    from erstwhile.bootstrap import open
    from erstwhile.cli.hook.look import look

    settings = _settings(said)
    with look(settings, patience=PATIENCE):
        pass  # which says so when there is nothing to open
    with open(settings=settings) as memory:
        ours = memory.scoped(**{name: getattr(settings, name) for name in SCOPE})
        return ours.decisions.advise(request, namespace=said.get("namespace") or "global")


def _settings(said: Mapping[str, Any]) -> Any:
    from erstwhile.core.settings import load_settings

    return load_settings(**{name: said.get(name) for name in ("db", *SCOPE)})


def _told(error: Exception) -> str:
    """Only our own errors are quoted: what others say may hold what was in the input."""
    from erstwhile.core.errors import ErstwhileError

    return str(error) if isinstance(error, ErstwhileError) else type(error).__name__
