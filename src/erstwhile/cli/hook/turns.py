"""The events after which a coding agent's session is learned from."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from tempfile import TemporaryFile
from typing import Any

import erstwhile
from erstwhile.cli.hook.quick_call import LEARN, SCOPE, STOP
from erstwhile.cli.hook.sessions import checked_event, settings_of
from erstwhile.integrations.coding_agents.transcripts import (
    channel_of,
    last_turns,
    messages_of_event,
)


def handle(command: str, event: Any, options: Mapping[str, Any]) -> None:
    """Store and learn the last turns of a session, or start a process that does."""
    {STOP: _stop, LEARN: _learn}[command](checked_event(event), options)


def _stop(event: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Learn in a process of its own, so that the agent does not wait."""
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
    settings = settings_of(event, options)
    scope = {name: getattr(settings, name) for name in SCOPE}
    with erstwhile.open(settings=settings) as memory:
        memory.scoped(**scope).observe(messages, channel=channel_of(str(session)), wait=True)
