"""The console in a real browser: every view, hostile text, the keyboard, a phone, dark mode."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import erstwhile
from erstwhile import Memory
from erstwhile.servers.app import build_app
from erstwhile.servers.console import console_routes
from erstwhile.servers.demo import fill_demo
from erstwhile.servers.http.api import HttpApi
from erstwhile.servers.options import ServerOptions
from erstwhile.servers.tokens import Right, Spaces, TokenFile
from tests.servers.http_server import serving

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium here: apt install chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
VIEWS = {
    "": "Overview",
    "facts": "Facts",
    "time": "Two times",
    "graph": "Graph",
    "review": "Review",
    "recall": "Recall lab",
    "prompt": "Prompt preview",
    "instructions": "Instructions",
    "blocks": "Blocks",
    "conversations": "Conversations",
    "decisions": "Decisions",
    "tasks": "Tasks",
    "lessons": "Lessons",
    "usage": "Usage",
    "audit": "Audit",
    "snapshots": "Snapshots",
}
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
FIRST_VIEW = 200_000


class Console:
    """A served memory, a token of a person, and the pages that were opened."""

    def __init__(self, browser: Browser, memory: Memory, address: str, secret: str) -> None:
        self.memory, self.address, self.secret = memory, address, secret
        self._browser = browser
        self._pages = list[Page]()
        self.problems = list[str]()
        self.erased = ""
        """An id that an open page may still ask for, and then not find."""

    def open(self, view: str = "", **options: Any) -> Page:
        """Open a view as the person with the token. Collect what goes wrong in it."""
        page = self._browser.new_page(**options)
        self._pages.append(page)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._heard)
        page.on("request", self._asked)
        page.goto(f"{self.address}/console/#token={self.secret}")
        expect(page.locator("#title")).to_be_visible()
        self.go(page, view)
        return page

    def go(self, page: Page, view: str) -> None:
        page.evaluate("hash => { location.hash = hash }", f"#/{view}")
        page.wait_for_function("() => !document.querySelector('.loading')")

    def close(self) -> None:
        for page in self._pages:
            page.close()

    def _heard(self, message: Any) -> None:
        erased = self.erased and self.erased in message.location["url"]
        if message.type == "error" and not erased:
            self.problems.append(f"{message.text} {message.location['url']}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:")):
            self.problems.append(f"asked {request.url}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def served(memory: Memory, folder: Path, **token: Any) -> Iterator[tuple[str, str]]:
    """Serve a memory with its console; yield the address and the secret of a token."""
    tokens = TokenFile(folder / "tokens")
    made = tokens.make("person", **{"right": Right.ADMIN, "person": True, **token})
    app = build_app(
        {"/v1": HttpApi()},
        tokens,
        Spaces(memory, "main").memory_of,
        ServerOptions(),
        routes=console_routes(),
    )
    with serving(app) as server:
        yield f"http://127.0.0.1:{server.port}", made.secret


@pytest.fixture
def console(browser: Browser, tmp_path: Path) -> Iterator[Console]:
    fill_demo(str(tmp_path / "demo.db"))
    with (
        erstwhile.open(tmp_path / "demo.db", llm="none") as memory,
        served(memory, tmp_path) as (address, secret),
    ):
        console = Console(browser, memory, address, secret)
        yield console
        console.close()
        assert console.problems == []


def test_every_view_opens_without_an_error_or_a_request_to_elsewhere(console: Console) -> None:
    page = console.open()

    for view, title in VIEWS.items():
        console.go(page, view)
        expect(page.locator("#title")).to_have_text(title)
        expect(page.locator(".notice[role=alert]")).to_have_count(0)


def test_hostile_text_is_shown_as_text(console: Console) -> None:
    ana = console.memory.scoped(user="ana")
    fact = ana.remember(HOSTILE, entities=[HOSTILE[:60]], tags=["<b>"], kind="instruction")
    ana.remember(f"{HOSTILE} again", origin="web")
    ana.blocks.add("hostile", HOSTILE, description=HOSTILE)
    ana.observe_turn(HOSTILE, HOSTILE, wait=True)
    ana.tasks.add(HOSTILE)
    ana.lessons.add("<i>", HOSTILE)
    ana.snapshots.create(HOSTILE[:100])
    page = console.open()

    for view in (*VIEWS, f"facts/{fact.id}"):
        console.go(page, view)
        assert "owned" not in page.title()
        assert page.locator("#app img[src=x], #app script").count() == 0


def test_a_write_of_another_program_shows_up_without_reloading(console: Console) -> None:
    page = console.open("facts")

    console.memory.scoped(user="ana").remember("Ana bought a red kayak")

    expect(page.get_by_text("Ana bought a red kayak")).to_be_visible(timeout=20_000)


def test_the_cross_hair_moves_the_console_to_that_moment(console: Console) -> None:
    page = console.open("time")
    handle = page.get_by_role("slider")
    before = handle.get_attribute("aria-valuetext")
    handle.focus()

    for _ in range(8):
        page.keyboard.press("Shift+ArrowLeft")

    assert handle.get_attribute("aria-valuetext") != before
    console.go(page, "facts")
    expect(page.get_by_text("Back to now")).to_be_visible()
    expect(page.get_by_role("link", name="Lisbon")).to_be_visible()


def test_a_person_decides_with_the_keyboard_alone(console: Console) -> None:
    page = console.open("review")
    waiting = page.locator("article").count()
    page.keyboard.press("j")
    held = page.locator("article[aria-current=true] .quote").first.inner_text()

    page.keyboard.press("n")

    expect(page.locator("article")).to_have_count(waiting - 1)
    expect(page.get_by_text(held)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone")).to_be_visible()


def test_a_fact_is_replaced_and_erased_after_a_question(console: Console) -> None:
    fact = console.memory.scoped(user="ana").remember("Ana drives a blue van")
    page = console.open(f"facts/{fact.id}")
    page.get_by_role("button", name="Replace").click()
    page.get_by_label("New statement").fill("Ana drives a green van")
    page.locator("dialog").get_by_role("button", name="Replace").click()
    expect(page.locator("#title")).to_have_text("Ana drives a green van")

    console.erased = page.url.rpartition("/")[2]
    page.get_by_role("button", name="Erase").click()
    expect(page.locator("dialog")).to_contain_text("cannot be undone")
    page.get_by_role("button", name="Erase for good").click()

    expect(page.locator("#title")).to_have_text("Facts")
    texts = [each.text for each in console.memory.everything().facts.list(state="any", limit=100)]
    assert "Ana drives a green van" not in texts


def test_recall_and_prompt_answer_a_question(console: Console) -> None:
    page = console.open("recall?q=Which database does the shop run on?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("The shop runs on Postgres 17").first).to_be_visible()

    page.get_by_label("Memory of").select_option("user ana, project shop")
    console.go(page, "prompt?q=Which database does the shop run on?")

    expect(page.locator("pre").first).to_contain_text("Postgres 17")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_has_a_serious_barrier(console: Console, scheme: Any) -> None:
    axe = files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
    page = console.open(color_scheme=scheme, bypass_csp=True)
    page.add_script_tag(content=axe)

    for view in VIEWS:
        console.go(page, view)
        found = page.evaluate("() => axe.run()")["violations"]
        serious = [each for each in found if each["impact"] in ("serious", "critical")]
        shown = [(each["id"], each["nodes"][0]["html"][:120]) for each in serious]
        assert not shown, view


def test_a_phone_shows_every_view_without_scrolling_sideways(console: Console) -> None:
    page = console.open(viewport={"width": 390, "height": 844})

    for view in VIEWS:
        console.go(page, view)
        wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, view
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Graph").click()
    expect(page.locator("#title")).to_have_text("Graph")


def test_the_token_of_an_agent_sees_its_scope_and_decides_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    with erstwhile.open(":memory:", embedder="none") as memory:
        memory.scoped(user="ana").remember("Ana likes tea")
        memory.scoped(user="ben").remember("Ben likes coffee")
        scope = memory.scoped(user="ana").scope
        agent = {"scope": scope, "right": Right.WRITE, "person": False}
        with served(memory, tmp_path, **agent) as (address, secret):
            console = Console(browser, memory, address, secret)
            page = console.open("facts")
            expect(page.get_by_text("Ana likes tea")).to_be_visible()
            expect(page.get_by_text("Ben likes coffee")).to_have_count(0)
            console.close()


def test_a_wrong_token_opens_nothing(browser: Browser, tmp_path: Path) -> None:
    with (
        erstwhile.open(":memory:", embedder="none") as memory,
        served(memory, tmp_path) as (address, _),
    ):
        page = browser.new_page()
        page.goto(f"{address}/console/")
        page.get_by_label("Token").fill("erstwhile_wrong")
        page.get_by_role("button", name="Open the console").click()
        expect(page.get_by_role("alert")).to_contain_text("a valid token is needed")
        page.close()


def test_the_first_view_is_small() -> None:
    folder = files("erstwhile.servers.console").joinpath("static")
    first = ["index.html", "style.css", "app.js", "api.js", "ui.js", "state.js", "charts.js"]
    names = [*first, "views/overview.js", *(f"vendor/{n}.mjs" for n in ("preact", "hooks", "htm"))]
    sizes = [len(gzip.compress(folder.joinpath(name).read_bytes())) for name in names]
    assert sum(sizes) < FIRST_VIEW
