"""The events of a coding agent: advise on a tool call, and record what became of it.

Every call is recorded as an observation by the agent. That is no judgement: it allows nothing, and
lifts no denial. A missing memory is not created.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any

import erstwhile
from erstwhile.cli.hook.quick_call import POST, SCOPE, print_problem, print_suggestion
from erstwhile.core.errors import ErstwhileError, InvalidInputError
from erstwhile.core.kinds import choice
from erstwhile.core.policies import parse_denials
from erstwhile.core.scope import DIMENSIONS, Scope, Viewer
from erstwhile.core.settings import Settings, load_settings
from erstwhile.core.time import SystemClock
from erstwhile.decisions.advice import compare_judgements
from erstwhile.decisions.decision import Advice, DecisionRequest, Namespace, Suggestion
from erstwhile.decisions.draft import checked_request
from erstwhile.engines.selection import engine_at
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.storage.access import Access

BUSY_SECONDS = 1.0
"""Seconds to wait for another process that locks the store."""
_RECORDING = "erstwhile.cli.hook.recording"
"""The module that is loaded only after the answer."""
_BEFORE = ("PreToolUse", "BeforeTool", "preToolUse")
_AFTER = ("PostToolUse", "AfterTool", "postToolUse")
_FAILED = ("PostToolUseFailure", "postToolUseFailure")
"""The names of the events at Claude Code and Codex, Gemini CLI, and Cursor."""


def handle(command: str, event: Any, options: Mapping[str, Any]) -> None:
    """Answer an event before a tool call, or record one after it."""
    (_record_end if command == POST else _answer)(event, options)


def _answer(event: Any, options: Mapping[str, Any]) -> None:
    """Print the suggestion for a tool call with its reason, and then record both."""
    call = _checked(event, *_BEFORE)
    request = _request(call, options)
    with _opened_access(_settings(options)) as access:
        advice = _advise(access, request, options)
        ids = ", ".join(hit.decision.short_id for hit in advice.precedents[:3])
        reason = f"{advice.reason} [{ids}]" if ids else advice.reason
        if advice.unread or advice.suggestion != Suggestion.ASK or not options.get("silent"):
            print_suggestion(
                advice.suggestion.value, reason, call.get("hook_event_name", _BEFORE[0])
            )
        if not options.get("no_record"):
            # Without the reason: it may quote a decision that is erased later.
            answered = f"answered {advice.suggestion}" + (f" [{ids}]" if ids else "")
            try:
                import_module(_RECORDING).record_call(access, call, request, answered)
            except ErstwhileError as error:  # the agent has its answer already
                print_problem(f"the memory cannot record this: {error}")


def _record_end(event: Any, options: Mapping[str, Any]) -> None:
    """Record that a tool call is done, or failed."""
    call = _checked(event, *_AFTER, *_FAILED)
    request, failed = _request(call, options), call.get("hook_event_name") in _FAILED
    with _opened_access(_settings(options)) as access:
        import_module(_RECORDING).record_outcome(access, call, request, failed=failed)


def _checked(event: Any, *names: str) -> Mapping[str, Any]:
    if not isinstance(event, dict) or event.get("hook_event_name", names[0]) not in names:
        raise InvalidInputError(f"this is not a {names[0]} event")
    return event


def _request(call: Mapping[str, Any], options: Mapping[str, Any]) -> DecisionRequest:
    return DecisionRequest(
        goal=options.get("goal") or call.get("session_id") or "any",
        tool=call.get("tool_name", ""),
        input=call.get("tool_input", {}),
    )


def _advise(access: Access, request: DecisionRequest, options: Mapping[str, Any]) -> Advice:
    """Compare a request with past decisions by its words, or with `--meaning` by its meaning."""
    settings, namespace = _settings(options), options.get("namespace") or "global"
    if options.get("meaning"):
        with erstwhile.open(settings=settings) as memory:
            ours = memory.scoped(**{name: getattr(settings, name) for name in SCOPE})
            return ours.decisions.advise(request, namespace=namespace)
    chosen = choice(Namespace, namespace, name="namespace")
    note = "the hook loads no embedder"
    checked, policy = checked_request(request), parse_denials(settings.denials)
    return access.ask(
        lambda view: compare_judgements(view, checked, chosen, policy).advice(view, 5, note)
    )


def _settings(options: Mapping[str, Any]) -> Settings:
    return load_settings(**{name: options.get(name) for name in ("db", *SCOPE)})


@contextmanager
def _opened_access(settings: Settings) -> Iterator[Access]:
    """Open an existing memory in the scope of the settings; create none.

    Wait at most `BUSY_SECONDS` for another process that holds the store. An observation that a loss
    of power undoes is worth no waiting for the disk.
    """
    hurried = replace(
        settings, busy_timeout=min(BUSY_SECONDS, settings.busy_timeout), synchronous="NORMAL"
    )
    engine = engine_at(settings.location, hurried, create=False)
    scope = {name: getattr(settings, name) for name in DIMENSIONS}
    try:
        yield Access(engine, SystemClock(), Viewer(scope=Scope(**scope)), LazyAnalyser())
    finally:
        engine.close()
