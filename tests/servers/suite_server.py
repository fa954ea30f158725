"""The server of the product, with what the conformance suite needs and a memory does not have.

These are images, sound, progress, logging, and questions to the client. All of it goes through the
same server, gate and transport as the tools of a memory.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from erstwhile.servers.mcp.resources import memory_surface
from erstwhile.servers.mcp.server import MemoryServer, Request

Result: TypeAlias = types.CallToolResult | types.InputRequiredResult
DATA: dict[str, Any] = json.loads(Path(__file__).with_name("suite_data.json").read_text("utf-8"))
"""An image, a sound, and schemas."""
PNG = DATA["png"]
_KEY = b"the tests sign the state of requests"
_TEXT, _NAME = {"type": "string"}, {"type": "string", "description": "A name"}


def suite_server() -> MemoryServer:
    """Return the server that the suite talks to."""
    return SuiteServer(memory_surface())


def said(*content: Any, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=list(content), is_error=is_error)


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def embedded(uri: str, words: str, kind: str = "text/plain") -> types.EmbeddedResource:
    part = types.TextResourceContents(uri=uri, mime_type=kind, text=words)
    return types.EmbeddedResource(type="resource", resource=part)


def form(message: str, **properties: Mapping[str, Any]) -> types.ElicitRequest:
    """Return a question to the person who uses the client."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    params = types.ElicitRequestFormParams(message=message, requested_schema=schema)
    return types.ElicitRequest(params=params)


def sample(words: str, tokens: int) -> types.CreateMessageRequest:
    """Return a question to the model of the client."""
    message = types.SamplingMessage(role="user", content=text(words))
    params = types.CreateMessageRequestParams(messages=[message], max_tokens=tokens)
    return types.CreateMessageRequest(params=params)


def signed(state: str) -> str:
    return f"{state}.{hmac.new(_KEY, state.encode(), 'sha256').hexdigest()}"


def checked_state(params: Any) -> str:
    """Return the state that a client sends back, or raise an error if it is not ours."""
    given = params.request_state or ""
    state = str(given.partition(".")[0])
    if given and not hmac.compare_digest(given.encode(), signed(state).encode()):
        raise MCPError(types.INVALID_PARAMS, "the state of the request was changed")
    return state


def ask_first(
    questions: Mapping[str, Any], then: Callable[[Mapping[str, Any]], str], state: str | None = None
) -> Callable[[Request, Any], Awaitable[Result]]:
    """Return a tool that asks the client, and answers when it has all answers."""

    async def run(_request: Request, params: Any) -> Result:
        known = checked_state(params)
        answers = params.input_responses or {}
        if set(questions) <= set(answers) and (state is None or known == state):
            return said(text(then(answers)))
        return types.InputRequiredResult(
            input_requests=dict(questions), request_state=state and signed(state)
        )

    return run


async def with_logging(request: Request, _params: Any) -> Result:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await request.session.send_log_message("info", words, related_request_id=request.request_id)
        await anyio.sleep(0.05)
    return said(text("Logged."))


async def with_progress(request: Request, _params: Any) -> Result:
    token = (request.meta or {}).get("progress_token", 0)
    for done in (0, 50, 100):
        related = str(request.request_id)
        await request.session.send_progress_notification(
            token, done, 100, related_request_id=related
        )
        await anyio.sleep(0.05)
    return said(text("Progressed."))


async def sampling(request: Request, params: Any) -> Result:
    message = types.SamplingMessage(role="user", content=text(params.arguments["prompt"]))
    answer = await request.session.create_message(
        [message], max_tokens=100, related_request_id=request.request_id
    )
    return said(text(f"LLM response: {getattr(answer.content, 'text', '')}"))


def eliciting(
    begin: str, schema: Mapping[str, Any], message: str | None = None
) -> Callable[[Request, Any], Awaitable[Result]]:
    async def run(request: Request, params: Any) -> Result:
        asked = message or params.arguments["message"]
        answer = await request.session.elicit_form(
            asked, {"type": "object", **schema}, related_request_id=request.request_id
        )
        return said(text(f"{begin}: action={answer.action}, content={json.dumps(answer.content)}"))

    return run


async def capabilities(request: Request, params: Any) -> Result:
    """Ask only what the client says that it can answer."""
    declared = _declared(request)
    questions: dict[str, Any] = {}
    if declared.get("sampling") is not None:
        questions["question"] = sample("Which one?", 50)
    if declared.get("elicitation") is not None:
        questions["form"] = form("Which one?", name=_TEXT)
    return await ask_first(questions, lambda _: "Known.")(request, params)


async def missing_capability(request: Request, _params: Any) -> Result:
    if _declared(request).get("sampling") is None:
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "sampling is needed",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return said(text("It is there."))


def _declared(request: Request) -> Mapping[str, Any]:
    found: Any = (request.meta or {}).get(types.CLIENT_CAPABILITIES_META_KEY) or {}
    return found if isinstance(found, dict) else dict(found.model_dump(by_alias=True))


async def multi_round(_request: Request, params: Any) -> Result:
    known, answers = checked_state(params), params.input_responses or {}
    if known == "second" and "step2" in answers:
        return said(text(f"Done: {answers['step2'].content}"))
    step, state = (
        ("step2", "second") if known == "first" and "step1" in answers else ("step1", "first")
    )
    asked = form(f"{step}: what is it?", name=_NAME)
    return types.InputRequiredResult(input_requests={step: asked}, request_state=signed(state))


def fixed(*content: Any, is_error: bool = False) -> Callable[[Request, Any], Awaitable[Result]]:
    async def run(_request: Request, _params: Any) -> Result:
        return said(*content, is_error=is_error)

    return run


_WHO = {"user_name": form("What is your name?", name=_TEXT)}
_CONFIRM = {"confirm": form("Please confirm", ok={"type": "boolean"})}
_ROOTS = {"client_roots": types.ListRootsRequest()}
_MANY = {**_WHO, "greeting": sample("Generate a greeting", 50), **_ROOTS}
_ANY: dict[str, Any] = {"type": "object"}
_REGION = {"region": {"type": "string", "x-mcp-header": "Region"}}
_SCHEMAS = {
    "json_schema_2020_12_tool": DATA["schema"],
    "test_x_mcp_header": {**_ANY, "properties": _REGION},
}
"""Schemas of the arguments of tools."""
TOOLS: dict[str, Callable[[Request, Any], Awaitable[Result]]] = {
    "test_simple_text": fixed(text("A text.")),
    "test_logging_tool": fixed(text("A text.")),
    "test_error_handling": fixed(text("this tool always fails"), is_error=True),
    "json_schema_2020_12_tool": fixed(text("A text.")),
    "test_x_mcp_header": fixed(text("A text.")),
    "test_image_content": fixed(image()),
    "test_audio_content": fixed(
        types.AudioContent(type="audio", data=DATA["wav"], mime_type="audio/wav")
    ),
    "test_embedded_resource": fixed(
        embedded("test://embedded-resource", "This is an embedded resource content.")
    ),
    "test_multiple_content_types": fixed(
        text("Multiple content types test:"),
        image(),
        embedded(
            "test://mixed-content-resource", '{"test":"data","value":123}', "application/json"
        ),
    ),
    "test_tool_with_logging": with_logging,
    "test_tool_with_progress": with_progress,
    "test_sampling": sampling,
    "test_elicitation": eliciting(
        "User response",
        {"properties": {"username": _TEXT, "email": _TEXT}, "required": ["username", "email"]},
    ),
    "test_elicitation_sep1034_defaults": eliciting(
        "Elicitation completed", {"properties": DATA["defaults"]}, "Please review"
    ),
    "test_elicitation_sep1330_enums": eliciting(
        "Elicitation completed", {"properties": DATA["enums"]}, "Please choose"
    ),
    "test_input_required_result_elicitation": ask_first(
        _WHO, lambda answers: f"Hello, {answers['user_name'].content['name']}!"
    ),
    "test_input_required_result_sampling": ask_first(
        {"capital_question": sample("What is the capital of France?", 100)},
        lambda answers: f"The answer: {answers['capital_question'].content}",
    ),
    "test_input_required_result_list_roots": ask_first(
        _ROOTS, lambda answers: f"Roots: {answers['client_roots'].roots}"
    ),
    "test_input_required_result_request_state": ask_first(_CONFIRM, lambda _: "state-ok", "asked"),
    "test_input_required_result_tampered_state": ask_first(_CONFIRM, lambda _: "fine", "sealed"),
    "test_input_required_result_multiple_inputs": ask_first(_MANY, lambda _: "all here", "many"),
    "test_input_required_result_multi_round": multi_round,
    "test_input_required_result_capabilities": capabilities,
    "test_missing_capability": missing_capability,
    "test_streaming_elicitation": ask_first(_WHO, lambda _: "Streamed."),
}
_PROMPTS = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
    "test_input_required_result_prompt": [],
}


class SuiteServer(MemoryServer):
    """The server of the product with the tools, prompts and resources of the suite."""

    def protocol_server(self, **more: Any) -> Server[Any]:
        return super().protocol_server(
            on_completion=self._complete, on_set_logging_level=self._set_level, **more
        )

    async def _complete(self, _request: Request, _params: Any) -> types.CompleteResult:
        values = types.Completion(values=["paris", "park", "party"], total=3, has_more=False)
        return types.CompleteResult(completion=values)

    async def _set_level(self, _request: Request, _params: Any) -> types.EmptyResult:
        return types.EmptyResult()

    async def _list_tools(self, request: Request, params: Any) -> types.ListToolsResult:
        own = await super()._list_tools(request, params)
        more = [
            types.Tool(
                name=name,
                description="A tool of the suite.",
                input_schema=_SCHEMAS.get(name, _ANY),
            )
            for name in TOOLS
        ]
        return types.ListToolsResult(tools=[*own.tools, *more])

    async def _call_tool(self, request: Request, params: Any) -> Any:
        if params.name in TOOLS:
            return await TOOLS[params.name](request, params)
        return await super()._call_tool(request, params)

    async def _list_resources(self, request: Request, params: Any) -> types.ListResourcesResult:
        own = await super()._list_resources(request, params)
        more = types.Resource(uri="test://static-text", name="static-text", mime_type="text/plain")
        return types.ListResourcesResult(resources=[*own.resources, more])

    async def _read_resource(self, request: Request, params: Any) -> types.ReadResourceResult:
        part: types.BlobResourceContents | types.TextResourceContents
        match uri := str(params.uri):
            case "test://static-binary":
                part = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
            case "test://static-text":
                part = embedded(uri, "A text.").resource
            case "test://template/123/data":
                data = {"id": "123", "templateTest": True, "data": "Data for ID: 123"}
                part = embedded(uri, json.dumps(data), "application/json").resource
            case _:
                return await super()._read_resource(request, params)
        return types.ReadResourceResult(contents=[part])

    async def _list_prompts(self, request: Request, params: Any) -> types.ListPromptsResult:
        own = await super()._list_prompts(request, params)
        more = [
            types.Prompt(
                name=name,
                description="A prompt of the suite.",
                arguments=[types.PromptArgument(name=each, required=True) for each in arguments],
            )
            for name, arguments in _PROMPTS.items()
        ]
        return types.ListPromptsResult(prompts=[*own.prompts, *more])

    async def _get_prompt(self, request: Request, params: Any) -> Any:
        given = params.arguments or {}
        match params.name:
            case "test_simple_prompt":
                return prompted(text("A prompt."))
            case "test_prompt_with_arguments":
                return prompted(text(" ".join(given.values())))
            case "test_prompt_with_embedded_resource":
                part = embedded(given["resourceUri"], "Embedded resource content for testing.")
                return prompted(part, text("Please process the embedded resource above."))
            case "test_prompt_with_image":
                return prompted(image(), text("Please analyze the image above."))
            case "test_input_required_result_prompt":
                asked: dict[str, types.InputRequest] = {
                    "user_context": form("Which context?", context=_TEXT)
                }
                if "user_context" not in (params.input_responses or {}):
                    return types.InputRequiredResult(input_requests=asked)
                return prompted(text("With context."))
        return await super()._get_prompt(request, params)


def prompted(*parts: Any) -> types.GetPromptResult:
    messages = [types.PromptMessage(role="user", content=part) for part in parts]
    return types.GetPromptResult(description="A prompt of the suite.", messages=messages)
