"""Every view of the console, on both engines, as a person uses it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.servers.console.browser import Console
from tests.servers.console.views import VIEWS, pages_of_records

QUESTION = "Which database does the shop run on?"


def test_every_view_shows_the_demo_without_an_error_or_a_request_to_elsewhere(
    console_on_each: Console,
) -> None:
    page = console_on_each.open()

    for view, (title, text) in {**VIEWS, **pages_of_records(console_on_each.memory)}.items():
        console_on_each.go(page, view)
        expect(page.locator("#title")).to_contain_text(title)
        expect(page.locator("main")).to_contain_text(text)
        expect(page.locator(".notice[role=alert]")).to_have_count(0)


def test_a_write_of_another_program_shows_up_without_reloading(console: Console) -> None:
    page = console.open()

    console.memory.scoped(user="ana").remember("Ana bought a red kayak")

    expect(page.get_by_text("Ana bought a red kayak").first).to_be_visible(timeout=20_000)
    expect(page.get_by_text("1 change since you opened the console")).to_be_visible()


def test_the_cross_hair_moves_by_keys_by_dragging_and_by_dates(console: Console) -> None:
    page = console.open("time")
    handle = page.get_by_role("slider")

    def moment() -> str | None:
        return handle.get_attribute("aria-valuetext")

    seen = [moment()]
    handle.focus()
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("ArrowDown")
    seen.append(moment())
    drag(page, -120, 90)
    seen.append(moment())
    page.get_by_label("True on").fill("2026-09-01")
    page.get_by_label("As known on").fill("2026-09-02")
    seen.append(moment())

    assert len(set(seen)) == len(seen)
    assert seen[-1] == "true on 1 Sept 2026, known on 2 Sept 2026"


def test_the_cross_hair_turns_the_whole_console_to_that_moment(console: Console) -> None:
    page = console.open("time")
    page.get_by_role("slider").focus()
    for _ in range(9):
        page.keyboard.press("Shift+ArrowLeft")
        page.keyboard.press("Shift+ArrowDown")

    console.go(page, "facts?key=city")
    expect(page.get_by_role("link", name="Lisbon")).to_be_visible()
    console.go(page, "graph")
    expect(page.get_by_role("link", name="MySQL")).to_be_visible()
    console.go(page, "blocks")
    expect(page.locator("pre.text")).not_to_contain_text("British English")
    console.go(page, f"recall?q={QUESTION}")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("ol.hits")).to_contain_text("MySQL 8")
    console.go(page, "tasks")
    expect(page.get_by_role("status")).to_contain_text("This view shows the present")
    page.get_by_role("button", name="Back to now").click()
    console.go(page, "facts?key=city")
    expect(page.get_by_role("link", name="Porto")).to_be_visible()


def test_facts_are_filtered_as_one_types_and_stay_focused(console: Console) -> None:
    page = console.open("facts")
    field = page.get_by_label("Text contains")

    field.press_sequentially("postgres", delay=20)

    expect(page.locator("tbody tr")).to_have_count(1)
    expect(field).to_be_focused()
    page.get_by_label("State").select_option("any")
    field.fill("shop runs on")
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator(".lead")).to_have_text("2 facts with these filters")


def test_the_recall_lab_explains_compares_and_keeps_cases(console: Console) -> None:
    page = console.open(f"recall?q={QUESTION}")
    page.get_by_role("button", name="Compare two settings").click()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("ol.hits")).to_have_count(2)
    expect(page.locator("ol.hits").nth(1)).to_contain_text("only here")
    page.get_by_role("button", name="One setting").click()

    page.get_by_label("A fact", exact=True).fill("hazelnuts")
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_role("status")).to_contain_text("Ana is allergic to hazelnuts")
    page.get_by_role("button", name="Save this question with its first hit").click()
    page.get_by_role("button", name="Run all").click()

    expect(page.get_by_text("1 of 1 case found")).to_be_visible()
    expect(page.get_by_text("→ The shop runs on Postgres 17")).to_be_visible()


def test_the_prompt_preview_shows_the_exact_text_and_what_was_left_out(console: Console) -> None:
    page = console.open()
    page.get_by_label("Memory of").select_option("user ana, project shop")
    console.go(page, f"prompt?q={QUESTION}")
    text = "\n".join(page.locator(".prompt-text pre").all_inner_texts())
    expected = console.memory.scoped(user="ana", project="shop").context(QUESTION).text

    assert text.split() == expected.split()
    page.get_by_role("spinbutton").fill("300")
    page.get_by_role("button", name="Build").click()
    expect(page.get_by_text("of 300 tokens")).to_be_visible()
    expect(page.get_by_text("beyond the budget")).to_be_visible()


def test_audit_usage_and_snapshots_answer(console: Console) -> None:
    page = console.open("audit")
    page.get_by_role("button", name="Verify the chain").click()
    expect(page.get_by_text("The chain is whole")).to_be_visible()
    console.go(page, "usage")
    page.get_by_role("button", name="Tokens", exact=True).click()
    expect(page.locator("rect.column")).not_to_have_count(0)
    console.go(page, "snapshots")
    page.get_by_role("button", name="What changed").first.click()
    expect(page.locator("ins", has_text="British")).to_be_visible()


def drag(page: Page, across: int, down: int) -> None:
    box = page.get_by_role("slider").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across / 2, y + down / 2)
    page.mouse.move(x + across, y + down)
    page.mouse.up()
