"""Subscriptions to resources, as each era of the protocol has them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)

from erstwhile.doors.mcp.surface import Resources
from erstwhile.doors.mcp.watching import Watching

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_Request: TypeAlias = ServerRequestContext[Any, Any]


class Subscriptions:
    """Answers the requests about subscriptions. A subscriber hears of its own scope alone."""

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
        """Begin to tell a session of the era with a handshake about one resource."""
        uri, memory = str(params.uri), self._memory_of(request)
        tell = partial(request.session.send_resource_updated, uri)
        read, owner = partial(self._read, memory, uri), self._owner_of(request)
        await self._watching.add(_key(request, uri), read, tell, owner)
        return types.EmptyResult()

    async def unsubscribe(
        self, request: _Request, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """End it."""
        self._watching.remove(_key(request, str(params.uri)))
        return types.EmptyResult()

    async def listen(
        self, request: _Request, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Tell about resources in the answer to this request, until the client ends it."""
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
        """Return the texts whose changes are the wanted events."""
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
    """Return what identifies a subscription; over HTTP each session has its own."""
    headers = request.request.headers if request.request is not None else {}
    return headers.get("mcp-session-id", ""), uri
