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
        from erstwhile.cli.hook.advice import advise  # a failing import must not stop the agent

        suggestion, reason = advise(json.loads(sys.stdin.buffer.read()), options)
    except Exception as error:  # after any error, the agent must continue
        suggestion, reason = "ask", f"the memory cannot answer: {_describe(error)}"
        with suppress(OSError):
            print(f"erstwhile hook: {reason}", file=sys.stderr)
    if suggestion == "ask" and options.get("silent"):
        return
    with suppress(OSError):
        print(_answer(suggestion, reason), flush=True)


def ask(reason: str) -> None:
    """Print the answer "ask"."""
    with suppress(OSError):
        print(_answer("ask", reason), flush=True)


def _answer(suggestion: str, reason: str) -> str:
    decision = {
        "hookEventName": EVENT,
        "permissionDecision": suggestion,
        "permissionDecisionReason": f"Erstwhile: {reason}",
    }
    return json.dumps({"hookSpecificOutput": decision})


def _describe(error: Exception) -> str:
    """Return the text of our own errors only: other texts may contain parts of the input."""
    from erstwhile.core.errors import ErstwhileError

    return str(error) if isinstance(error, ErstwhileError) else type(error).__name__
