"""The changes in a scope as server-sent events, from the audit trail.

A client that comes back with Last-Event-ID goes on after that event. An event may come twice: on a
database server, changes of two scopes can become visible in another order than that of their times.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from erstwhile.core.json_values import written_time
from erstwhile.doors.http.refusals import malformed
from erstwhile.wire.encoding import encoded_result, written_json

if TYPE_CHECKING:
    from erstwhile.memory import Memory
    from erstwhile.storage.audit_chain import Entry

HEADER = "last-event-id"
KIND = "text/event-stream"
_EVERY = 1.0
"""Seconds between two looks at the trail."""
_LONGEST = 900.0
"""Seconds after which a stream ends. Clients come back by themselves."""
_LATE = timedelta(seconds=5)
"""How much later than its time a change may become visible."""
_MOST = 10_000
"""The most events that a client can have missed. With more, it is told to read everything again."""
_PAGE = 1_000


def changes_since(view: Memory, last: str | None) -> AsyncIterator[bytes]:
    """Return the events after one with an id, and those to come, for a while."""
    now = view._access.clock.now()  # noqa: SLF001 (the clock of the store)
    return _events(view, now if last is None else _moment(last), is_new=last is None)


async def _events(view: Memory, since: datetime, *, is_new: bool) -> AsyncIterator[bytes]:
    known = await anyio.to_thread.run_sync(_read, view, since - _LATE) if is_new else []
    seen = {(each.scope, each.number) for each in known}
    yield b"retry: 1000\n\n"
    with anyio.move_on_after(_LONGEST):
        while True:
            found = await anyio.to_thread.run_sync(_read, view, since - _LATE)
            if len(found) > _MOST:
                yield b"event: reset\ndata: {}\n\n"
            new = [each for each in found[:_MOST] if (each.scope, each.number) not in seen]
            if new:  # as one part: a client that hung up is noticed after each
                since = max(since, *(each.at for each in new))
                yield b"".join(_event(each) for each in reversed(new))
            else:
                yield b": still here\n\n"
            seen = {(each.scope, each.number) for each in found if each.at >= since - _LATE}
            await anyio.sleep(_EVERY)


def _read(view: Memory, since: datetime) -> list[Entry]:
    """Return the entries from a time on, newest first, and at most one too many."""
    found: list[Entry] = []
    for page in _pages(view, since):
        found += page
        if len(found) > _MOST:
            break
    return found


def _pages(view: Memory, since: datetime) -> Iterator[list[Entry]]:
    cursor: str | None = None
    while True:
        page = view.audit.list(since=since, limit=_PAGE, cursor=cursor)
        yield list(page)
        cursor = page.next
        if cursor is None:
            return


def _event(entry: Entry) -> bytes:
    data = written_json(encoded_result(entry)).decode()
    return f"id: {written_time(entry.at)}\nevent: change\ndata: {data}\n\n".encode()


def _moment(last: str) -> datetime:
    try:
        found = datetime.fromisoformat(last)
    except ValueError:
        raise malformed("Last-Event-ID is not the id of an event") from None
    if found.tzinfo is None:
        raise malformed("Last-Event-ID is not the id of an event")
    return found
