"""Take the pictures of the console: `scripts/screenshots`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import erstwhile
from erstwhile.servers.demo import fill_demo
from tests.servers.console.browser import Console, chromium, served

QUESTION = "Which database does the shop run on?"
EARLIER = ["Shift+ArrowDown"] * 8 + ["ArrowDown"] * 3 + ["Shift+ArrowLeft"] * 6
PICTURES: dict[str, dict[str, Any]] = {
    "time": {"view": "time", "keys": EARLIER},
    "review": {"view": "review"},
    "recall": {"view": f"recall?q={QUESTION}", "press": "Ask"},
    "prompt": {"view": f"prompt?q={QUESTION}", "scope": "user ana, project shop"},
    "overview": {"view": ""},
}
SIZE = {"width": 1280, "height": 860}


def main(folder: Path) -> None:
    with TemporaryDirectory() as temporary, chromium() as browser:
        file = Path(temporary) / "demo.db"
        fill_demo(str(file))
        with (
            erstwhile.open(file, llm="none") as memory,
            served(browser, memory, Path(temporary)) as console,
        ):
            memory.flush()
            for name, options in PICTURES.items():
                take(console, folder / f"{name}.png", **{"viewport": SIZE, **options})


def take(
    console: Console,
    file: Path,
    view: str,
    press: str = "",
    keys: Sequence[str] = (),
    scope: str = "everybody",
    **options: Any,
) -> None:
    page = console.open(device_scale_factor=1.25, **options)
    page.get_by_label("Memory of").select_option(scope)
    console.go(page, view)
    if press:
        page.get_by_role("button", name=press, exact=True).click()
    for key in keys:
        page.get_by_role("slider").press(key)
    page.wait_for_timeout(1_500)
    page.screenshot(path=file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
