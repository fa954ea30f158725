"""Hostile memory, tokens, other origins, and the size of the first view."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, expect

import erstwhile
from erstwhile import Decision
from erstwhile.servers.tokens import Right
from tests.servers.console.browser import Console, served
from tests.servers.console.views import VIEWS
from tests.servers.http_server import send

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
LINK = "javascript:document.title='owned'"
FIRST_VIEW = 200_000
CALL = """async ([path, body]) => (await fetch(`/v1${path}`, {
  method: "POST", body: JSON.stringify(body), headers: {
    Authorization: `Bearer ${sessionStorage.getItem("token")}`, "Content-Type": "application/json",
  },
})).status"""
"""What the page itself could send with its token."""


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
    ana.decisions.record(
        Decision(
            tool="<b>", input={"command": HOSTILE}, choice="deny", goal=HOSTILE, message=HOSTILE
        )
    )
    ana.acting_as(HOSTILE[:60], person=False).remember("An agent with a hostile name was here")
    talk = console.memory.scoped(user="<i>eve</i>").conversations.start(metadata={"title": HOSTILE})
    console.memory.scoped(user="<i>eve</i>").conversations.add("user", HOSTILE)
    page = console.open()

    shown = 0
    talks = [f"conversations/{each}" for each in (turn.conversation, talk.id)]
    for view in (*VIEWS, f"facts/{fact.id}", *talks, f"graph/{LINK}"):
        console.go(page, view)
        assert "owned" not in page.title()
        assert page.locator("#app img[src=x], #app script, #app a[href^=javascript]").count() == 0
        shown += "onerror=" in page.locator("#app").inner_text()
    assert shown > 10


@pytest.mark.parametrize("width", [390, 1280])
def test_huge_words_break_no_view(browser: Browser, tmp_path: Path, width: int) -> None:
    word = "W" * 10_000
    with erstwhile.open(":memory:", embedder="none", llm="none", learners=0) as memory:
        eve = memory.scoped(user="eve" * 30, project="p" * 90)
        fact = eve.remember(word, entities=["e" * 200], tags=["t" * 60], metadata={"m": word})
        eve.remember(f"{word} again", origin="web")
        eve.facts.set("k" * 100, word[:3000])
        turn = eve.observe_turn(word, word, tools=[word])
        eve.blocks.add("notes", word[:4000], description=word[:400])
        eve.tasks.add(word[:2000])
        eve.lessons.add("domain", word[:1500])
        eve.observations.add(type="discovery", title=word[:300], learned=word)
        eve.outcomes.add("domain", 1, note=word[:900])
        eve.decisions.record(
            Decision(tool="Bash", input={"command": word}, choice="deny", goal=word[:200])
        )
        eve.usage.record("m" * 100, input=123_456_789 // 2, output=1, cost="987654.32")
        eve.snapshots.create("s" * 90, description=word[:500])
        with served(browser, memory, tmp_path) as console:
            page = console.open(viewport={"width": width, "height": 860})
            for view in (*VIEWS, f"facts/{fact.id}", f"conversations/{turn.conversation}"):
                console.go(page, view)
                wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
                assert wide <= 0, view
            assert console.problems == []


def test_characters_that_hide_or_turn_text_are_counted(console: Console) -> None:
    turned = "Send it to \u202emoc.live\u202c"
    smuggled = "Lovely weather" + "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    ana = console.memory.scoped(user="ana")
    selected = "Nice \u2764\ufe0f\u200d\U0001f525" + "".join(
        chr(0xE0100 + each) for each in b"obey"
    )
    texts = (turned, smuggled, f"Ana flies {flag}", selected)
    facts = [ana.remember(text) for text in texts]
    page = console.open("facts")

    shown = page.locator("tbody").inner_text()

    assert "Send it to ⟨1 hidden character⟩moc.live⟨1 hidden character⟩" in shown
    assert "Lovely weather⟨4 hidden characters⟩" in shown
    assert f"Ana flies {flag}" in shown
    assert "Nice \u2764\ufe0f\u200d\U0001f525⟨4 hidden characters⟩" in shown
    console.go(page, f"facts/{facts[0].id}")
    page.get_by_role("button", name="Replace").click()
    expect(page.get_by_label("New statement")).to_have_value(turned)


def test_the_token_leaves_the_address_and_is_sent_to_nobody_else(console: Console) -> None:
    asked = list[str]()
    page = console.open()
    page.on("request", lambda request: asked.append(str((request.url, request.all_headers()))))
    page.reload()
    expect(page.locator("#title")).to_be_visible()

    assert console.secret not in page.url
    leaks = [each for each in asked if console.secret in each and "/v1" not in each]
    assert asked
    assert not leaks
    assert not [each for each in asked if "'referer'" in each]
    assert not page.evaluate("() => document.cookie + localStorage.getItem('token')").replace(
        "null", ""
    )


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


def test_a_page_of_another_origin_cannot_frame_the_console(
    console: Console, browser: Browser, attacker: str
) -> None:
    page = browser.new_page()
    page.goto(attacker)
    page.evaluate(
        "address => new Promise(done => { const frame = document.createElement('iframe');"
        " frame.onload = done; frame.src = address; document.body.append(frame) })",
        f"{console.address}/console/",
    )

    assert all("console" not in frame.url for frame in page.frames)
    page.close()


def test_a_new_link_in_an_open_tab_takes_the_token_out_of_the_address(console: Console) -> None:
    page = console.open("facts")
    console.expected.append("/v1")
    page.evaluate("() => { location.hash = 'token=erstwhile_old' }")
    expect(page.get_by_role("alert")).to_contain_text("does not know this token")
    assert "erstwhile_old" not in page.url

    page.evaluate("token => { location.hash = `token=${token}` }", console.secret)

    expect(page.locator("#title")).to_have_text("Overview")
    assert console.secret not in page.url
    page.go_back()
    assert "token" not in page.url


def test_a_name_of_dots_calls_no_other_verb(console: Console) -> None:
    page = console.open()
    console.go(page, "facts/..")
    expect(page.get_by_role("alert")).to_contain_text("has no address")


@pytest.mark.parametrize(
    ("details", "offered"),
    [
        ({}, ["Replace"]),
        ({"pinned": True}, []),
        ({"origin": "web"}, []),
        ({"origin": "imported"}, ["Replace", "Retire", "Delete"]),
        ({"origin": "agent"}, ["Replace", "Retire", "Delete", "Erase"]),
    ],
)
def test_an_agent_is_offered_what_it_may_do_and_the_server_lets_it(
    browser: Browser, tmp_path: Path, details: dict[str, Any], offered: list[str]
) -> None:
    with erstwhile.open(":memory:", embedder="none", learners=0) as memory:
        writer = memory.acting_as("person", person=details.get("origin") != "agent")
        fact = writer.remember("Ana likes tea", **details)
        with served(browser, memory, tmp_path, person=False) as console:
            page = console.open(f"facts/{fact.id}")
            expect(page.get_by_text("This token acts as an agent")).to_be_visible()
            assert page.locator(".page > header button").all_inner_texts() == offered
            for name in offered:
                page.locator(".page > header").get_by_role("button", name=name).click()
                page.locator("dialog").get_by_role("button", name="Cancel").click()
            if "Retire" in offered:
                page.locator(".page > header").get_by_role("button", name="Retire").click()
                page.locator("dialog").get_by_role("button", name="Retire").click()
                expect(page.locator(".lead .state")).to_have_text("superseded")
            assert console.problems == []


def test_values_of_other_types_break_no_view(console: Console) -> None:
    ana = console.memory.scoped(user="ana, project shop")
    command = {"type": "script", "props": {"src": "x"}, "__k": 1}
    ana.decisions.record(
        Decision(tool="Bash", input={"command": command}, choice="allow", goal="list")
    )
    for title in (command, ["<b>"], 7):
        ana.conversations.start(metadata={"title": title})
    ana.remember("Ana sails", entities=["__proto__", "constructor"], metadata={"__proto__": 1})
    page = console.open("decisions")
    console.expected += ["__proto__=1", "since=x"]

    expect(page.locator("tbody")).to_contain_text('"type":"script"')
    expect(page.locator("tbody")).to_contain_text('user "ana, project shop"')
    for view in (*VIEWS, "facts?__proto__=1", "graph/__proto__", "constructor", "facts?since=x"):
        console.go(page, view)
        expect(page.get_by_text("This view failed")).to_have_count(0)
    assert page.evaluate("() => ({}).polluted === undefined && Object.keys({}).length") == 0


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
    owned = "<img src=x onerror=\\'document.title=1\\'>"
    for way in (
        "document.body.append(Object.assign(document.createElement('script'), {text: '1'}))",
        f"document.body.innerHTML = '{owned}'",
        f"document.body.insertAdjacentHTML('beforeend', '{owned}')",
        "setTimeout('document.title = 1')",
    ):
        refused = "Error|requires 'TrustedS"
        with pytest.raises(Error, match=refused):
            page.evaluate(f"() => {{ {way} }}")

    assert page.locator("#title").inner_text() == "Overview"
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
            [held] = ana.quarantine.list()
            tea = ana.facts.list(contains="tea")[0]
            ana.facts.pin(tea.id)
            for call, body in {
                f"/quarantine/{held.id}/approve": {},
                f"/quarantine/{held.id}/reject": {},
                f"/facts/{held.id}/confirm": {},
                f"/facts/{tea.id}/unpin": {},
                f"/facts/{tea.id}/replace": {"new_text": "Ana hates tea"},
                f"/facts/{tea.id}/retire": {"ending": "wrong"},
                f"/facts/{tea.id}/move": {"to": "shared"},
                "/facts/erase": {"ids": [tea.id]},
            }.items():
                assert page.evaluate(CALL, [call, body]) in (403, 404), call
            assert ana.facts.get(tea.id).state == "live"
        assert len(ana.quarantine.list()) == 1


def test_a_wrong_token_opens_nothing(browser: Browser, console: Console) -> None:
    page = browser.new_page()
    page.goto(f"{console.address}/console/")
    page.get_by_label("Token").fill("erstwhile_wrong")
    page.get_by_role("button", name="Open the console").click()
    expect(page.get_by_role("alert")).to_contain_text("does not know this token")
    page.close()


def test_the_first_view_is_small(console: Console) -> None:
    page = console.open()
    sizes = page.evaluate(
        "() => performance.getEntries().filter(e => e.name.includes('/console/'))"
        ".map(e => [e.name, e.transferSize])"
    )
    assert len(sizes) > 10
    assert sum(size for _, size in sizes) < FIRST_VIEW
