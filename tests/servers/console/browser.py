"""A headless Chromium on the console of a served memory."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from erstwhile import Memory
from erstwhile.servers.app import build_app
from erstwhile.servers.console import console_routes
from erstwhile.servers.http.api import HttpApi
from erstwhile.servers.options import ServerOptions
from erstwhile.servers.tokens import Right, Spaces, TokenFile
from tests.servers.http_server import serving

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
_PATIENCE = 20_000
"""Milliseconds that a busy machine may take."""


class Console:
    """A served memory, a token for it, and the pages that were opened with it."""

    def __init__(self, browser: Browser, memory: Memory, address: str, secret: str) -> None:
        self.memory, self.address, self.secret = memory, address, secret
        self.location = ""
        """Where another program finds the memory."""
        self._browser = browser
        self._pages = list[Page]()
        self.problems = list[str]()
        self.expected = list[str]()
        """Parts of addresses that may fail, such as that of an erased fact."""

    def open(self, view: str = "", **options: Any) -> Page:
        """Open a view with the token. Collect what goes wrong in it."""
        page = self._browser.new_page(**options)
        page.set_default_timeout(_PATIENCE)
        self._pages.append(page)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._heard)
        page.on("request", self._asked)
        page.goto(f"{self.address}/console/#token={self.secret}")
        expect(page.locator("#title")).to_be_visible()
        self.go(page, view)
        return page

    def go(self, page: Page, view: str) -> None:
        """Open another view, and wait until it has loaded."""
        page.evaluate("hash => { location.hash = hash }", f"#/{view}")
        page.wait_for_function(
            "() => document.querySelector('main')?.dataset.address === location.hash"
            " && document.querySelector('#title') && !document.querySelector('.loading')"
        )

    def close(self) -> None:
        for page in self._pages:
            page.close()

    def _heard(self, message: Any) -> None:
        allowed = any(part in message.location["url"] for part in self.expected)
        if message.type == "error" and not allowed:
            self.problems.append(f"{message.text} {message.location['url']}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:")):
            self.problems.append(f"asked {request.url}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Debian's browser; nothing is downloaded."""
    expect.set_options(timeout=_PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=list(_FLAGS))
        yield browser
        browser.close()


@contextmanager
def served(browser: Browser, memory: Memory, folder: Path, **token: Any) -> Iterator[Console]:
    """Serve a memory with its console, and make a token."""
    tokens = TokenFile(folder / "tokens")
    made = tokens.make("person", **{"right": Right.ADMIN, "person": True, **token})
    apps = {"/v1": HttpApi()}
    spaces = Spaces(memory, "main").memory_of
    app = build_app(apps, tokens, spaces, ServerOptions(), routes=console_routes())
    with serving(app) as server:
        console = Console(browser, memory, f"http://127.0.0.1:{server.port}", made.secret)
        yield console
        console.close()
