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
def test_no_view_has_a_barrier(console: Console, scheme: Any, rules: str) -> None:
    axe = files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
    page = console.open(color_scheme=scheme, bypass_csp=True)
    page.add_script_tag(content=axe)

    for view in (*VIEWS, *pages_of_records(console.memory)):
        console.go(page, view)
        found = page.evaluate(f"() => axe.run({rules})")["violations"]
        assert not [(each["id"], each["nodes"][0]["html"][:120]) for each in found], view


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1024, 768)])
def test_every_view_is_seen_without_scrolling_sideways(
    console: Console, width: int, height: int
) -> None:
    page = console.open(viewport={"width": width, "height": height})

    for view in (*VIEWS, *pages_of_records(console.memory)):
        console.go(page, view)
        wide = page.evaluate(
            "() => Math.max(document.documentElement.scrollWidth - innerWidth,"
            " ...[...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth))"
        )
        assert wide <= 0, view


def test_the_menu_of_a_phone_leads_to_a_view(console: Console) -> None:
    page = console.open(viewport={"width": 390, "height": 844})

    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Graph").click()
    expect(page.locator("#title")).to_have_text("Graph")


def test_the_keyboard_alone_finds_reads_and_changes_a_fact(console: Console) -> None:
    page = console.open()
    page.keyboard.press("g")
    page.keyboard.press("f")
    expect(page.locator("#title")).to_have_text("Facts")
    expect(page.locator("tbody tr").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Text contains")).to_be_focused()
    page.keyboard.press("Escape")
    page.locator("main").focus()
    page.keyboard.press("/")
    page.keyboard.type("hazelnuts")
    expect(page.locator("tbody tr")).to_have_count(1)

    while not page.evaluate("() => document.activeElement.matches('tbody tr')"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#title")).to_have_text("Ana is allergic to hazelnuts")
    expect(page.locator("main")).to_be_focused()
    page.get_by_role("button", name="Retire").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("How did it end?")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.get_by_role("button", name="Unpin").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Pin", exact=True)).to_be_visible()


def test_a_name_from_right_to_left_does_not_turn_what_follows_it(console: Console) -> None:
    console.memory.scoped(user="מיכל").remember("מיכל גרה בתל אביב (3).")
    page = console.open()
    entry = page.locator(".ledger li", has_text="מיכל").first

    name, age = entry.locator("bdi").last.bounding_box(), entry.locator("time").bounding_box()

    assert name
    assert age
    assert name["x"] + name["width"] < age["x"]
    stop = entry.locator("bdi").first.evaluate(
        "e => { const r = document.createRange(), t = e.firstChild;"
        " r.setStart(t, t.length - 1); r.setEnd(t, t.length);"
        " return r.getBoundingClientRect().x - e.getBoundingClientRect().x }"
    )
    assert stop < 5, "the full stop of a text from right to left is at its left end"


def test_a_dialog_gives_the_focus_back_and_the_navigation_can_be_skipped(console: Console) -> None:
    fact = console.memory.everything().facts.list(limit=1)[0]
    page = console.open(f"facts/{fact.id}")
    retire = page.get_by_role("button", name="Retire")
    for leave in ("Escape", "Cancel"):
        retire.press("Enter")
        expect(page.get_by_label("How did it end?")).to_be_focused()
        if leave == "Escape":
            page.keyboard.press(leave)
        else:
            page.get_by_role("button", name=leave).press("Enter")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(retire).to_be_focused()

    page.reload()
    expect(retire).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("() => Boolean(document.activeElement.closest('main'))")


def test_every_view_is_reached_by_tab(console: Console) -> None:
    page = console.open()
    names = list[str]()
    for _ in range(len(VIEWS) + 2):
        page.keyboard.press("Tab")
        names.append(page.evaluate("() => document.activeElement.hash ?? ''"))

    assert {f"#/{view}" for view in VIEWS} <= set(names)


def test_a_question_mark_lists_the_keys_and_each_leads_to_its_view(console: Console) -> None:
    page = console.open()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").locator("dt")).not_to_have_count(0)
    keys = page.get_by_role("dialog").locator("dt").all_inner_texts()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)

    opened = [key.split()[1] for key in keys if key.startswith("g ")]
    for key in opened:
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page.locator("nav a[aria-current=page]")).to_have_count(1)
        assert page.evaluate("() => location.hash.slice(2)") in VIEWS
    assert len(set(opened)) == len(VIEWS)
