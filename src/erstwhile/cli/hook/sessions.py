"""The events of a session of a coding agent: they add memory to it, or learn from it.

Text is found by words alone, and tokens are estimated: loading a model or a vocabulary would make
every prompt wait.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

import erstwhile
from erstwhile.cli.hook.quick_call import LEARN, PROMPT, SCOPE, START, STOP
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.settings import Settings, load_settings
from erstwhile.integrations.coding_agents.transcripts import (
    channel_of,
    last_turns,
    messages_of_event,
    without_private,
)

if TYPE_CHECKING:
    from erstwhile.context.model import ContextOptions

_START_TOKENS, _PROMPT_TOKENS = 3_200, 2_400
"""Estimated: the estimate is an upper bound, and English text has about five eighths of it."""
_ABOUT_PROMPT = ("facts", "conversations", "lessons", "observations")
"""The sections about the words of the user. All others were added at the start of the session."""
_MAX_LENGTH = 9_500
"""Characters of an added text: Claude Code shows the model at most 10,000."""


def handle(command: str, event: Any, options: Mapping[str, Any]) -> None:
    """Answer an event of a session, or learn from it."""
    if not isinstance(event, dict):
        raise InvalidInputError("this is not an event of a coding agent")
    {START: _start, PROMPT: _prompt, STOP: _stop, LEARN: _learn}[command](event, options)


def _start(event: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Add the instructions, blocks, profile and open tasks."""
    _print_context(event, _context(options, "", _START_TOKENS))


def _prompt(event: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Add what matters for the words of the user, and nothing if nothing does."""
    asked = without_private(str(event.get("prompt") or ""))
    if asked:
        _print_context(event, _context(options, asked, _PROMPT_TOKENS))


def _context(options: Mapping[str, Any], asked: str, tokens: int) -> str:
    settings = _settings(options, embedder="none", llm="none", tokenizer="estimate")
    scope = {name: getattr(settings, name) for name in SCOPE}
    needs: ContextOptions = {"needs": _ABOUT_PROMPT} if asked else {}
    with erstwhile.open(settings=settings, create=False, learners=0) as memory:
        ours = memory.scoped(**scope)
        while tokens:
            text = ours.context(asked, tokens, **needs).text
            if len(text) <= _MAX_LENGTH:
                return text
            tokens //= 2
    return ""


def _print_context(event: Mapping[str, Any], text: str) -> None:
    """Print a text for the prompt, in the form of the agent."""
    name = str(event.get("hook_event_name", ""))
    if not text:
        return
    if name[:1].islower():  # Cursor
        print(json.dumps({"additional_context": text}), flush=True)
        return
    added = {"hookEventName": name, "additionalContext": text}
    print(json.dumps({"hookSpecificOutput": added}), flush=True)


def _stop(event: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Learn in a process of its own, so that the agent does not wait."""
    import subprocess  # only here: it takes 2 ms to load

    words = [f"--{name}={options[name]}" for name in ("db", *SCOPE) if options.get(name)]
    with TemporaryFile() as file:
        file.write(json.dumps(event).encode())
        file.seek(0)
        subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "erstwhile", *words, "hook", LEARN],
            stdin=file,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def _learn(event: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Store the last turns of the session, and learn from them."""
    messages = last_turns(messages_of_event(event))
    session = event.get("session_id") or event.get("conversation_id")
    if not messages or not session:
        return
    settings = _settings(options)
    scope = {name: getattr(settings, name) for name in SCOPE}
    with erstwhile.open(settings=settings) as memory:
        memory.scoped(**scope).observe(messages, channel=channel_of(str(session)), wait=True)


def _settings(options: Mapping[str, Any], **more: Any) -> Settings:
    return load_settings(**{name: options.get(name) for name in ("db", *SCOPE)}, **more)
