"""Resources, subscriptions and prompts of the MCP server."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client, MCPError
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated

from erstwhile import Memory
from erstwhile.servers.mcp.resources import memory_surface
from erstwhile.servers.mcp.server import MemoryServer, Watching
from erstwhile.servers.options import MEMORY, THREADS
from tests.servers.talking import Talk, run_talk, server_for

pytestmark = pytest.mark.anyio


async def read(talk: Talk, uri: str) -> str:
    [part] = (await talk.client.read_resource(uri)).contents
    assert isinstance(part, types.TextResourceContents)
    return part.text


async def test_profile_facts_and_blocks_are_resources(memory: Memory, talk: Talk) -> None:
    memory.facts.set("city", "Porto")
    fact = memory.remember("Ana likes tea")
    memory.remember("Cite sources", kind="instruction")
    memory.blocks.add("projects/shop käse", "Uses pnpm", description="The shop")
    listed = (await talk.client.list_resources()).resources
    fixed = [
        "memory://profile", "memory://facts", "memory://instructions", "memory://blocks",
    ]  # fmt: skip
    block = "memory://blocks/projects/shop%20k%C3%A4se"
    assert [str(each.uri) for each in listed] == [*fixed, block]
    templates = (await talk.client.list_resource_templates()).resource_templates
    assert [each.uri_template for each in templates] == [
        "memory://facts/{id}", "memory://blocks/{+name}",
    ]  # fmt: skip
    assert "Porto" in await read(talk, "memory://profile")
    facts = json.loads(await read(talk, "memory://facts"))
    assert [each["text"] for each in facts] == ["Cite sources", "Ana likes tea", "Porto"]
    [told] = json.loads(await read(talk, "memory://instructions"))
    assert told["text"] == "Cite sources"
    assert json.loads(await read(talk, f"memory://facts/{fact.short_id}"))["kind"] == "fact"
    assert await read(talk, block) == "Uses pnpm"
    assert json.loads(await read(talk, "memory://blocks"))[0]["description"] == "The shop"


ABSENT = (
    "memory://cats", "memory://profile/x", "memory://", "memory://blocks/none", "memory:profile",
    "memory://blocks/../../x", "memory://facts/01a1e8ae-0000", "memory://facts/%00",
    "file:///etc/passwd",
)  # fmt: skip


async def test_what_is_not_there_is_told_with_its_address(talk: Talk) -> None:
    for uri in ABSENT:
        with pytest.raises(MCPError) as told:
            await read(talk, uri)
        assert (told.value.error.code, told.value.error.data) == (-32602, {"uri": uri})


def test_resources_and_prompts_go_with_their_group(memory: Memory) -> None:
    memory.blocks.add("notes", "x")

    async def story(talk: Talk) -> None:
        listed = (await talk.client.list_resources()).resources
        assert [str(each.uri) for each in listed] == [
            "memory://profile", "memory://facts", "memory://instructions",
        ]  # fmt: skip
        with pytest.raises(MCPError, match="not found"):
            await read(talk, "memory://blocks/notes")

    run_talk(server_for(memory_surface(["blocks"]), memory), story)
    assert memory_surface(["facts"]).prompts == ()


def test_a_subscriber_of_today_hears_of_changes(memory: Memory) -> None:
    """Of those of this client, and of those that others make to the same memory."""
    server = MemoryServer(memory_surface(), memory, every=0.05).protocol_server()
    heard = list[Any]()

    async def story(talk: Talk) -> None:
        uris = ["memory://profile", "memory://blocks/notes"]
        listening = talk.client.listen(resource_subscriptions=uris, resources_list_changed=True)
        async with listening as events:
            await talk("blocks", action="create", block="notes", text="x")
            heard.extend([await anext(events), await anext(events)])
            await anyio.to_thread.run_sync(memory.facts.set, "city", "Porto")
            heard.append(await anext(events))

    run_talk(server, story)
    made = {ResourceUpdated(uri="memory://blocks/notes"), ResourcesListChanged()}
    assert (set(heard[:2]), heard[2:]) == (made, [ResourceUpdated(uri="memory://profile")])


def test_a_client_listens_to_a_limited_number_of_resources(memory: Memory) -> None:
    """Each is read when the client begins to listen."""

    async def story(talk: Talk) -> None:
        uris = [f"memory://facts/{number}" for number in range(101)]
        async with talk.client.listen(resource_subscriptions=uris):
            pass

    with pytest.raises(ExceptionGroup) as told:
        run_talk(server_for(memory_surface(), memory), story)
    assert told.group_contains(MCPError, match="at most 100 resources")


@pytest.mark.filterwarnings("ignore:resources/:UserWarning")
def test_a_subscriber_of_the_older_era_hears_of_changes_until_it_ends_them(memory: Memory) -> None:
    server = MemoryServer(memory_surface(), memory, every=0.05).protocol_server()
    heard = list[str]()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))

    async def session() -> None:
        with anyio.fail_after(60):
            async with Client(server, mode="legacy", message_handler=hear) as client:
                for uri in ("memory://profile", "memory://facts"):
                    await client.subscribe_resource(uri)
                await client.unsubscribe_resource("memory://facts")
                await client.call_tool("remember", {"text": "Porto", "key": "city"})
                while not heard:
                    await anyio.sleep(0.02)

    anyio.run(session)
    assert heard == ["memory://profile"]


def test_many_subscriptions_of_one_client_end_none_of_another() -> None:
    """The oldest of the one that has too many ends."""
    watching, texts, heard = Watching(0.01), {"text": "before"}, list[str]()

    async def text() -> str:
        return texts["text"]

    async def story() -> None:
        for owner, count in (("other", 1), ("greedy", 101)):
            for number in range(count):
                name = f"{owner} {number}"

                async def tell(name: str = name) -> None:
                    heard.append(name)

                await watching.add(name, text, tell, owner)
        texts["text"] = "after"
        with anyio.move_on_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watching.run)
                while len(heard) < 101:
                    await anyio.sleep(0.01)
                tasks.cancel_scope.cancel()

    anyio.run(story)
    assert heard == ["other 0", *(f"greedy {number}" for number in range(1, 101))]


def test_a_slow_resource_of_one_client_delays_none_of_another() -> None:
    watching, texts, heard = Watching(0.01), {"text": "before"}, anyio.Event()

    async def slow() -> str:
        if texts["text"] == "after":
            await anyio.sleep_forever()
        return "slow"

    async def text() -> str:
        return texts["text"]

    async def story() -> None:
        for name, read in (("slow", slow), ("quick", text)):
            await watching.add(name, read, _tell(heard), name)
        texts["text"] = "after"
        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watching.run)
                await heard.wait()
                tasks.cancel_scope.cancel()

    anyio.run(story)


def _tell(heard: anyio.Event) -> Callable[[], Awaitable[None]]:
    async def tell() -> None:
        heard.set()

    return tell


async def test_subscriptions_are_read_on_the_threads_of_their_token(memory: Memory) -> None:
    """Otherwise a client reads all its resources at once, and nobody counts it as greedy."""
    used = list[bool]()

    async def run(call: Callable[..., Any], *arguments: Any, heavy: bool = False) -> Any:
        used.append(heavy)
        return call(*arguments)

    async def notify(_uri: str) -> None: ...

    asked = SimpleNamespace(scope={THREADS: run, MEMORY: memory}, headers={})
    session = SimpleNamespace(client_params=None, send_resource_updated=notify)
    request: Any = SimpleNamespace(request=asked, session=session)
    server = MemoryServer(memory_surface())
    await server._subscribe(request, types.SubscribeRequestParams(uri="memory://profile"))
    assert used == [True]


async def test_the_prompts_bring_what_they_are_about(memory: Memory, talk: Talk) -> None:
    memory.facts.set("city", "Porto")
    memory.remember("Ana likes {tea}")

    async def text(name: str, **given: str) -> str:
        [said] = (await talk.client.get_prompt(name, given)).messages
        assert isinstance(said.content, types.TextContent)
        return said.content.text

    names = [each.name for each in (await talk.client.list_prompts()).prompts]
    assert names == ["about_me", "review_learned", "end_of_session"]
    assert "city: Porto" in await text("about_me")
    assert "about me about tea," in await text("about_me", subject="tea")
    assert '"text": "Ana likes {tea}"' in await text("review_learned")
    assert "`remember`" in await text("end_of_session")
    with pytest.raises(MCPError, match="Unknown prompt: cats"):
        await text("cats")
