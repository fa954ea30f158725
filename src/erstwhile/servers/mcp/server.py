"""The MCP server: handlers of the SDK's low-level server for a surface and a memory.

The SDK supports both kinds of protocol versions: with a handshake, and stateless. Resources with
subscribers are read again after each change of this server, and every few seconds: only a
comparison sees the changes of background learning and of other processes.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)
from mcp.shared.exceptions import MCPError

from erstwhile import __version__
from erstwhile.core.errors import ErstwhileError, InvalidInputError, NotFoundError
from erstwhile.core.logs import log_failure
from erstwhile.servers.mcp.surface import Surface
from erstwhile.servers.options import MEMORY, THREADS, TOKEN
from erstwhile.servers.threads import RunOnThread, run_anywhere
from erstwhile.servers.tokens import Right, Token
from erstwhile.tools.tool import Tool

if TYPE_CHECKING:
    from erstwhile.memory import Memory


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


Request: TypeAlias = ServerRequestContext[Any, Any]
_MAX_NAME = 80
_HEAVY = frozenset(("recall", "context", "decisions", "search_nodes", "read_graph"))
"""Tools that search."""

# Tools run in threads: build these validators now, not in two threads on first use.
for _model in (types.TextContent, types.CallToolResult):
    _model.model_rebuild()


class MemoryServer:
    """Handlers of requests about a memory: a given one, or that of the token of each request."""

    def __init__(
        self, surface: Surface, memory: Memory | None = None, *, every: float = EVERY
    ) -> None:
        self._surface = surface
        self._memory = memory
        self._watching = Watching(every)
        self._tools = {each.definition["name"]: each for each in surface.tools}
        self._prompts = {each.definition["name"]: each for each in surface.prompts}
        self._definitions = [types.Tool.model_validate(each.definition) for each in surface.tools]

    def protocol_server(self, **more: Any) -> Server[Any]:
        """Return the SDK server with these handlers; `more` overrides options."""
        usual: dict[str, Any] = {
            "version": __version__,
            "instructions": self._surface.instructions,
            "lifespan": self._lifespan,
            "on_list_tools": self._list_tools,
            "on_call_tool": self._call_tool,
            "on_list_resources": self._list_resources,
            "on_list_resource_templates": self._list_templates,
            "on_read_resource": self._read_resource,
            "on_subscribe_resource": self._subscribe,
            "on_unsubscribe_resource": self._unsubscribe,
            "on_subscriptions_listen": self._listen,
            "on_list_prompts": self._list_prompts,
            "on_get_prompt": self._get_prompt,
        }
        return Server("erstwhile", **{**usual, **more})

    @asynccontextmanager
    async def _lifespan(self, _server: Server[Any]) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watching.run)
            yield
            tasks.cancel_scope.cancel()

    async def _list_tools(self, _request: Request, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._definitions)

    async def _call_tool(
        self, request: Request, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool, token = self._tools.get(params.name), _token(request)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        arguments = params.arguments or {}
        reads_only = tool.reads_only(arguments)
        if not (reads_only or token is None or token.may(Right.WRITE)):
            return _failed("refused: the token of this client may only read")
        run, heavy = _threads(request), tool.definition["name"] in _HEAVY
        result = await run(self._run, tool, self._view(request), arguments, heavy=heavy)
        if not reads_only:
            self._watching.wake()
        return result

    def _run(self, tool: Tool, memory: Memory, arguments: dict[str, Any]) -> types.CallToolResult:
        """Run a tool. A failure becomes a text for the model."""
        try:
            answer = tool(memory, arguments)
        except ErstwhileError as error:
            return _failed(self._surface.explain(memory, error))
        except Exception as error:  # the message may quote content
            log_failure(__name__, "a tool failed: %s", tool.definition["name"], error=error)
            return _failed(f"internal: unexpected {type(error).__name__}; do not repeat the call")
        text = json.dumps(answer.data, ensure_ascii=False) if answer.text is None else answer.text
        return types.CallToolResult(content=[_text(text)], structured_content=answer.data)

    async def _list_resources(self, request: Request, _params: Any) -> types.ListResourcesResult:
        listed = await _on_thread(request, self._surface.list_resources, self._view(request))
        return types.ListResourcesResult(resources=[types.Resource(**each) for each in listed])

    async def _list_templates(
        self, _request: Request, _params: Any
    ) -> types.ListResourceTemplatesResult:
        found = [types.ResourceTemplate(**each) for each in self._surface.templates]
        return types.ListResourceTemplatesResult(resource_templates=found)

    async def _read_resource(
        self, request: Request, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            run = _threads(request)
            found = await run(self._surface.read_resource, self._view(request), uri)
        except ErstwhileError as error:
            absent = isinstance(error, NotFoundError | InvalidInputError)
            message = "Resource not found" if absent else str(error)
            code = types.INVALID_PARAMS if absent else types.INTERNAL_ERROR
            raise MCPError(code, message, {"uri": uri}) from None
        part = types.TextResourceContents(uri=uri, mime_type=found.mime_type, text=found.text)
        return types.ReadResourceResult(contents=[part])

    async def _list_prompts(self, _request: Request, _params: Any) -> types.ListPromptsResult:
        found = [types.Prompt.model_validate(each.definition) for each in self._surface.prompts]
        return types.ListPromptsResult(prompts=found)

    async def _get_prompt(
        self, request: Request, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = self._prompts.get(params.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        text = await _on_thread(request, prompt.write, self._view(request), params.arguments or {})
        message = types.PromptMessage(role="user", content=_text(text))
        description = prompt.definition["description"]
        return types.GetPromptResult(description=description, messages=[message])

    async def _subscribe(
        self, request: Request, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Subscribe a session (protocols with a handshake) to a resource."""
        uri = str(params.uri)
        read = self._reader(request, self._resource_text, uri)
        notify = partial(request.session.send_resource_updated, uri)
        await self._watching.add(_subscription(request, uri), read, notify, _owner(request))
        return types.EmptyResult()

    async def _unsubscribe(
        self, request: Request, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        self._watching.remove(_subscription(request, str(params.uri)))
        return types.EmptyResult()

    async def _listen(
        self, request: Request, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Stream changes of resources until the client disconnects."""
        bus, wanted = InMemorySubscriptionBus(), params.notifications
        uris = wanted.resource_subscriptions or ()
        if len(uris) > MAX_FROM_OWNER:
            raise MCPError(types.INVALID_PARAMS, f"subscribe to at most {MAX_FROM_OWNER} resources")
        watched: dict[ServerEvent, Callable[[], Awaitable[str]]] = {
            ResourceUpdated(uri=str(uri)): self._reader(request, self._resource_text, str(uri))
            for uri in uris
        }
        if wanted.resources_list_changed:
            watched[ResourcesListChanged()] = self._reader(request, self._list_text)
        try:
            for event, read in watched.items():
                notify = partial(bus.publish, event)
                await self._watching.add((bus, event), read, notify, _owner(request))
            return await ListenHandler(bus)(request, params)
        finally:
            for event in watched:
                self._watching.remove((bus, event))

    def _reader(
        self, request: Request, read: Callable[..., str], *arguments: str
    ) -> Callable[[], Awaitable[str]]:
        """Return a function that reads a text on the threads of the token of a request."""
        return partial(_threads(request), read, self._view(request), *arguments, heavy=True)

    def _resource_text(self, memory: Memory, uri: str) -> str:
        return self._surface.read_resource(memory, uri).text

    def _list_text(self, memory: Memory) -> str:
        return json.dumps(self._surface.list_resources(memory))

    def _view(self, request: Request) -> Memory:
        """Return the memory of a request, for an agent. The client cannot choose its scope.

        The name of the actor is `mcp`, the name of the token, and the name of the client.
        """
        token, client = _token(request), request.session.client_params
        name = " ".join(client.client_info.name.split())[:_MAX_NAME] if client else ""
        names = ("mcp", token.name if token else "", name if name.isprintable() else "")
        memory: Memory = self._memory or _http_scope(request)[MEMORY]
        return memory.acting_as(":".join(filter(None, names)), person=False)


def _http_scope(request: Request) -> Mapping[str, Any]:
    return request.request.scope if request.request is not None else {}


def _threads(request: Request) -> RunOnThread:
    found: RunOnThread = _http_scope(request).get(THREADS, run_anywhere)
    return found


def _token(request: Request) -> Token | None:
    return _http_scope(request).get(TOKEN)


def _owner(request: Request) -> str:
    token = _token(request)
    return token.digest if token else ""


def _subscription(request: Request, uri: str) -> tuple[str, str]:
    """Return the key of a subscription; over HTTP each session has its own."""
    headers = request.request.headers if request.request is not None else {}
    return headers.get("mcp-session-id", ""), uri


async def _on_thread(request: Request, ask: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function on a thread. Convert errors for the client."""
    try:
        return await _threads(request)(ask, *arguments, heavy=True)
    except ErstwhileError as error:
        raise MCPError(types.INTERNAL_ERROR, f"{error.code}: {error}") from None


def _failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(text)], is_error=True)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def serve_stdio(surface: Surface, memory: Memory) -> None:
    """Serve one client over standard input and output, until it closes them."""
    server = MemoryServer(surface, memory).protocol_server()

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)
