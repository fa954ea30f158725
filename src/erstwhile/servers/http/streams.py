"""Streams: changes as server-sent events, exports and imports as JSON lines.

Events come from the audit trail. A client that reconnects with Last-Event-ID continues after that
event. An event may come twice: on a database server, changes of two scopes can become visible in
another order than that of their times.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import anyio

from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.core.json_values import written_time
from erstwhile.core.public_record import to_json
from erstwhile.core.results import all_items
from erstwhile.core.scope import SHARED, Scope, Viewer
from erstwhile.operations.export import write_export
from erstwhile.operations.import_ import import_lines
from erstwhile.operations.import_staging import read_header
from erstwhile.operations.results import Imported
from erstwhile.rpc.codec import json_bytes
from erstwhile.servers.problems import bad_request
from erstwhile.servers.threads import RunOnThread

if TYPE_CHECKING:
    from erstwhile.memory import Memory
    from erstwhile.storage.audit_chain import Entry

_POLL_SECONDS = 1.0
_MAX_SECONDS = 900.0
"""Seconds after which a stream ends. Clients reconnect by themselves."""
_LATE = timedelta(seconds=5)
"""The delay after its time with which a change may become visible."""
_MAX_ENTRIES = 10_000
"""The most missed events. A client that missed more must read everything again."""
_PART = 256 * 1024
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


async def changes_since(view: Memory, last: str | None, run: RunOnThread) -> AsyncIterator[bytes]:
    """Yield the events after an event id, and new ones for a while."""
    position = await run(_position, view, last)
    yield b"retry: 1000\n\n"
    with anyio.move_on_after(_MAX_SECONDS):
        while True:
            # As one part: a disconnect is noticed after each.
            part, position = await run(_next_part, view, position, heavy=True)
            yield part
            await anyio.sleep(_POLL_SECONDS)


@dataclass(frozen=True, slots=True)
class _Position:
    """The position of a stream: the time of its last event, and the events near to it."""

    since: datetime
    seen: frozenset[tuple[Scope, int]]


def _position(view: Memory, last: str | None) -> _Position:
    """Return the position after an event, or now: what became visible before is no news."""
    now = view._access.clock.now()  # noqa: SLF001 (the clock of the store)
    if last is not None:
        return _Position(min(_event_time(last), now), frozenset())
    return _Position(now, _keys(_entries_since(view, now)))


def _next_part(view: Memory, position: _Position) -> tuple[bytes, _Position]:
    """Return the events after a position, and the next position. It runs on a thread."""
    found = _entries_since(view, position.since)
    new = [each for each in found[:_MAX_ENTRIES] if (each.scope, each.number) not in position.seen]
    since = max((position.since, *(each.at for each in new)))
    late = _before(since, _LATE)
    seen = _keys(each for each in found if each.at >= late)
    reset = b"event: reset\ndata: {}\n\n" if len(found) > _MAX_ENTRIES else b""
    events = b"".join(_event(each) for each in reversed(new)) or b": still here\n\n"
    return reset + events, _Position(since, seen)


def _keys(entries: Iterable[Entry]) -> frozenset[tuple[Scope, int]]:
    return frozenset((each.scope, each.number) for each in entries)


def _entries_since(view: Memory, since: datetime) -> list[Entry]:
    """Return the audit entries from shortly before a time on, newest first, and one too many."""
    return list(islice(all_items(view.audit.list, since=_before(since, _LATE)), _MAX_ENTRIES + 1))


def _before(moment: datetime, by: timedelta) -> datetime:
    """Return an earlier time, or the earliest one that there is."""
    try:
        return moment.astimezone(UTC) - by
    except OverflowError:
        return _EARLIEST


def _event(entry: Entry) -> bytes:
    """Return an event without the reason, which is a text of somebody."""
    fields = {name: value for name, value in to_json(entry).items() if name != "reason"}
    data = json_bytes(fields).decode()
    return f"id: {written_time(entry.at)}\nevent: change\ndata: {data}\n\n".encode()


def _event_time(last: str) -> datetime:
    with suppress(ValueError, OverflowError):
        found = datetime.fromisoformat(last)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    raise bad_request("Last-Event-ID is not the id of an event")


async def export_lines(view: Memory, run: RunOnThread) -> AsyncIterator[bytes]:
    """Yield an export of the scope of a view, and of all narrower ones, in parts."""
    with TemporaryDirectory(prefix="erstwhile-export-") as folder:
        file = Path(folder) / "export.jsonl"
        await run(_export, view, file, heavy=True)
        async with await anyio.open_file(file, "rb") as opened:
            while part := await opened.read(_PART):
                yield part


async def import_stream(view: Memory, parts: AsyncIterator[bytes], run: RunOnThread) -> Imported:
    """Import lines from a stream. Each line names its own scope."""
    if view.scope != SHARED:
        raise ScopeError("an import has the scopes of its lines", remedy="leave the headers out")
    with TemporaryDirectory(prefix="erstwhile-import-") as folder:
        file = Path(folder) / "import.jsonl"
        async with await anyio.open_file(file, "wb") as opened:
            async for part in parts:
                await opened.write(part)
        return await run(_import, view, file, heavy=True)


def _export(view: Memory, file: Path) -> None:
    access = view._access  # noqa: SLF001 (an export is no verb of a memory)
    write_export(access.seen_by(Viewer(everything=True)), view.scope, file)


def _import(view: Memory, file: Path) -> Imported:
    try:
        read_header(file)
    except InvalidInputError as error:  # do not name the temporary file
        message = error.message.replace(str(file), "the body")
        raise InvalidInputError(message, remedy=error.remedy) from None
    access = view._access.seen_by(Viewer(everything=True))  # noqa: SLF001 (same)
    return import_lines(file, access)
