"""The MCP server: handlers of the SDK's low-level server for a surface and a memory.

The SDK supports both kinds of protocol versions: with a handshake, and stateless.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from erstwhile.core.errors import ErstwhileError, InvalidInputError, NotFoundError
from erstwhile.core.logs import log_failure
from erstwhile.servers.mcp.subscriptions import EVERY, Subscriptions, Watching
from erstwhile.servers.mcp.surface import Surface, Tool

if TYPE_CHECKING:
    from erstwhile.memory import Memory

Request: TypeAlias = ServerRequestContext[Any, Any]
MemoryOf: TypeAlias = "Callable[[Request], Memory]"
"""Returns the memory of a request. The client cannot choose its scope."""
_LONGEST_NAME = 80

# Tools run in threads: build these validators now, not in two threads on first use.
for _model in (types.TextContent, types.CallToolResult):
    _model.model_rebuild()


class MemoryServer:
    """Handlers of requests about a memory."""

    def __init__(
        self,
        surface: Surface,
        memory_of: MemoryOf,
        *,
        every: float = EVERY,
        may_write: Callable[[Request], bool] = lambda _: True,
        owner_of: Callable[[Request], str] = lambda _: "",
        holder_of: Callable[[Request], str] = lambda _: "",
    ) -> None:
        self._surface = surface
        self._memory_of = memory_of
        self._may_write = may_write
        self._holder_of = holder_of
        self._watching = Watching(every)
        self._subscriptions = Subscriptions(
            self._watching, surface.resources, self._memory, owner_of
        )
        self._tools = [types.Tool.model_validate(each.definition) for each in surface.tools]

    def protocol_server(self, **more: Any) -> Server[Any]:
        """Return the SDK server with these handlers; `more` overrides options."""
        usual: dict[str, Any] = {
            "version": self._surface.version,
            "instructions": self._surface.instructions,
            "lifespan": self._lifespan,
            "on_list_tools": self._list_tools,
            "on_call_tool": self._call_tool,
            "on_list_resources": self._list_resources,
            "on_list_resource_templates": self._list_templates,
            "on_read_resource": self._read_resource,
            "on_subscribe_resource": self._subscriptions.subscribe,
            "on_unsubscribe_resource": self._subscriptions.unsubscribe,
            "on_subscriptions_listen": self._subscriptions.listen,
            "on_list_prompts": self._list_prompts,
            "on_get_prompt": self._get_prompt,
        }
        return Server(self._surface.name, **{**usual, **more})

    @asynccontextmanager
    async def _lifespan(self, _server: Server[Any]) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._watching.run)
            yield
            tasks.cancel_scope.cancel()

    async def _list_tools(self, _request: Request, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def _call_tool(
        self, request: Request, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = self._surface.tool(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        if not (tool.reads_only or self._may_write(request)):
            return failed("refused: the token of this client may only read")
        memory = self._memory(request)
        given, explain = params.arguments or {}, self._surface.explain
        result = await run_sync(result_of, tool, memory, given, explain)
        if not tool.reads_only:
            self._watching.wake()
        return result

    async def _list_resources(self, request: Request, _params: Any) -> types.ListResourcesResult:
        listed = await _on_thread(self._surface.resources.listed, self._memory(request))
        return types.ListResourcesResult(resources=[types.Resource(**each) for each in listed])

    async def _list_templates(
        self, _request: Request, _params: Any
    ) -> types.ListResourceTemplatesResult:
        found = [types.ResourceTemplate(**each) for each in self._surface.resources.templates]
        return types.ListResourceTemplatesResult(resource_templates=found)

    async def _read_resource(
        self, request: Request, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            found = await run_sync(self._surface.resources.read, self._memory(request), uri)
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
        prompt = self._surface.prompt(params.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        text = await _on_thread(prompt.write, self._memory(request), params.arguments or {})
        message = types.PromptMessage(role="user", content=_text(text))
        description = prompt.definition["description"]
        return types.GetPromptResult(description=description, messages=[message])

    def _memory(self, request: Request) -> Memory:
        """Return the memory of a request, for an agent.

        The name of the actor is `mcp`, the name of the token, and the name of the client.
        """
        names = ("mcp", self._holder_of(request), _client_name(request))
        return self._memory_of(request).acting_as(":".join(filter(None, names)), person=False)


async def _on_thread(ask: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function on a thread. Convert errors for the client."""
    try:
        return await run_sync(ask, *arguments)
    except ErstwhileError as error:
        raise MCPError(types.INTERNAL_ERROR, f"{error.code}: {error}") from None


def _client_name(request: Request) -> str:
    """Return the printable name of the client."""
    client = request.session.client_params
    name = " ".join(client.client_info.name.split())[:_LONGEST_NAME] if client else ""
    return name if name.isprintable() else ""


def result_of(
    tool: Tool,
    memory: Memory,
    arguments: dict[str, Any],
    explain: Callable[[Memory, ErstwhileError], str],
) -> types.CallToolResult:
    """Run a tool. A failure becomes a text for the model."""
    try:
        answer = tool(memory, arguments)
    except ErstwhileError as error:
        return failed(explain(memory, error))
    except Exception as error:  # the message may quote content
        log_failure(__name__, "a tool failed: %s", tool.definition["name"], error=error)
        return failed(f"internal: unexpected {type(error).__name__}; do not repeat the call")
    text = json.dumps(answer.data, ensure_ascii=False) if answer.text is None else answer.text
    return types.CallToolResult(content=[_text(text)], structured_content=answer.data)


def failed(text: str) -> types.CallToolResult:
    """Return an error result."""
    return types.CallToolResult(content=[_text(text)], is_error=True)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def serve_stdio(surface: Surface, memory: Memory) -> None:
    """Serve one client over standard input and output, until it closes them."""
    server = MemoryServer(surface, lambda _: memory).protocol_server()

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)
