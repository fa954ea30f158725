"""The hooks of a coding agent, without the command line around them.

A coding agent starts them with every prompt and tool call and waits for them, so they must be fast.
They load neither click nor numpy nor a model. After any error the agent continues: before a call
the answer is ask, and the reason is on standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from erstwhile.core.errors import ErstwhileError, InvalidInputError
from erstwhile.core.folders import project_of

PRE, POST = "pre-tool-use", "post-tool-use"
START, PROMPT, STOP, LEARN = "session-start", "prompt", "stop", "learn"
_MODULES = {
    PRE: "events", POST: "events", START: "sessions", PROMPT: "sessions", STOP: "sessions",
    LEARN: "sessions",
}  # fmt: skip
"""The module of each command: an event loads only what it needs."""
COMMANDS = tuple(_MODULES)
SCOPE = ("user", "agent", "project", "session")
_GLOBAL_OPTIONS = frozenset(f"--{name}" for name in ("db", *SCOPE))
_HOOK_OPTIONS = frozenset(("--goal", "--namespace"))
_FLAGS = {"--silent": "silent", "--no-record": "no_record"}


def calls_hook(words: Sequence[str]) -> bool:
    """Return whether the words of a command line call a hook, and ask for no help."""
    if "hook" not in words or {"-h", "--help"}.intersection(words):
        return False
    place = list(words).index("hook")
    options = zip(("", *words), words[:place], strict=False)
    is_first = all("--" in (before[:2], word[:2]) for before, word in options)
    return is_first and bool(set(words[place + 1 : place + 2]).intersection(COMMANDS))


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
    command: str = options["command"]
    try:
        event = _read_event(sys.stdin.buffer.read())
        # Imported here: a failing import must not stop the agent.
        module = import_module(f"erstwhile.cli.hook.{_MODULES[command]}")
        module.handle(command, event, _in_project(options, event))
    except Exception as error:
        # Only the texts of our own errors: other texts may contain parts of the input.
        own = isinstance(error, ErstwhileError)
        reason = f"the memory cannot answer: {error if own else type(error).__name__}"
        print_problem(reason)
        if command == PRE:
            # Also with --silent: a denial that cannot be looked up may exist.
            print_suggestion("ask", reason)


def _read_event(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInputError("the event on standard input is not valid JSON") from None


def _in_project(options: Mapping[str, Any], event: Any) -> Mapping[str, Any]:
    """Return the options; the project `.` is the one of the folder where the agent works."""
    folder = event.get("cwd") if isinstance(event, dict) else None
    if options.get("project") != "." or not isinstance(folder, str) or not folder:
        return options
    return {**options, "project": project_of(Path(folder))}


def print_suggestion(suggestion: str, reason: str, event: str = "PreToolUse") -> None:
    """Print an answer about a tool call, in the form of the agent that has this event."""
    message = f"Erstwhile: {reason}"
    if event == "BeforeTool":  # Gemini CLI, which cannot ask
        allowed = {True: "allow", False: "deny"}[suggestion == "allow"]
        answer: dict[str, Any] = {"decision": allowed, "reason": message}
    elif event == "preToolUse":  # Cursor
        answer = {"permission": suggestion, "user_message": message, "agent_message": message}
    else:
        decision = {"permissionDecision": suggestion, "permissionDecisionReason": message}
        answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}
    with suppress(OSError):
        print(json.dumps(answer), flush=True)


def print_problem(problem: str) -> None:
    """Print a problem on standard error."""
    with suppress(OSError):
        print(f"erstwhile hook: {problem}", file=sys.stderr)
