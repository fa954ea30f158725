"""What a person is doing in the console survives changes by others, failures and a lost token."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.servers.console.browser import Console

NEWS = "Ana bought a red kayak"


def change_elsewhere(console: Console, page: Page) -> None:
    """Let somebody store a fact, and wait until the console has loaded it."""
    asked = (
        "() => performance.getEntriesByType('resource')"
        ".filter(each => each.name.includes('/quarantine')).length"
    )
    before = page.evaluate(asked)
    console.memory.scoped(user="ana").remember(NEWS)
    page.wait_for_function(f"before => ({asked})() > before", arg=before)


@pytest.mark.parametrize(
    ("view", "press", "typed"),
    [
        ("blocks", "Add a block", {"Name": "glossary", "Text": "SKU: a unit"}),
        ("snapshots", "Name this moment", {"Name": "today", "Description": "a good day"}),
        ("prompt", "", {"Question": "Where is Ana?", "tokens": "700"}),
    ],
)
def test_typed_text_stays_when_somebody_else_changes_the_memory(
    console: Console, view: str, press: str, typed: dict[str, str]
) -> None:
    page = console.open(view)
    if press:
        page.get_by_role("button", name=press).click()
    form = page.locator("dialog" if press else "main")
    for label, text in typed.items():
        form.get_by_label(label, exact=True).fill(text)

    change_elsewhere(console, page)

    for label, text in typed.items():
        expect(form.get_by_label(label, exact=True)).to_have_value(text)


def test_a_draft_stays_with_its_block_when_another_one_comes_first(console: Console) -> None:
    page = console.open("blocks")
    shown = page.locator("main h2").first.inner_text()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Text").fill("mine")

    console.memory.scoped(project="shop").blocks.add("aaa", "an earlier name")
    expect(page.get_by_role("link", name="aaa")).to_be_visible()

    expect(page.get_by_role("heading", name=shown)).to_be_visible()
    expect(page.get_by_label("Text")).to_have_value("mine")


def test_undoing_an_edit_does_not_overwrite_what_somebody_else_wrote(console: Console) -> None:
    page = console.open("blocks")
    console.expected.append("/blocks/conventions")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Text").fill("mine")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".toast")).to_contain_text("Saved")
    shop = console.memory.scoped(project="shop")
    shop.blocks.append("conventions", "theirs")

    page.locator(".toast").get_by_role("button", name="Undo").click()

    expect(page.locator(".toast")).to_contain_text("version")
    assert shop.blocks.get("conventions").content.split() == ["mine", "theirs"]


def test_a_failed_change_keeps_the_dialog_and_its_text(console: Console) -> None:
    page = console.open("instructions")
    console.expected.append("/v1/facts")
    page.route("**/v1/facts", lambda route: route.fulfill(status=502, body="<h1>Bad</h1>"))
    page.get_by_role("button", name="Add an instruction").click()
    dialog = page.locator("dialog")
    dialog.get_by_label("Instruction").fill("Always say hello")
    dialog.get_by_role("button", name="Add").click()

    expect(dialog.get_by_role("alert")).to_have_text("the server answered 502")
    expect(dialog.get_by_label("Instruction")).to_have_value("Always say hello")
    page.unroute("**/v1/facts")
    dialog.get_by_role("button", name="Add").click()
    expect(page.locator("main li", has_text="Always say hello")).to_have_count(1)


def test_a_change_is_sent_once_however_often_one_clicks(console: Console) -> None:
    page = console.open("instructions")
    waiting = list[Any]()
    page.route("**/v1/facts", lambda route: waiting.append(route))
    page.get_by_role("button", name="Add an instruction").click()
    dialog = page.locator("dialog")
    dialog.get_by_label("Instruction").fill("Always say hello")

    for _ in range(3):
        dialog.get_by_role("button", name="Add").click()
    expect(dialog.get_by_label("Instruction")).to_have_value("Always say hello")
    assert len(waiting) == 1
    waiting[0].continue_()

    expect(page.locator("main li", has_text="Always say hello")).to_have_count(1)


def test_the_focus_stays_in_the_content_when_its_element_goes_away(console: Console) -> None:
    page = console.open("tasks")
    rows = page.locator("tbody tr")
    count = rows.count()
    rows.first.get_by_role("button", name="Delete").press("Enter")
    page.locator("dialog").get_by_role("button", name="Delete").press("Enter")
    expect(rows).to_have_count(count - 1)

    expect(page.locator("main")).to_be_focused()


def test_a_token_that_expires_leads_to_the_login_with_the_reason(console: Console) -> None:
    page = console.open("facts")
    console.expected.append("/v1")
    refusal = json.dumps({"title": "Unauthorized", "detail": "expired"})
    page.route("**/v1/**", lambda route: route.fulfill(status=401, body=refusal))
    page.evaluate("() => { location.hash = '#/tasks' }")

    expect(page.get_by_label("Token")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("it has expired")
    page.unroute("**/v1/**")
    page.get_by_label("Token").fill(console.secret)
    page.get_by_role("button", name="Open the console").click()
    expect(page.locator("#title")).to_have_text("Tasks")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_change_between_two_streams_is_shown(console: Console) -> None:
    page = console.open()
    page.route("**/v1/events", lambda route: route.fulfill(status=200, body=""))
    page.reload()
    expect(page.get_by_role("img", name="facts, from").first).to_be_visible()
    console.memory.scoped(user="ana").remember(NEWS)

    page.unroute("**/v1/events")

    expect(page.get_by_text(NEWS).first).to_be_visible()


def test_an_idle_page_learns_that_its_token_has_expired(console: Console) -> None:
    page = console.open()
    console.expected.append("/v1/events")
    page.route("**/v1/events", lambda route: route.fulfill(status=401, body="{}"))
    page.reload()

    expect(page.get_by_label("Token")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("it has expired")
