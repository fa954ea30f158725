"""Every view of the console, on both engines, as a person uses it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import erstwhile
from tests.servers.console.browser import Console, served
from tests.servers.console.views import VIEWS, pages_of_records

QUESTION = "Which version of Postgres does the shop run on?"


def test_every_view_shows_the_demo_without_an_error_or_a_request_to_elsewhere(
    console_on_each: Console,
) -> None:
    page = console_on_each.open()

    for view, (title, text) in {**VIEWS, **pages_of_records(console_on_each.memory)}.items():
        console_on_each.go(page, view)
        expect(page.locator("#title")).to_contain_text(title)
        expect(page.locator("main")).to_contain_text(text)
        expect(page.locator(".notice[role=alert]")).to_have_count(0)


ANOTHER_PROGRAM = """
import sys, erstwhile
with erstwhile.open(sys.argv[1], embedder="none", llm="none") as memory:
    memory.scoped(user="ana").remember("Ana bought a red kayak")
"""


def test_a_write_of_another_program_shows_up_without_reloading(console_on_each: Console) -> None:
    page = console_on_each.open()

    subprocess.run([sys.executable, "-c", ANOTHER_PROGRAM, console_on_each.location], check=True)

    expect(page.get_by_text("Ana bought a red kayak").first).to_be_visible(timeout=20_000)
    expect(page.get_by_text("1 change since you opened the console")).to_be_visible()


def test_a_change_does_not_count_the_past_again(console: Console) -> None:
    count = console.memory.everything().facts.count(state="any")
    page = console.open()
    expect(page.get_by_role("img", name=f"{count} facts, from")).to_be_visible()
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))

    console.memory.scoped(user="ana").remember("Ana bought a red kayak")
    expect(page.get_by_text("Ana bought a red kayak").first).to_be_visible()
    expect(page.get_by_role("img", name=f"{count + 1} facts, from")).to_be_visible()

    assert 0 < sum("/facts/count" in each for each in asked) < 8


def test_nothing_jumps_while_the_overview_loads(console: Console) -> None:
    page = console.open()
    expect(page.get_by_role("img", name="facts, from")).to_have_count(2)

    shifts = page.evaluate(
        "() => new Promise(done => new PerformanceObserver(list => done(list.getEntries()"
        ".reduce((sum, each) => sum + each.value, 0))).observe({type: 'layout-shift',"
        " buffered: true}) || setTimeout(() => done(0), 3000))"
    )

    assert shifts < 0.1


def test_the_overview_shows_growth_and_use_over_time_and_what_waits_for_a_vector(
    console_on_each: Console,
) -> None:
    stats = console_on_each.memory.everything().stats()
    page = console_on_each.open()

    expect(page.get_by_role("img", name="facts, from")).to_have_count(2)
    expect(page.locator("rect.column")).to_have_count(len(stats.used))
    waiting = f"{stats.outbox} texts without a vector" if stats.outbox else "complete"
    expect(page.locator(".definition")).to_contain_text(f"search index{waiting}")


def test_the_overview_counts_no_fact_twice_for_its_growth(console: Console) -> None:
    page = console.open("facts")
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))

    console.go(page, "")
    growth = page.locator("section", has_text="Facts recorded")

    total = sum(console.memory.everything().stats().recorded.values())
    expect(growth.get_by_role("img", name=f"{total} facts, from")).to_be_visible()
    counts = [each for each in asked if "/facts/count" in each]
    assert len(counts) <= 4, "only the ages of live facts are counted apart"


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768)])
def test_the_first_screen_shows_what_was_captured_health_and_changes(
    console: Console, size: tuple[int, int]
) -> None:
    page = console.open(viewport={"width": size[0], "height": size[1]})

    for title in ("Capture ledger", "Health", "Latest changes"):
        box = page.get_by_role("heading", name=title).bounding_box()
        assert box
        assert box["y"] + box["height"] < size[1], title


def test_the_console_says_that_the_server_is_gone_and_recovers(console: Console) -> None:
    page = console.open("facts")
    console.expected.append("/v1/")
    page.route("**/v1/**", lambda route: route.abort())

    page.evaluate("() => { location.hash = '#/tasks' }")
    expect(page.get_by_text("What you see may be old")).to_be_visible()
    expect(page.get_by_role("alert").first).to_contain_text("the server does not answer")
    page.unroute("**/v1/**")

    expect(page.get_by_text("Upgrade the payment library to version 5")).to_be_visible()
    expect(page.get_by_text("What you see may be old")).to_have_count(0)


def test_every_view_of_an_empty_memory_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    with (
        erstwhile.open(":memory:", embedder="none", llm="none") as memory,
        served(browser, memory, tmp_path) as console,
    ):
        page = console.open()
        for view in VIEWS:
            console.go(page, view)
            expect(page.locator(".empty").first).to_be_visible()
            expect(page.locator(".notice[role=alert]")).to_have_count(0)
        assert console.problems == []


def test_the_cross_hair_moves_by_keys_by_dragging_and_by_dates(console: Console) -> None:
    page = console.open("time")
    handle = page.get_by_role("slider")

    def moved(way: Callable[[], None]) -> None:
        before = str(handle.get_attribute("aria-valuetext"))
        way()
        expect(handle).not_to_have_attribute("aria-valuetext", before)

    handle.focus()
    moved(lambda: page.keyboard.press("Shift+ArrowLeft"))
    moved(lambda: page.keyboard.press("ArrowDown"))
    moved(lambda: drag(page, -120, 90))
    moved(lambda: page.get_by_label("True on").fill("2026-09-01"))
    page.get_by_label("As known on").fill("2026-09-02")

    known = "true on 1 Sept 2026, known on 2 Sept 2026"
    expect(handle).to_have_attribute("aria-valuetext", known)
    expect(page.locator(".reading")).to_contain_text("this was true on 1 Sept 2026")
    page.get_by_label("As known on").blur()
    expect(page.locator(".day")).to_have_text(["True on1 Sept 2026", "As known on2 Sept 2026"])


def test_the_plane_draws_one_subject_and_opens_its_facts(console: Console) -> None:
    page = console.open("time")
    everything = console.memory.everything()
    managers = everything.facts.list(key="release manager", state="any")
    expect(page.locator("g.wrong rect.rect title")).to_contain_text("release manager: Ana Lima")
    assert page.locator(".apart").count() >= len(managers)
    page.get_by_label("Subject", exact=True).select_option("all subjects")
    expect(page.locator("rect.apart")).to_have_count(0)
    assert page.locator("rect.rect").count() > 30

    page.get_by_label("Subject", exact=True).select_option("release manager of chloe (4)")
    page.locator("g.live rect.rect").click(position={"x": 30, "y": 60})

    expect(page.locator("#title")).to_contain_text("Dana Reyes")


def test_the_cross_hair_turns_the_whole_console_to_that_moment(console: Console) -> None:
    live = console.memory.everything().stats().live
    page = console.open("time")
    page.get_by_role("slider").focus()
    for _ in range(9):
        page.keyboard.press("Shift+ArrowLeft")
        page.keyboard.press("Shift+ArrowDown")

    console.go(page, "facts?key=city")
    expect(page.get_by_role("link", name="Lisbon")).to_be_visible()
    console.go(page, "graph")
    expect(page.get_by_role("link", name="MySQL", exact=True)).to_be_visible()
    console.go(page, "blocks")
    expect(page.locator("pre.text")).not_to_contain_text("British English")
    console.go(page, f"recall?q={QUESTION}")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("ol.hits").first).to_contain_text("MySQL 8")
    console.go(page, "prompt")
    expect(page.locator(".prompt-text").first).to_contain_text("city: Lisbon")
    console.go(page, "instructions")
    expect(page.get_by_text("Never commit on Fridays")).to_be_visible()
    expect(page.get_by_text("metric units")).to_have_count(0)
    console.go(page, "conversations")
    expect(page.get_by_text("thanks, that worked!")).to_be_visible()
    expect(page.get_by_text("We use Zendesk for support tickets.")).to_have_count(0)
    console.go(page, "")
    then = page.evaluate("async () => (await import('/console/state.js')).state.moment")
    believed = console.memory.everything().facts.count(**then)
    assert believed != live
    expect(page.locator("a.figure").first).to_have_text(f"{believed}live facts")
    [mysql] = console.memory.everything().facts.list(contains="MySQL", state="retired")
    console.go(page, f"facts/{mysql.id}")
    expect(page.locator(".lead .state")).to_have_text("live")
    expect(page.get_by_role("button", name="Erase")).to_have_count(0)
    console.go(page, f"facts/{mysql.superseded_by}")
    expect(page.get_by_text("The memory did not know this fact then")).to_be_visible()
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
    expect(page.get_by_text("for the agent")).to_have_count(2)
    expect(page.get_by_text("only here").first).to_be_visible()
    page.get_by_label("A fact", exact=True).first.fill("hazelnuts")
    page.get_by_role("button", name="Explain").first.click()
    expect(page.get_by_role("status")).to_contain_text("Ana is allergic to hazelnuts")

    answer = page.locator("section", has_text="1 answer for the agent").first
    answer.get_by_role("button", name="Expect this").click()
    unfound = page.locator("section", has_text="not returned").first
    unfound.get_by_role("button", name="Expect this").first.click()
    page.get_by_role("button", name="Run all").click()

    expect(page.get_by_text("1 of 2 cases found, and 1 with the second setting")).to_be_visible()
    page.get_by_role("button", name="Remove").first.click()
    expect(page.get_by_role("button", name="Remove")).to_have_count(1)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Remove")).to_have_count(2)
    expect(page.get_by_text("→ The shop runs on Postgres 17")).to_be_visible()
    expect(page.get_by_text("not found", exact=True)).to_have_count(2)


def test_the_recall_lab_explains_each_hit_on_demand(console: Console) -> None:
    page = console.open(f"recall?q={QUESTION}")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".reasons")).to_have_count(1)
    expect(page.locator(".reasons")).to_contain_text("how new it is")

    second = page.get_by_role("button", name="Why at place 2")
    second.press("Enter")

    expect(page.locator(".reasons")).to_have_count(2)
    expect(second).to_have_attribute("aria-expanded", "true")
    assert page.locator("[aria-expanded=true]").count() == 2


def test_the_recall_lab_tells_answers_from_weak_hits(console: Console) -> None:
    hits = console.memory.everything().recall(QUESTION)
    weak = sum(hit.is_weak for hit in hits)
    assert 0 < weak < len(hits)
    page = console.open(f"recall?q={QUESTION}")
    page.get_by_role("button", name="Ask", exact=True).click()

    answers = page.locator("section", has_text="for the agent").locator("ol.hits li")
    expect(answers).to_have_count(len(hits) - weak)
    marked = page.locator("section", has_text="The agent gets them marked as weak")
    expect(marked.locator("ol.hits li")).to_have_count(weak)
    page.get_by_label("Question").fill("How deep is the sea?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("The memory does not know")).to_be_visible()


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


def test_the_graph_of_a_few_hundred_entities_is_readable(browser: Browser, tmp_path: Path) -> None:
    with erstwhile.open(":memory:", embedder="none", llm="none") as memory:
        for number in range(250):
            pair = [f"Person {number}", f"Person {number * 7 % 200}"]
            memory.remember(f"{pair[0]} knows {pair[1]}", entities=pair)
        with served(browser, memory, tmp_path) as console:
            page = console.open("graph")
            expect(page.locator("circle.node")).to_have_count(249)
            expect(page.get_by_role("link", name="Person 100", exact=True)).to_be_visible()
            boxes = page.locator("svg text.strong").evaluate_all(
                "all => all.map(each => each.getBBox()).map(b => [b.x, b.y, b.width, b.height])"
            )
    assert len(boxes) > 50
    overlapping = [(a, b) for a, b in combinations(boxes, 2) if overlap(a, b)]
    assert not overlapping


def test_a_node_of_a_large_graph_shows_its_neighbours_alone(
    browser: Browser, tmp_path: Path
) -> None:
    with erstwhile.open(":memory:", embedder="none", llm="none") as memory:
        for number in range(100):
            pair = [f"Person {number}", f"Team {number % 5}"]
            memory.remember(f"{pair[0]} is in {pair[1]}", entities=pair)
        with served(browser, memory, tmp_path) as console:
            page = console.open("graph")
            expect(page.locator("circle.node")).to_have_count(105)
            page.get_by_role("link", name="Team 3, 20 facts").press("Enter")
            expect(page.locator("circle.node")).to_have_count(21)
            page.get_by_role("link", name="All entities").click()
            expect(page.locator("circle.node")).to_have_count(105)
            assert console.problems == []


def test_the_graph_shows_what_ended_on_demand(console_on_each: Console) -> None:
    page = console_on_each.open("graph")
    expect(page.get_by_role("link", name="Postgres")).to_be_visible()
    expect(page.get_by_role("link", name="MySQL")).to_have_count(0)

    page.get_by_role("button", name="All time").click()

    expect(page.get_by_role("link", name="MySQL")).to_be_visible()
    expect(page.locator("line.edge.past")).not_to_have_count(0)


def test_a_memory_that_has_no_facts_of_its_own_can_be_chosen(console: Console) -> None:
    page = console.open("facts")
    page.get_by_label("Memory of").select_option("another…")
    page.get_by_label("User").fill("ben")
    page.get_by_label("Project").fill("shop")
    page.get_by_role("button", name="Show", exact=True).click()

    expect(page.get_by_label("Memory of")).to_have_value("user ben, project shop")
    expect(page.get_by_text("The shop deploys every weekday at 10:00")).to_be_visible()
    expect(page.get_by_text("Ben answers support tickets")).to_be_visible()
    expect(page.get_by_text("Ana is allergic to hazelnuts")).to_have_count(0)


def test_facts_are_filtered_by_metadata_key_and_tag(console_on_each: Console) -> None:
    ana = console_on_each.memory.scoped(user="ana")
    ana.remember("Ana owns a kayak", metadata={"team": "sea", "level": 3}, tags=["boats"])
    ana.remember("Ana owns a canoe", metadata={"team": "lake"}, tags=["boats"])
    page = console_on_each.open("facts?tag=boats")
    expect(page.locator("tbody tr")).to_have_count(2)

    for text, boat in {"team=sea": "kayak", "team=lake": "canoe", "level=3": "kayak"}.items():
        page.get_by_label("Metadata").fill(text)
        expect(page.locator("tbody tr")).to_have_count(1)
        expect(page.locator("tbody tr")).to_contain_text(boat)
    console_on_each.go(page, "facts?key=city")
    expect(page.locator("tbody tr")).to_contain_text("Porto")
    page.get_by_label("before").fill("2020-01-31")
    expect(page.get_by_text("No fact matches")).to_be_visible()
    page.get_by_label("before").blur()
    expect(page.locator(".day", has_text="before")).to_contain_text("31 Jan 2020")


def test_conversations_times_audit_and_graph_are_searched(console: Console) -> None:
    page = console.open("conversations")
    page.get_by_label("Search the messages").fill("webhook")
    found = page.locator("section", has_text="Found messages")
    expect(found.locator("li", has_text="Dana found a bug in the webhook handler.")).to_be_visible()
    page.get_by_label("Search the messages").fill("zebra crossing")
    expect(page.get_by_text("No message is relevant")).to_be_visible()
    console.go(page, "audit")
    page.get_by_label("Action").fill("snapshot.create")
    expect(page.locator("tbody tr")).to_have_count(2)
    console.go(page, "time")
    page.get_by_label("Search the text").fill("shop runs on")
    expect(page.get_by_text("Believed now: 1 fact")).to_be_visible()
    console.go(page, "graph")
    page.get_by_label("Find an entity").fill("zebra")
    expect(page.get_by_text("No entity has this name")).to_be_visible()
    page.get_by_label("Find an entity").fill("post")
    expect(page.get_by_role("link", name="Postgres", exact=False).first).to_be_visible()
    expect(page.get_by_role("link", name="Paris", exact=False)).to_have_count(0)


def test_a_long_conversation_has_pages(console_on_each: Console) -> None:
    ana = console_on_each.memory.scoped(user="ana")
    talk = ana.conversations.start()
    messages = [{"role": "user", "content": f"Message number {number}"} for number in range(150)]
    ana.conversations.add_many(messages, conversation=talk.id)
    page = console_on_each.open(f"conversations/{talk.id}")
    last = [f"Message number {number}" for number in range(50, 150)]
    expect(page.locator(".message .said")).to_have_text(last)

    page.get_by_role("button", name="Earlier").press("Enter")

    first = [f"Message number {number}" for number in range(50)]
    expect(page.locator(".message .said")).to_have_text(first)
    page.get_by_role("button", name="Later").press("Enter")
    expect(page.locator(".message .said")).to_have_text(last)


def test_a_lane_with_many_facts_stays_low(browser: Browser, tmp_path: Path) -> None:
    with erstwhile.open(":memory:", embedder="none", llm="none") as memory:
        for number in range(30):
            memory.remember(f"The cellar has box {number}", entities=["cellar"])
        with served(browser, memory, tmp_path) as console:
            page = console.open("time")
            lanes = page.get_by_role("group", name="Lanes")
            expect(lanes).to_contain_text("cellar and 25 more")
            expect(lanes.locator("rect.lane")).to_have_count(5)
            assert console.problems == []


def test_ended_tasks_are_shown_on_demand(console: Console) -> None:
    ana = console.memory.scoped(user="ana")
    ana.tasks.cancel(ana.tasks.add("Water the office plants").task.id)
    page = console.open("tasks")
    expect(page.get_by_text("Water the office plants")).to_have_count(0)
    page.get_by_role("button", name="All", exact=True).click()
    expect(page.get_by_text("Water the office plants")).to_be_visible()


def overlap(one: list[float], other: list[float]) -> bool:
    """Return whether two boxes (x, y, width, height) share more than their rims."""
    return all(
        min(one[axis] + one[axis + 2], other[axis] + other[axis + 2]) - max(one[axis], other[axis])
        > 2
        for axis in (0, 1)
    )


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
