"""What the console shows is what the memory says, at every moment and on every page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import erstwhile
from erstwhile import Decision, Memory
from erstwhile.testing.clock import FakeClock
from tests.servers.console.browser import Console, served

START = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0) - timedelta(days=60)
MANY = 51
"""One more than a page of most lists."""


@contextmanager
def small_console(
    browser: Browser, folder: Path, clock: FakeClock | None = None
) -> Iterator[Console]:
    options: dict[str, Any] = {"clock": clock} if clock else {}
    with (
        erstwhile.open(":memory:", embedder="none", llm="none", learners=0, **options) as memory,
        served(browser, memory, folder) as console,
    ):
        yield console
        assert console.problems == []


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def fill_with_corrections(memory: Memory, clock: FakeClock) -> None:
    """Let facts end and come back, leave quarantine, be hidden, move, and begin earlier."""
    ana = memory.scoped(user="ana")

    def on(number: int, change: Callable[[], Any]) -> Any:
        clock.set(day(number))
        return change()

    van = on(1, lambda: ana.remember("Ana drives a van"))
    page = on(2, lambda: ana.remember("The shop opens at nine", origin="web"))
    boat = on(3, lambda: ana.remember("Ana owns a boat"))
    desk = on(4, lambda: ana.remember("The desk is by the window"))
    on(5, lambda: ana.facts.set("city", "Lisbon"))
    on(10, lambda: ana.facts.retire(van.id, ending="wrong"))
    on(12, lambda: ana.quarantine.approve(page.id))
    on(14, lambda: ana.facts.delete(boat.id))
    on(16, lambda: ana.facts.move(desk.id, to="shared"))
    on(20, lambda: ana.facts.undo(van.id))
    on(22, lambda: ana.facts.set("city", "Porto", valid_from=day(8)))
    on(24, lambda: ana.facts.restore(boat.id))
    on(26, lambda: ana.remember("Ana is on leave", expires_at=day(33)))
    clock.set(datetime.now(UTC))


def turn_to(page: Page, as_of: datetime, known_at: datetime) -> None:
    """Move the cross-hair by its date fields."""
    page.get_by_label("True on").fill(f"{as_of:%Y-%m-%d}")
    page.get_by_label("As known on").fill(f"{known_at:%Y-%m-%d}")


def test_the_plane_believes_what_the_memory_believed(browser: Browser, tmp_path: Path) -> None:
    clock = FakeClock()
    with small_console(browser, tmp_path, clock) as console:
        fill_with_corrections(console.memory, clock)
        page = console.open("time")
        for true_on, known_on in [
            (9, 9),
            (11, 11),
            (13, 13),
            (15, 15),
            (18, 18),
            (9, 30),
            (30, 23),
            (40, 30),
        ]:
            as_of, known_at = (day(each).replace(hour=12) for each in (true_on, known_on))
            turn_to(page, as_of, known_at)

            facts = console.memory.everything().facts.list(as_of=as_of, known_at=known_at, limit=50)
            believed = page.locator("section", has_text="Believed then").locator("li a")
            expect(believed).to_have_count(len(facts))
            shown = believed.evaluate_all("all => all.map(each => each.hash.split('/').at(-1))")
            assert set(shown) == {fact.id for fact in facts}, (true_on, known_on)


@pytest.mark.parametrize(("true_on", "known_on"), [(3, 18), (9, 18), (9, 30), (3, 59)])
def test_the_page_of_a_fact_shows_its_state_at_the_moment(
    browser: Browser, tmp_path: Path, true_on: int, known_on: int
) -> None:
    clock = FakeClock()
    with small_console(browser, tmp_path, clock) as console:
        fill_with_corrections(console.memory, clock)
        as_of, known_at = (day(each).replace(hour=12) for each in (true_on, known_on))
        facts = console.memory.everything().facts
        [lisbon] = facts.list(contains="Lisbon", state="any")
        page = console.open("time")
        turn_to(page, as_of, known_at)
        console.go(page, f"facts/{lisbon.id}")

        then = facts.get(lisbon.id, known_at=known_at).state_at(as_of)
        standing = "superseded" if then == "retired" else then
        expect(page.locator(".lead .state")).to_have_text(standing)


def test_the_page_of_a_fact_draws_the_time_in_which_it_was_not_believed(
    browser: Browser, tmp_path: Path
) -> None:
    clock = FakeClock()
    with small_console(browser, tmp_path, clock) as console:
        fill_with_corrections(console.memory, clock)
        [van] = console.memory.everything().facts.list(contains="van")
        page = console.open(f"facts/{van.id}")

        expect(
            page.locator("section", has_text="When it was true").locator("rect.rect")
        ).to_have_count(2)


def rows(part: Page | Locator) -> Locator:
    return part.locator("tbody tr, li")


def walk(part: Locator, onward: str) -> list[str]:
    """Return the texts of a list, page after page."""
    found = list[str]()
    while True:
        expect(part.locator(".loading")).to_have_count(0)
        found += rows(part).all_inner_texts()
        button = part.get_by_role("button", name=onward, exact=True)
        if not button.count() or button.is_disabled():
            return found
        first = rows(part).first.inner_text()
        button.press("Enter")
        expect(rows(part).first).not_to_have_text(first, use_inner_text=True)


def fill_lists(memory: Memory, count: int) -> None:
    ana = memory.scoped(user="ana")
    ana.blocks.add("notes", "state 0")
    for number in range(count):
        name = f"number {number:03}"
        ana.remember(f"A fact of {name}")
        call = Decision(tool="Bash", input={"command": name}, choice="allow", goal="test")
        ana.decisions.record(call)
        ana.tasks.add(name, due=datetime.now(UTC) + timedelta(days=1 + (number * 7) % count))
        ana.usage.record(name, input=1, output=1)
        ana.snapshots.create(name)
        ana.outcomes.add("tests", 1, note=name)
        ana.blocks.update("notes", name)
        ana.conversations.start(metadata={"title": name}, channel=name)


def every(verb: Callable[..., Any], **arguments: Any) -> list[Any]:
    """Return the records of all pages of a list."""
    found, cursor = list[Any](), None
    while True:
        page = verb(limit=20, cursor=cursor, **arguments)
        found += page
        cursor = page.next
        if cursor is None:
            return found


LISTS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "facts": ("Older", lambda fact: fact.text),
    "decisions": ("Older", lambda decision: decision.input["command"]),
    "tasks": ("Later", lambda task: task.description),
    "usage": ("Older", lambda entry: entry.model),
    "snapshots": ("Older", lambda snapshot: snapshot.name),
    "audit": ("Older", lambda entry: entry.action),
    "conversations": ("Older", lambda conversation: conversation.channel),
}
"""For each view with one list: the button of the next page, and what its rows show."""


@pytest.mark.parametrize("count", [1, MANY])
def test_every_list_shows_all_records_in_the_order_of_the_memory(
    browser: Browser, tmp_path: Path, count: int
) -> None:
    with small_console(browser, tmp_path) as console:
        fill_lists(console.memory, count)
        page = console.open()

        def check(part: Locator, onward: str, expected: list[str]) -> None:
            shown = walk(part, onward)
            assert len(shown) == len(expected), page.url
            assert all(name in text for name, text in zip(expected, shown, strict=True)), page.url

        for view, (onward, name_of) in LISTS.items():
            console.go(page, view)
            records = every(getattr(console.memory.everything(), view).list)
            check(page.locator("main"), onward, [name_of(each) for each in records])
        ana = console.memory.scoped(user="ana")
        console.go(page, "lessons")
        outcomes = page.locator("section", has=page.get_by_role("heading", name="Outcomes"))
        check(outcomes, "Next", [each.note for each in every(ana.outcomes.list)])
        console.go(page, "blocks")
        versions = page.locator("section", has=page.get_by_role("heading", name="Versions"))
        changes = every(ana.blocks.history, name="notes")
        check(versions, "Older", [f"Version {each.version}" for each in changes])


def test_the_ledger_names_who_stored_a_fact_and_counts_all(
    browser: Browser, tmp_path: Path
) -> None:
    with small_console(browser, tmp_path) as console:
        writer = console.memory.acting_as("writer", person=False)
        for number in range(7):
            fact = writer.remember(f"The cellar has box {number}")
        console.memory.acting_as("editor").facts.pin(fact.id)
        page = console.open()
        ledger = page.locator("section", has_text="Capture ledger")

        expect(ledger).to_contain_text("7 facts stored")
        expect(ledger.locator("li", has_text="box 6")).to_contain_text("by agent/writer")
        ledger.get_by_role("link", name="All of them").click()
        expect(page.locator(".lead")).to_have_text("7 facts with these filters")


def test_the_ledger_of_a_past_day_shows_that_day(console: Console) -> None:
    everything = console.memory.everything()
    attempts = everything.learning.attempts(limit=100)
    noon = attempts[len(attempts) // 2].created_at.replace(hour=12, minute=0, second=0)
    start = noon.replace(hour=0, microsecond=0)
    read = [each for each in attempts if start <= each.created_at < noon]
    facts = everything.facts.list(state="any", since=start, until=noon, known_at=noon)
    page = console.open("time")
    turn_to(page, noon, noon)
    console.go(page, "")
    page.get_by_role("button", name="Today").click()

    ledger = page.locator("section", has_text="Capture ledger")
    expect(ledger.locator("li")).to_have_count(len(facts))
    expect(ledger).to_contain_text(f"{len(read)} turn")


def test_actions_are_written_in_english(console: Console) -> None:
    page = console.open()
    actions = {
        "remember": "remembered",
        "supersede": "superseded",
        "undo": "undone",
        "message.add": "message added",
        "run.completed": "run completed",
        "task.defer": "task deferred",
        "compaction.copy": "compaction copied",
        "attempt.forget": "learning attempt forgotten",
        "feedback.useful": "feedback useful",
    }
    write = "async all => all.map((await import('/console/format.js')).actionText)"

    assert page.evaluate(write, list(actions)) == list(actions.values())


def test_a_long_conversation_is_known_by_its_first_words(console: Console) -> None:
    ana = console.memory.scoped(user="ana")
    talk = ana.conversations.start()
    messages = [{"role": "user", "content": f"Message number {number}"} for number in range(60)]
    ana.conversations.add_many(messages, conversation=talk.id)
    page = console.open("conversations")

    expect(page.locator("tbody tr").first).to_contain_text("Message number 0")


def test_the_recall_lab_follows_the_scope_and_changes(console: Console) -> None:
    page = console.open("recall")
    page.get_by_label("Question").fill("What is Ana allergic to?")
    page.get_by_role("button", name="Ask", exact=True).click()
    hits = page.locator("ol.hits").first
    expect(hits).to_contain_text("allergic to hazelnuts")

    page.get_by_label("Memory of").select_option("user chloe")
    expect(page.locator("ol.hits", has_text="hazelnuts")).to_have_count(0)
    page.get_by_label("Memory of").select_option("user ana")
    expect(hits).to_contain_text("allergic to hazelnuts")
    console.memory.scoped(user="ana").facts.replace_text("hazelnuts", "Ana is allergic to walnuts")

    expect(hits).to_contain_text("allergic to walnuts")


def test_a_case_with_a_lesson_shows_it_and_a_failure_is_no_result(console: Console) -> None:
    page = console.open("recall")
    page.get_by_label("Question").fill("Run the migration on a copy of production")
    page.get_by_label("Among").select_option("lessons")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("button", name="Expect this").first.click()
    cases = page.locator("section", has=page.get_by_role("heading", name="Cases"))
    expect(cases.locator("li")).to_contain_text("→ Run the migration on a copy")

    console.expected.append("/v1/recall")
    page.route("**/v1/recall", lambda route: route.fulfill(status=503, body="<p>busy</p>"))
    page.get_by_role("button", name="Run all").click()

    expect(page.locator(".toast")).to_contain_text("the server answered 503")
    expect(cases.get_by_text("not found", exact=True)).to_have_count(0)


def test_the_graph_forgets_what_ended_beside_a_chosen_entity(console: Console) -> None:
    ana = console.memory.scoped(user="ana")
    fact = ana.remember("Ana sails with Zoe", entities=["Ana", "Zoe"])
    page = console.open("graph/Zoe")
    expect(page.get_by_role("link", name="Zoe, 1 fact")).to_be_visible()

    ana.facts.retire(fact.id, ending="wrong")

    expect(page.get_by_role("link", name="Zoe, 1 fact")).to_have_count(0)


def test_an_empty_choice_does_not_claim_that_nothing_is_stored(console: Console) -> None:
    page = console.open("decisions")
    page.get_by_role("button", name="Deleted", exact=True).click()

    expect(page.get_by_text("None here")).to_be_visible()
    expect(page.get_by_text("No decisions yet")).to_have_count(0)
