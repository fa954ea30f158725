"""The memory of `erstwhile serve --demo`: three months of a small team, from `demo.toml`."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime, time, timedelta
from importlib.resources import files
from typing import Any

import erstwhile
from erstwhile.learning.attempts import Observed
from erstwhile.memory import Memory
from erstwhile.rpc.codec import decode
from erstwhile.rpc.verbs import verbs
from erstwhile.testing.clock import FakeClock

_OFFSET = re.compile(r"([+-]\d+)d")
"""A time relative to today, in days."""
_RENAMED = {"block": "name", "snapshot": "name"}
"""Arguments that cannot have their own name in an entry, where `name` names the result."""


def fill_demo(location: str, now: datetime | None = None) -> None:
    """Create a memory and call the verbs of `demo.toml` in it, each at its time."""
    today = now or datetime.now(UTC)
    entries = sorted(_entries(), key=lambda entry: _moment(today, entry))
    clock, ids = FakeClock(), dict[str, Any]()
    with erstwhile.open(location, clock=clock, llm="none", learners=0) as memory:
        for entry in entries:
            clock.set(_moment(today, entry))
            _call(memory, entry, ids, today)


def _entries() -> list[dict[str, Any]]:
    """Return the entries of the file, with those of its tables."""
    read = tomllib.loads(files(__package__).joinpath("demo.toml").read_text("utf-8"))
    entries: list[dict[str, Any]] = read["entry"]
    for table in read["table"]:
        rows = (dict(zip(table["fields"], row, strict=True)) for row in table["rows"])
        entries += [{"call": table["call"], **row} for row in rows]
    return entries


def _moment(today: datetime, entry: dict[str, Any]) -> datetime:
    at = time.fromisoformat(entry.get("time", "09:00"))
    day = today.date() - timedelta(days=entry["day"])
    return min(datetime.combine(day, at, UTC), today)


def _call(memory: Memory, entry: dict[str, Any], ids: dict[str, Any], today: datetime) -> None:
    """Call the verb of one entry, and keep the id of its result."""
    fields = dict(entry)
    for name in ("day", "time"):
        fields.pop(name, None)
    view = memory.scoped(**dict(each.split("=") for each in fields.pop("view").split()))
    if fields.pop("agent", False):
        view = view.acting_as("assistant", person=False)
    verb, named = verbs()[fields.pop("call")], fields.pop("name", None)
    arguments = {
        name: decode(_value(value, ids, today), verb.parameters[name].hint, name, strict=True)
        for name, value in ((_RENAMED.get(name, name), value) for name, value in fields.items())
    }
    if verb.name == "observe_turn":
        view.context(arguments["user"])  # an assistant asks before it answers
        arguments["wait"] = True
    result = verb.call(view, arguments)
    if named:
        ids[named] = _source(result) if verb.name == "observe_turn" else result.id


def _source(turn: Observed) -> dict[str, Any]:
    """Return the source of a fact that an agent took from a turn: its tool, else its user."""
    said = turn.tools[0] if turn.tools else turn.user
    return {"conversation": turn.conversation, "messages": [said.id]}


def _value(value: Any, ids: dict[str, Any], today: datetime) -> Any:
    """Replace "$name" by an id or a source, and "-3d" by a time."""
    if not isinstance(value, str):
        return value
    if value.startswith("$"):
        return ids[value[1:]]
    offset = _OFFSET.fullmatch(value)
    return (today + timedelta(days=int(offset[1]))).isoformat() if offset else value
