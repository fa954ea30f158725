"""Tell subscribers which resources have changed, whoever changed them.

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
from anyio.to_thread import run_sync

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure

EVERY = 2.0
"""Seconds between two comparisons."""
_MOST, _MOST_OF_OWNER = 1_000, 100
"""The most subscriptions, and those of one client or token. Then the oldest ends: clients often
leave without a word."""


@dataclass(frozen=True, slots=True)
class _Watched:
    read: Callable[[], str]
    tell: Callable[[], Awaitable[None]]
    digest: bytes
    owner: str


class Watching:
    """The subscriptions of all clients."""

    def __init__(self, every: float = EVERY) -> None:
        self._every = every
        self._watched: OrderedDict[Hashable, _Watched] = OrderedDict()
        self._changed = anyio.Event()

    async def add(
        self,
        key: Hashable,
        read: Callable[[], str],
        tell: Callable[[], Awaitable[None]],
        owner: str = "",
    ) -> None:
        """Call `tell` whenever the text that `read` returns is another one."""
        self._watched[key] = _Watched(read, tell, await run_sync(_digest, read), owner)
        own = [each for each, watched in self._watched.items() if watched.owner == owner]
        for oldest in own[:-_MOST_OF_OWNER]:
            self.remove(oldest)
        while len(self._watched) > _MOST:
            self._watched.popitem(last=False)

    def remove(self, key: Hashable) -> None:
        """End a subscription."""
        self._watched.pop(key, None)

    def wake(self) -> None:
        """Compare soon: this server has changed something."""
        self._changed.set()

    async def run(self) -> None:
        """Compare until it is cancelled."""
        while True:
            with anyio.move_on_after(self._every):
                await self._changed.wait()
            self._changed = anyio.Event()
            for key, watched in list(self._watched.items()):
                await self._compare(key, watched)

    async def _compare(self, key: Hashable, watched: _Watched) -> None:
        digest = await run_sync(_digest, watched.read)
        if digest == watched.digest or self._watched.get(key) is not watched:
            return
        self._watched[key] = replace(watched, digest=digest)
        try:
            await watched.tell()
        except Exception as error:  # this client is gone; the others still wait
            self.remove(key)
            log_failure(__name__, "a subscriber is gone", error=error)


def _digest(read: Callable[[], str]) -> bytes:
    """Return what a text is compared by. A resource that is not there has a digest, too."""
    try:
        return sha256(read().encode()).digest()
    except ErstwhileError as error:
        return error.code.encode()
