"""The hook `erstwhile hook pre-tool-use`, without the rest of the command line.

A coding agent starts it before every tool call and waits for it, so it must be fast. It loads
neither click nor numpy nor a model, and compares inputs exactly and by words. After any error the
answer is ask, with the reason on standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

EVENT = "PreToolUse"
BUSY_SECONDS = 1.0
"""How long to wait for another process that holds the store."""
SCOPE = ("user", "agent", "project", "session")
_GLOBAL_OPTIONS = frozenset(f"--{name}" for name in ("db", *SCOPE))
_HOOK_OPTIONS = frozenset(("--goal", "--namespace"))


def parse_call(words: Sequence[str]) -> dict[str, Any] | None:
    """Return the options of a simple call of the hook, or None if click must parse the words."""
    try:
        place = list(words).index("hook")
    except ValueError:
        return None
    before, after = words[:place], words[place + 2 :]
    options: dict[str, Any] = {"silent": "--silent" in after}
    after = [word for word in after if word != "--silent"]
    if words[place : place + 2] != ["hook", "pre-tool-use"] or len(before) % 2 or len(after) % 2:
        return None
    for given, allowed in ((before, _GLOBAL_OPTIONS), (after, _HOOK_OPTIONS)):
        if not allowed.issuperset(given[::2]):
            return None
        options |= {name[2:]: value for name, value in zip(given[::2], given[1::2], strict=True)}
    return options


def respond(options: Mapping[str, Any]) -> None:
    """Answer the event on standard input."""
    try:
        suggestion, reason = _advise(json.loads(sys.stdin.buffer.read()), options)
    except Exception as error:  # after any error, the agent must continue
        suggestion, reason = "ask", f"the memory cannot answer: {_describe(error)}"
        with suppress(OSError):
            print(f"erstwhile hook: {reason}", file=sys.stderr)
    if suggestion == "ask" and options.get("silent"):
        return
    with suppress(OSError):
        print(_answer(suggestion, reason), flush=True)


def ask(reason: str) -> None:
    """Print the answer that the agent must ask."""
    with suppress(OSError):
        print(_answer("ask", reason), flush=True)


def _answer(suggestion: str, reason: str) -> str:
    decision = {
        "hookEventName": EVENT,
        "permissionDecision": suggestion,
        "permissionDecisionReason": f"Erstwhile: {reason}",
    }
    return json.dumps({"hookSpecificOutput": decision})


def _advise(call: Any, options: Mapping[str, Any]) -> tuple[str, str]:
    from erstwhile.core.errors import InvalidInputError
    from erstwhile.decisions.decision import DecisionRequest
    from erstwhile.decisions.draft import checked_request

    if not isinstance(call, dict) or call.get("hook_event_name", EVENT) != EVENT:
        raise InvalidInputError(f"this is not a {EVENT} event")
    request = checked_request(
        DecisionRequest(
            goal=options.get("goal") or call.get("session_id") or "any",
            tool=call.get("tool_name", ""),
            input=call.get("tool_input", {}),
        )
    )
    advice = (_by_meaning if options.get("meaning") else _by_words)(request, options)
    ids = ", ".join(hit.decision.short_id for hit in advice.precedents[:3])
    return advice.suggestion.value, f"{advice.reason} [{ids}]" if ids else advice.reason


def _by_words(request: Any, options: Mapping[str, Any]) -> Any:
    from erstwhile.cli.hook.look import look
    from erstwhile.core.kinds import choice
    from erstwhile.decisions.advice import ADVICE_FLOOR
    from erstwhile.decisions.decision import Namespace
    from erstwhile.decisions.precedents import PrecedentQuery, advise_by_precedents
    from erstwhile.recall.service import no_similarities

    namespace = choice(Namespace, options.get("namespace") or "global", name="namespace")
    note = "the hook loads no embedder"
    query = PrecedentQuery(request, namespace, ADVICE_FLOOR, no_similarities, note)
    with look(_settings(options), patience=BUSY_SECONDS) as access:
        return access.ask(lambda view: advise_by_precedents(view, query, 5))


def _by_meaning(request: Any, options: Mapping[str, Any]) -> Any:
    from erstwhile.bootstrap import open
    from erstwhile.cli.hook.look import look

    settings = _settings(options)
    with look(settings, patience=BUSY_SECONDS):
        pass  # raises if there is no memory to open
    with open(settings=settings) as memory:
        ours = memory.scoped(**{name: getattr(settings, name) for name in SCOPE})
        return ours.decisions.advise(request, namespace=options.get("namespace") or "global")


def _settings(options: Mapping[str, Any]) -> Any:
    from erstwhile.core.settings import load_settings

    return load_settings(**{name: options.get(name) for name in ("db", *SCOPE)})


def _describe(error: Exception) -> str:
    """Return the text of our own errors only: other texts may contain parts of the input."""
    from erstwhile.core.errors import ErstwhileError

    return str(error) if isinstance(error, ErstwhileError) else type(error).__name__
