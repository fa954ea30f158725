"""Erstwhile, from typed changes, or from turns with patterns only (no language model)."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import erstwhile
from erstwhile.testing.clock import FakeClock

FOUND = 5
NOW = datetime(2026, 9, 1, tzinfo=UTC)


class System:
    def __init__(self, folder: Path, typed: bool) -> None:
        self._clock, self._typed = FakeClock(), typed
        self._ids, self._since = dict[str, str](), dict[str, str]()
        self._opened = erstwhile.open(folder / "memory.db", clock=self._clock, llm="none")
        self._memory = self._opened.scoped(user="ana")

    def add(self, turn: dict[str, Any]) -> None:
        self._clock.set(datetime.fromisoformat(turn["at"]).replace(hour=12, tzinfo=UTC))
        if self._typed:
            for change in turn["changes"]:
                self._change(change, turn["at"])
        else:
            tools = [turn["tool"]] if "tool" in turn else []
            self._memory.observe_turn(turn["says"], "Noted.", tools=tools, wait=True)

    def live(self, question: str) -> list[str]:
        return self._found(question)

    def as_of(self, question: str, time: str) -> list[str] | None:
        return self._found(question, time)

    def close(self) -> None:
        self._opened.close()

    def _found(self, question: str, as_of: str | None = None) -> list[str]:
        said_at = self._clock.now()
        self._clock.set(NOW)
        found = self._memory.recall(question, FOUND, as_of=as_of)
        self._clock.set(said_at)
        return [hit.fact.text for hit in found]

    def _change(self, change: dict[str, Any], at: str) -> None:
        facts, name, since = self._memory.facts, change["name"], change.get("from", at)
        known, origin = self._ids.get(name, ""), change.get("origin", "person")
        planned = change["do"] == "replace" and since > at
        if planned:  # a replacement in the future is two facts: the old one expires
            facts.replace(known, facts.get(known).text, expires_at=since)
        elif change["do"] == "end":
            facts.retire(known, "superseded", ended=change["at"])
        elif change["do"] in ("correct", "cancel"):
            facts.retire(known, "wrong")
        if change["do"] == "replace" and not planned:
            with suppress(erstwhile.RefusedError):  # words of a page replace nothing
                new = facts.replace(known, change["text"], valid_from=since, origin=origin)
                self._ids[name] = new.id
                return
        if "text" in change:
            since = since if planned else self._since.setdefault(name, since)
            new = self._memory.remember(change["text"], valid_from=since, origin=origin)
            self._ids[name] = new.id
