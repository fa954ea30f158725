"""Take the pictures of the console: `scripts/screenshots`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

import erstwhile
from erstwhile.servers.demo import fill_demo
from tests.servers.test_console import BROWSER, FLAGS, Console, served

PICTURES: dict[str, dict[str, Any]] = {
    "overview": {"view": ""},
    "time": {"view": "time"},
    "time-dark": {"view": "time", "color_scheme": "dark"},
    "review": {"view": "review"},
    "recall": {"view": "recall?q=Which database does the shop run on?", "press": "Ask"},
}
SIZE = {"width": 1280, "height": 860}


def main(folder: Path) -> None:
    with TemporaryDirectory() as temporary, sync_playwright() as playwright:
        file = Path(temporary) / "demo.db"
        fill_demo(str(file))
        browser = playwright.chromium.launch(executable_path=BROWSER, args=list(FLAGS))
        with (
            erstwhile.open(file, llm="none") as memory,
            served(memory, Path(temporary)) as (address, secret),
        ):
            console = Console(browser, memory, address, secret)
            for name, options in PICTURES.items():
                take(console, folder / f"{name}.png", **{"viewport": SIZE, **options})
            console.close()


def take(console: Console, file: Path, view: str, press: str = "", **options: Any) -> None:
    page = console.open(**options)
    console.go(page, view)
    if press:
        page.get_by_role("button", name=press, exact=True).click()
    page.wait_for_timeout(1_500)
    page.screenshot(path=file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
