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
from anyio.to_thread import run_sync

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure

EVERY = 2.0
"""Seconds between two comparisons."""
_MOST, _MOST_OF_OWNER = 1_000, 100
"""The most subscriptions, in all and of one token. The oldest one is dropped: clients often
disconnect without notice."""


@dataclass(frozen=True, slots=True)
class _Watched:
    read: Callable[[], str]
    notify: Callable[[], Awaitable[None]]
    digest: bytes
    owner: str


class Watching:
    """Polls the subscribed resources of all clients."""

    def __init__(self, every: float = EVERY) -> None:
        self._every = every
        self._watched: OrderedDict[Hashable, _Watched] = OrderedDict()
        self._changed = anyio.Event()

    async def add(
        self,
        key: Hashable,
        read: Callable[[], str],
        notify: Callable[[], Awaitable[None]],
        owner: str = "",
    ) -> None:
        """Call `notify` whenever `read` returns another text."""
        self._watched[key] = _Watched(read, notify, await run_sync(_digest, read), owner)
        own = [each for each, watched in self._watched.items() if watched.owner == owner]
        for oldest in own[:-_MOST_OF_OWNER]:
            self.remove(oldest)
        while len(self._watched) > _MOST:
            self._watched.popitem(last=False)

    def remove(self, key: Hashable) -> None:
        """End a subscription."""
        self._watched.pop(key, None)

    def wake(self) -> None:
        """Compare soon, after a change of this server."""
        self._changed.set()

    async def run(self) -> None:
        """Compare until cancelled."""
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
            await watched.notify()
        except Exception as error:  # this client has disconnected
            self.remove(key)
            log_failure(__name__, "a subscriber has disconnected", error=error)


def _digest(read: Callable[[], str]) -> bytes:
    """Return the digest of a text, or the code of the error."""
    try:
        return sha256(read().encode()).digest()
    except ErstwhileError as error:
        return error.code.encode()
