"""Hostile memory, tokens, other origins, and the size of the first view."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import erstwhile
from erstwhile.servers.tokens import Right
from tests.servers.console.browser import Console, served
from tests.servers.console.views import VIEWS
from tests.servers.http_server import send

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
LINK = "javascript:document.title='owned'"
FIRST_VIEW = 200_000


def test_hostile_text_in_every_field_is_shown_as_text(console: Console) -> None:
    ana = console.memory.scoped(user="ana")
    fact = ana.remember(
        HOSTILE, entities=[HOSTILE[:60], LINK], tags=["<b>", LINK], kind="instruction",
        relations=[(HOSTILE[:60], "<i>", LINK)], metadata={"<u>": HOSTILE}, key="<b>key</b>",
    )  # fmt: skip
    ana.facts.pin(fact.id, reason=HOSTILE)
    ana.remember(f"{HOSTILE} again", origin="web")
    ana.blocks.add("hostile", HOSTILE, description=HOSTILE)
    turn = ana.observe_turn(HOSTILE, HOSTILE, tools=[HOSTILE], wait=True)
    ana.tasks.add(HOSTILE)
    ana.lessons.add("<i>", HOSTILE)
    ana.limitations.add(HOSTILE, description=HOSTILE)
    ana.observations.add(type="discovery", title=HOSTILE, learned=HOSTILE)
    ana.outcomes.add("<i>", 1, note=HOSTILE)
    ana.usage.record("<script>", input=1, output=1)
    ana.snapshots.create(HOSTILE[:100], description=HOSTILE)
    page = console.open()

    shown = 0
    for view in (*VIEWS, f"facts/{fact.id}", f"conversations/{turn.conversation}"):
        console.go(page, view)
        assert "owned" not in page.title()
        assert page.locator("#app img[src=x], #app script, #app a[href^=javascript]").count() == 0
        shown += "onerror=" in page.locator("#app").inner_text()
    assert shown > 10


def test_a_page_of_another_origin_changes_nothing(
    console: Console, browser: Browser, attacker: str
) -> None:
    page = browser.new_page()
    page.goto(attacker)
    answers = page.evaluate(
        """async ([address, secret]) => {
          const planted = { method: "POST", body: '{"text": "planted"}' };
          const send = (options) => fetch(`${address}/v1/facts`, { ...planted, ...options })
            .then((found) => found.status, () => "refused");
          return [
            await send({ mode: "no-cors", credentials: "include" }),
            await send({ headers: { Authorization: `Bearer ${secret}` } }),
            await send({ headers: { "Content-Type": "application/json" } }),
          ];
        }""",
        [console.address, console.secret],
    )
    page.close()

    assert answers[1:] == ["refused", "refused"]
    assert not console.memory.everything().facts.list(contains="planted")


@pytest.fixture
def attacker() -> Iterator[str]:
    """Yield the address of a page of another origin."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>other</title>")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_policy_allows_nothing_but_the_server(console: Console) -> None:
    port = int(console.address.rpartition(":")[2])
    headers = send(port, "GET", "/console/").headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy

    page = console.open(view="")
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'document.title="
        '"owned"\'; document.body.append(s) }'
    )

    assert "owned" not in page.title()
    assert any("Content Security Policy" in problem for problem in console.problems)
    console.problems.clear()


def test_the_token_of_an_agent_sees_its_scope_and_decides_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    with erstwhile.open(":memory:", embedder="none") as memory:
        ana = memory.scoped(user="ana")
        ana.remember("Ana likes tea")
        ana.remember("Ana likes mate", origin="web")
        memory.scoped(user="ben").remember("Ben likes coffee")
        agent = {"scope": ana.scope, "right": Right.WRITE, "person": False}
        with served(browser, memory, tmp_path, **agent) as console:
            page = console.open("facts")
            expect(page.get_by_text("Ana likes tea")).to_be_visible()
            expect(page.locator(".top")).to_contain_text("person, an agent")
            for view in VIEWS:
                console.go(page, view)
                expect(page.get_by_text("Ben likes coffee")).to_have_count(0)
                expect(page.locator(".notice[role=alert]")).to_have_count(0)
            console.go(page, "review")
            expect(page.get_by_text("This token acts as an agent.")).to_be_visible()
            expect(page.get_by_role("button", name="Keep", exact=True)).to_be_disabled()
            page.keyboard.press("y")
            console.go(page, "facts")
            assert console.problems == []
        assert len(ana.quarantine.list()) == 1


def test_a_wrong_token_opens_nothing(browser: Browser, console: Console) -> None:
    page = browser.new_page()
    page.goto(f"{console.address}/console/")
    page.get_by_label("Token").fill("erstwhile_wrong")
    page.get_by_role("button", name="Open the console").click()
    expect(page.get_by_role("alert")).to_contain_text("a valid token is needed")
    page.close()


def test_the_first_view_is_small(console: Console) -> None:
    page = console.open()
    sizes = page.evaluate(
        "() => performance.getEntries().filter(e => e.name.includes('/console/'))"
        ".map(e => [e.name, e.transferSize])"
    )
    assert len(sizes) > 10
    assert sum(size for _, size in sizes) < FIRST_VIEW
