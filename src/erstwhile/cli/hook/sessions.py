"""The events of a session of a coding agent that add memory to it.

Text is found by words alone: loading an embedder would make every prompt wait.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import erstwhile
from erstwhile.cli.hook.quick_call import PROMPT, SCOPE, START
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.folders import project_of
from erstwhile.core.settings import Settings, load_settings
from erstwhile.integrations.coding_agents.transcripts import without_private

if TYPE_CHECKING:
    from erstwhile.context.model import ContextOptions

_START_TOKENS, _PROMPT_TOKENS = 2_000, 1_500
_ABOUT_PROMPT = ("facts", "conversations", "lessons", "observations")
"""The sections about the words of the user. All others were added at the start of the session."""
_LONGEST = 9_500
"""Characters of an added text: Claude Code shows the model at most 10,000."""


def handle(command: str, event: Any, options: Mapping[str, Any]) -> None:
    """Answer an event of a session."""
    {START: _start, PROMPT: _prompt}[command](checked_event(event), options)


def checked_event(event: Any) -> Mapping[str, Any]:
    """Return an event; raise InvalidInputError if it is none."""
    if not isinstance(event, dict):
        raise InvalidInputError("this is not an event of a coding agent")
    return event


def _start(event: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Add the instructions, blocks, profile and open tasks."""
    _add(event, _context(event, options, "", _START_TOKENS))


def _prompt(event: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Add what matters for the words of the user, and nothing if nothing does."""
    asked = without_private(str(event.get("prompt") or ""))
    if asked:
        _add(event, _context(event, options, asked, _PROMPT_TOKENS))


def _context(event: Mapping[str, Any], options: Mapping[str, Any], asked: str, tokens: int) -> str:
    settings = settings_of(event, options, embedder="none", llm="none")
    scope = {name: getattr(settings, name) for name in SCOPE}
    needs: ContextOptions = {"needs": _ABOUT_PROMPT} if asked else {}
    with erstwhile.open(settings=settings, create=False, learners=0) as memory:
        ours = memory.scoped(**scope)
        while tokens:
            text = ours.context(asked, tokens, **needs).text
            if len(text) <= _LONGEST:
                return text
            tokens //= 2
    return ""


def _add(event: Mapping[str, Any], text: str) -> None:
    """Print a text for the prompt, in the form of the agent."""
    name = str(event.get("hook_event_name", ""))
    if not text:
        return
    if name[:1].islower():  # Cursor
        print(json.dumps({"additional_context": text}), flush=True)
        return
    added = {"hookEventName": name, "additionalContext": text}
    print(json.dumps({"hookSpecificOutput": added}), flush=True)


def settings_of(event: Mapping[str, Any], options: Mapping[str, Any], **more: Any) -> Settings:
    """Return the settings; the project `.` is the one of the folder where the agent works."""
    given = {name: options.get(name) for name in ("db", *SCOPE)}
    if given["project"] == "." and isinstance(event.get("cwd"), str):
        given["project"] = project_of(Path(event["cwd"]))
    return load_settings(**given, **more)
