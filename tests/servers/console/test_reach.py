"""The console for everybody: axe-core in light and dark, a phone, the keyboard alone."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.servers.console.browser import Console
from tests.servers.console.views import VIEWS, pages_of_records


@pytest.mark.parametrize(
    ("scheme", "rules"), [("light", "{}"), ("dark", '{"runOnly": ["color-contrast"]}')]
)
def test_no_view_has_a_serious_barrier(console: Console, scheme: Any, rules: str) -> None:
    axe = files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
    page = console.open(color_scheme=scheme, bypass_csp=True)
    page.add_script_tag(content=axe)

    for view in (*VIEWS, *pages_of_records(console.memory)):
        console.go(page, view)
        found = page.evaluate(f"() => axe.run({rules})")["violations"]
        serious = [each for each in found if each["impact"] in ("serious", "critical")]
        assert not [(each["id"], each["nodes"][0]["html"][:120]) for each in serious], view


def test_a_phone_shows_every_view_without_scrolling_sideways(console: Console) -> None:
    page = console.open(viewport={"width": 390, "height": 844})

    for view in (*VIEWS, *pages_of_records(console.memory)):
        console.go(page, view)
        wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, view
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Graph").click()
    expect(page.locator("#title")).to_have_text("Graph")


def test_the_keyboard_alone_finds_reads_and_changes_a_fact(console: Console) -> None:
    page = console.open()
    page.keyboard.press("g")
    page.keyboard.press("f")
    expect(page.locator("#title")).to_have_text("Facts")
    expect(page.locator("tbody tr").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("hazelnuts")
    expect(page.locator("tbody tr")).to_have_count(1)

    while not page.evaluate("() => document.activeElement.matches('tbody tr')"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#title")).to_have_text("Ana is allergic to hazelnuts")
    page.get_by_role("button", name="Retire").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("How did it end?")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.get_by_role("button", name="Unpin").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Pin", exact=True)).to_be_visible()


def test_every_view_is_reached_by_tab(console: Console) -> None:
    page = console.open()
    names = list[str]()
    for _ in range(len(VIEWS) + 2):
        page.keyboard.press("Tab")
        names.append(page.evaluate("() => document.activeElement.hash ?? ''"))

    assert {f"#/{view}" for view in VIEWS} <= set(names)
