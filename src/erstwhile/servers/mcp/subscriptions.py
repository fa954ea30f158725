"""Subscriptions to resources.

Changes come from this server, from background learning and from other processes. Only a comparison
sees them all: while there are subscribers, their resources are read again after each change of this
server, and every few seconds.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)

from erstwhile.core.errors import ErstwhileError
from erstwhile.core.logs import log_failure
from erstwhile.servers.mcp.surface import Resources

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_Request: TypeAlias = ServerRequestContext[Any, Any]
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


class Subscriptions:
    """Handles subscription requests. A subscriber only sees its own scope."""

    def __init__(
        self,
        watching: Watching,
        resources: Resources,
        memory_of: Callable[[_Request], Memory],
        owner_of: Callable[[_Request], str],
    ) -> None:
        self._watching = watching
        self._resources = resources
        self._memory_of = memory_of
        self._owner_of = owner_of

    async def subscribe(
        self, request: _Request, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Subscribe a session (protocols with a handshake) to a resource."""
        uri, memory = str(params.uri), self._memory_of(request)
        notify = partial(request.session.send_resource_updated, uri)
        read, owner = partial(self._read, memory, uri), self._owner_of(request)
        await self._watching.add(_key(request, uri), read, notify, owner)
        return types.EmptyResult()

    async def unsubscribe(
        self, request: _Request, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """End a subscription of a session."""
        self._watching.remove(_key(request, str(params.uri)))
        return types.EmptyResult()

    async def listen(
        self, request: _Request, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Stream changes of resources until the client disconnects."""
        bus, memory = InMemorySubscriptionBus(), self._memory_of(request)
        watched, owner = self._watched(memory, params.notifications), self._owner_of(request)
        try:
            for event, read in watched.items():
                await self._watching.add((bus, event), read, partial(bus.publish, event), owner)
            return await ListenHandler(bus)(request, params)
        finally:
            for event in watched:
                self._watching.remove((bus, event))

    def _watched(
        self, memory: Memory, wanted: types.SubscriptionFilter
    ) -> dict[ServerEvent, Callable[[], str]]:
        """Return the readers of the requested events."""
        uris = [str(uri) for uri in wanted.resource_subscriptions or ()]
        texts: dict[ServerEvent, Callable[[], str]] = {
            ResourceUpdated(uri=uri): partial(self._read, memory, uri) for uri in uris
        }
        if wanted.resources_list_changed:
            texts[ResourcesListChanged()] = partial(self._list, memory)
        return texts

    def _read(self, memory: Memory, uri: str) -> str:
        return self._resources.read(memory, uri).text

    def _list(self, memory: Memory) -> str:
        return json.dumps(self._resources.listed(memory))


def _key(request: _Request, uri: str) -> tuple[str, str]:
    """Return the key of a subscription; over HTTP each session has its own."""
    headers = request.request.headers if request.request is not None else {}
    return headers.get("mcp-session-id", ""), uri
