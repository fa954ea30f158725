"""Subscriptions to resources.

Changes come from this server, from background learning and from other processes. Only a comparison
sees them all: while there are subscribers, their resources are read again after each change of this
server, and every few seconds.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, replace
from hashlib import sha256

import anyio

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure

EVERY = 2.0
"""Seconds between two comparisons."""
_MAX_WATCHED, MAX_FROM_OWNER = 1_000, 100
"""The most subscriptions, in all and of one token. The oldest one is dropped: clients often
disconnect without notice."""


@dataclass(frozen=True, slots=True)
class _Watched:
    read: Callable[[], Awaitable[str]]
    notify: Callable[[], Awaitable[None]]
    digest: bytes
    owner: str


class Watching:
    """Polls the subscribed resources of all clients."""

    def __init__(self, every: float = EVERY) -> None:
        self._every = every
        self._watched: OrderedDict[Hashable, _Watched] = OrderedDict()
        self._comparing: set[Hashable] = set()
        self._changed = anyio.Event()

    async def add(
        self,
        key: Hashable,
        read: Callable[[], Awaitable[str]],
        notify: Callable[[], Awaitable[None]],
        owner: str = "",
    ) -> None:
        """Call `notify` whenever `read` returns another text."""
        self._watched[key] = _Watched(read, notify, await _digest(read), owner)
        own = [each for each, watched in self._watched.items() if watched.owner == owner]
        for oldest in own[:-MAX_FROM_OWNER]:
            self.remove(oldest)
        while len(self._watched) > _MAX_WATCHED:
            self._watched.popitem(last=False)

    def remove(self, key: Hashable) -> None:
        """End a subscription."""
        self._watched.pop(key, None)

    def wake(self) -> None:
        """Compare soon, after a change of this server."""
        self._changed.set()

    async def run(self) -> None:
        """Compare until cancelled. A slow resource of one client delays none of another."""
        async with anyio.create_task_group() as tasks:
            while True:
                with anyio.move_on_after(self._every):
                    await self._changed.wait()
                self._changed = anyio.Event()
                for key, watched in self._watched.items():
                    if key not in self._comparing:
                        self._comparing.add(key)
                        tasks.start_soon(self._compare, key, watched)

    async def _compare(self, key: Hashable, watched: _Watched) -> None:
        try:
            digest = await _digest(watched.read)
        finally:
            self._comparing.discard(key)
        if digest == watched.digest or self._watched.get(key) is not watched:
            return
        self._watched[key] = replace(watched, digest=digest)
        try:
            await watched.notify()
        except Exception as error:  # this client has disconnected
            self.remove(key)
            log_failure(__name__, "a subscriber has disconnected", error=error)


async def _digest(read: Callable[[], Awaitable[str]]) -> bytes:
    """Return the digest of a text, or the code of the error."""
    try:
        return sha256((await read()).encode()).digest()
    except ErstwhileError as error:
        return error.code.encode()
