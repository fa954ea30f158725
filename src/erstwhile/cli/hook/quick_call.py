"""The hooks `pre-tool-use` and `post-tool-use`, without the command line around them.

A coding agent starts them with every tool call and waits for them, so they must be fast. They load
neither click nor numpy nor a model. After any error the agent continues: before a call the answer
is ask, and the reason is on standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from erstwhile.core.errors import ErstwhileError

PRE, POST = "pre-tool-use", "post-tool-use"
COMMANDS = (PRE, POST)
SCOPE = ("user", "agent", "project", "session")
_GLOBAL_OPTIONS = frozenset(f"--{name}" for name in ("db", *SCOPE))
_HOOK_OPTIONS = frozenset(("--goal", "--namespace"))
_FLAGS = {"--silent": "silent", "--no-record": "no_record"}


def parse_call(words: Sequence[str]) -> dict[str, Any] | None:
    """Return the options of a simple call of a hook, or None if click must parse the words."""
    try:
        place = list(words).index("hook")
    except ValueError:
        return None
    before, after = words[:place], words[place + 2 :]
    options: dict[str, Any] = {name: flag in after for flag, name in _FLAGS.items()}
    after = [word for word in after if word not in _FLAGS]
    if words[place + 1] not in COMMANDS or len(before) % 2 or len(after) % 2:
        return None
    for given, allowed in ((before, _GLOBAL_OPTIONS), (after, _HOOK_OPTIONS)):
        if not allowed.issuperset(given[::2]):
            return None
        options |= {name[2:]: value for name, value in zip(given[::2], given[1::2], strict=True)}
    return {**options, "command": words[place + 1]}


def respond(options: Mapping[str, Any]) -> None:
    """Answer the event on standard input, and record it. After any error, the agent continues."""
    try:
        from erstwhile.cli.hook import events  # a failing import must not stop the agent

        event = events.read_event(sys.stdin.buffer.read())
        if options["command"] == POST:
            events.record_end(event, options)
        else:
            events.answer(event, options)
    except Exception as error:
        # Only the texts of our own errors: other texts may contain parts of the input.
        own = isinstance(error, ErstwhileError)
        reason = f"the memory cannot answer: {error if own else type(error).__name__}"
        complain(reason)
        if options["command"] == PRE:
            say("ask", reason)  # also with --silent: a denial that cannot be looked up may exist


def say(suggestion: str, reason: str) -> None:
    """Print an answer."""
    with suppress(OSError):
        decision = {
            "hookEventName": "PreToolUse",
            "permissionDecision": suggestion,
            "permissionDecisionReason": f"Erstwhile: {reason}",
        }
        print(json.dumps({"hookSpecificOutput": decision}), flush=True)


def complain(problem: str) -> None:
    """Tell a problem on standard error."""
    with suppress(OSError):
        print(f"erstwhile hook: {problem}", file=sys.stderr)
