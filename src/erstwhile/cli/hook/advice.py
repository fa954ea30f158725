"""Advice on a tool call from the decisions of an existing memory, for the hook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import erstwhile
from erstwhile.cli.hook.pre_tool_use import EVENT, SCOPE
from erstwhile.core.clock import SystemClock
from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.kinds import choice
from erstwhile.core.scope import DIMENSIONS, Scope, Viewer
from erstwhile.core.settings import Settings, load_settings
from erstwhile.decisions.advice import ADVICE_FLOOR
from erstwhile.decisions.decision import Advice, DecisionRequest, Namespace
from erstwhile.decisions.draft import checked_request
from erstwhile.decisions.precedents import PrecedentQuery, advise_by_precedents
from erstwhile.engines.selection import engine_at
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.storage.access import Access

BUSY_SECONDS = 1.0
"""Seconds to wait for another process that locks the store."""


def advise(call: Any, options: Mapping[str, Any]) -> tuple[str, str]:
    """Return the suggestion for a tool call, and its reason."""
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


def _by_words(request: DecisionRequest, options: Mapping[str, Any]) -> Advice:
    namespace = choice(Namespace, options.get("namespace") or "global", name="namespace")
    note = "the hook loads no embedder"
    query = PrecedentQuery(request, namespace, ADVICE_FLOOR, lambda _view, _numbers: {}, note)
    with _look(_settings(options)) as access:
        return access.ask(lambda view: advise_by_precedents(view, query, 5))


def _by_meaning(request: DecisionRequest, options: Mapping[str, Any]) -> Advice:
    settings = _settings(options)
    with _look(settings):
        pass  # raises if there is no memory to open
    with erstwhile.open(settings=settings) as memory:
        ours = memory.scoped(**{name: getattr(settings, name) for name in SCOPE})
        return ours.decisions.advise(request, namespace=options.get("namespace") or "global")


def _settings(options: Mapping[str, Any]) -> Settings:
    return load_settings(**{name: options.get(name) for name in ("db", *SCOPE)})


@contextmanager
def _look(settings: Settings) -> Iterator[Access]:
    """Open an existing memory in the scope of the settings; create none.

    Wait at most `BUSY_SECONDS` for another process that holds the store.
    """
    place = settings.location
    if "://" not in place and not Path(place).expanduser().is_file():
        raise NotFoundError(f"there is no memory at {place}", remedy="record something first")
    hurried = replace(settings, busy_timeout=min(BUSY_SECONDS, settings.busy_timeout))
    engine = engine_at(place, hurried)
    scope = {name: getattr(settings, name) for name in DIMENSIONS}
    try:
        yield Access(engine, SystemClock(), Viewer(scope=Scope(**scope)), LazyAnalyser())
    finally:
        engine.close()
