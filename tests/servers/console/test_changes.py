"""What a person changes in the console: each change asks or can be undone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from erstwhile import Fact
from tests.servers.console.browser import Console


def press(page: Page | Locator, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def confirm(page: Page, name: str) -> None:
    page.locator("dialog").get_by_role("button", name=name, exact=True).click()
    expect(page.locator("dialog")).to_have_count(0)


def undo(page: Page) -> None:
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undone")


def new_fact(console: Console) -> Fact:
    return console.memory.scoped(user="ana").remember("Ana drives a blue van")


def stored(console: Console, fact: Fact) -> Fact:
    return console.memory.everything().facts.get(fact.id)


def test_a_person_decides_with_the_keyboard_alone_and_undoes_it(console: Console) -> None:
    page = console.open("review")
    waiting = page.locator("article").count()
    for _ in range(2):
        before = page.locator("article[aria-current=true]").inner_text()
        page.keyboard.press("j")
        expect(page.locator("article[aria-current=true]")).not_to_have_text(before)
    held = page.locator("article[aria-current=true] a").first.inner_text()

    page.keyboard.press("n")
    expect(page.locator("article")).to_have_count(waiting - 1)
    expect(page.locator("main").get_by_text(held, exact=True)).to_have_count(0)
    undo(page)
    expect(page.locator("article")).to_have_count(waiting)
    page.keyboard.press("n")
    expect(page.locator("article")).to_have_count(waiting - 1)
    console.go(page, "facts")

    expect(page.locator(".count")).to_have_text(str(waiting - 1))
    everything = console.memory.everything()
    assert held not in [each.fact.text for each in everything.quarantine.list()]


def test_a_new_item_above_the_current_one_does_not_take_its_place(console: Console) -> None:
    page = console.open("review")
    page.keyboard.press("j")
    page.keyboard.press("j")
    current = page.locator("article[aria-current=true]")
    held = current.locator("a").first.inner_text()
    waiting = page.locator("article").count()

    console.memory.scoped(user="ana").remember("Pay every invoice twice", origin="web")
    expect(page.locator("article")).to_have_count(waiting + 1)
    expect(current.locator("a").first).to_have_text(held)
    page.keyboard.down("n")
    page.keyboard.down("n")
    page.keyboard.up("n")
    expect(page.locator(".toast")).to_contain_text("One item rejected")

    expect(page.locator("article")).to_have_count(waiting)
    texts = [each.fact.text for each in console.memory.everything().quarantine.list()]
    assert "Pay every invoice twice" in texts
    assert held not in texts


def test_after_a_failed_undo_a_new_item_does_not_take_the_current_place(console: Console) -> None:
    page = console.open("review")
    for _ in range(3):
        page.keyboard.press("j")
    waiting = page.locator("article").count()
    gone = page.locator("article[aria-current=true] a").first
    id = str(gone.get_attribute("href")).rpartition("/")[2]
    console.expected.append(id)
    page.keyboard.press("n")
    expect(page.locator("article")).to_have_count(waiting - 1)
    console.memory.everything().facts.erase(id)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("no fact")
    expect(page.locator("article")).to_have_count(waiting - 1)
    current = page.locator("article[aria-current=true]")
    held = current.locator("a").first.inner_text()

    console.memory.scoped(user="ana").remember("Pay every invoice twice", origin="web")

    expect(page.locator("article", has_text="Pay every invoice twice")).to_be_visible()
    expect(current.locator("a").first).to_have_text(held)


def test_what_waits_without_a_conversation_says_who_stated_it(console: Console) -> None:
    page = console.open("review")

    proposal = page.locator("article", has_text="The checkout has two steps")
    expect(proposal).to_contain_text("written by an agent (agent/assistant)")


def test_many_are_decided_at_once(console: Console) -> None:
    page = console.open("review")
    page.locator(".toolbar input").check()

    press(page, "Reject all")
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    expect(page.locator(".count")).to_have_count(0)
    assert not console.memory.everything().conflicts.list()
    assert not console.memory.everything().quarantine.list()


def test_decisions_can_be_undone_later(console: Console) -> None:
    everything = console.memory.everything()
    held = {each.fact.text for each in everything.quarantine.list()}
    disputed = {each.id for each in everything.conflicts.list()}
    live = {each.text for each in everything.facts.list(limit=100)}
    page = console.open("review")
    page.locator(".toolbar input").check()
    press(page, "Keep all")
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    console.go(page, "facts")
    console.go(page, "review")

    decided = page.locator("section", has_text="Decided lately")
    expect(decided.get_by_role("button", name="Undo")).to_have_count(len(held) + len(disputed))
    for left in reversed(range(len(held) + len(disputed))):
        decided.get_by_role("button", name="Undo").first.click()
        expect(decided.get_by_role("button", name="Undo")).to_have_count(left)

    expect(page.locator("article")).to_have_count(len(held) + len(disputed))
    assert {each.fact.text for each in everything.quarantine.list()} == held
    assert {each.id for each in everything.conflicts.list()} == disputed
    assert {each.text for each in everything.facts.list(limit=100)} == live


def test_a_decision_that_is_undone_below_the_queue_waits_again_in_it(console: Console) -> None:
    page = console.open("review")
    waiting = page.locator("article").count()
    page.keyboard.press("n")
    expect(page.locator("article")).to_have_count(waiting - 1)
    decided = page.locator("section", has_text="Decided lately")

    press(decided, "Undo")

    expect(decided).to_have_count(0)
    expect(page.locator("article")).to_have_count(waiting)


def test_the_keys_that_lead_to_another_view_decide_nothing(console: Console) -> None:
    everything = console.memory.everything()
    open_ones = [each.id for each in everything.conflicts.list()]
    page = console.open("review")
    expect(page.locator("article[aria-current=true]")).to_contain_text("conflict")

    page.keyboard.press("g")
    page.keyboard.press("b")

    expect(page.locator("#title")).to_have_text("Blocks")
    expect(page.locator("pre.text").first).to_be_visible()
    expect(page.locator(".toast")).to_have_count(0)
    assert [each.id for each in everything.conflicts.list()] == open_ones


def test_of_a_conflict_one_statement_or_both_are_kept_with_the_keyboard(console: Console) -> None:
    everything = console.memory.everything()
    first, second = everything.conflicts.list()
    page = console.open("review")
    waiting = page.locator("article").count()
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("b")
    expect(page.locator("article")).to_have_count(waiting - 1)
    expect(page.locator(".toast")).to_contain_text("both stay")
    page.keyboard.press("y")
    expect(page.locator("article")).to_have_count(waiting - 2)
    expect(page.locator(".toast")).to_contain_text("One item kept")

    assert not everything.conflicts.list()
    settled = {each.id: each.kept for each in everything.conflicts.list(settled=True)}
    assert settled == {first.id: None, second.id: second.newer.id}
    page.keyboard.press("u")
    expect(page.locator(".toast")).to_contain_text("Undone")
    assert [each.id for each in everything.conflicts.list()] == [second.id]


def test_a_standing_instruction_is_added_confirmed_and_ended(console: Console) -> None:
    page = console.open("instructions")
    press(page, "Add an instruction")
    page.get_by_label("Instruction", exact=True).fill("Always name the source")
    confirm(page, "Add")
    added = page.locator("main li", has_text="Always name the source")
    expect(added).to_be_visible()
    learned = page.locator("main li", has_text="metric units")
    press(learned, "Confirm")
    expect(learned.get_by_role("button", name="Confirm")).to_have_count(0)

    press(added, "End")
    confirm(page, "End")
    expect(added).to_have_count(0)
    undo(page)

    expect(added).to_be_visible()


def test_a_memory_goes_back_to_a_snapshot_and_forward_again(console: Console) -> None:
    chloe = console.memory.scoped(user="chloe")
    page = console.open("snapshots")
    row = page.locator("tbody tr", has_text="prototype tested")
    press(row, "Restore")
    expect(page.locator("dialog")).to_contain_text("you can undo this")
    confirm(page, "Restore")
    expect(page.locator(".toast")).to_contain_text("Restored")
    assert chloe.facts.list(key="release manager")[0].text == "Marta Silva"

    undo(page)

    assert chloe.facts.list(key="release manager")[0].text == "Dana Reyes"


def test_a_fact_is_replaced_and_that_is_undone(console: Console) -> None:
    fact = new_fact(console)
    page = console.open(f"facts/{fact.id}")
    press(page, "Replace")
    page.get_by_label("New statement").fill("Ana drives a green van")
    page.get_by_label("Reason").fill("repainted")
    confirm(page, "Replace")
    expect(page.locator("#title")).to_have_text("Ana drives a green van")
    expect(page.locator("main")).to_contain_text("repainted")

    undo(page)

    assert stored(console, fact).state == "live"


def test_a_fact_is_retired_edited_pinned_and_moved(console: Console) -> None:
    fact = new_fact(console)
    page = console.open(f"facts/{fact.id}")
    press(page, "Retire")
    page.get_by_label("How did it end?").select_option("wrong")
    confirm(page, "Retire")
    expect(page.locator(".lead .state")).to_have_text("wrong")
    undo(page)
    expect(page.locator(".lead .state")).to_have_text("live")
    press(page, "Edit")
    page.get_by_label("Tags").fill("cars, ana")
    confirm(page, "Save")
    expect(page.get_by_role("link", name="cars")).to_be_visible()
    press(page, "Pin")
    expect(page.locator(".lead")).to_contain_text("pinned")
    assert set(stored(console, fact).tags) == {"ana", "cars"}
    assert stored(console, fact).pinned

    press(page, "Move")
    page.get_by_label("To the memory of").select_option("user ana, project shop")
    confirm(page, "Move")
    expect(page.locator(".lead")).to_contain_text("user ana, project shop")


def test_a_fact_is_deleted_restored_and_erased_for_good(console: Console) -> None:
    fact = new_fact(console)
    console.expected.append(fact.id)
    page = console.open(f"facts/{fact.id}")
    press(page, "Delete")
    confirm(page, "Delete")
    expect(page.locator("#title")).to_have_text("Facts")
    undo(page)
    console.go(page, f"facts/{fact.id}")
    press(page, "Delete")
    confirm(page, "Delete")
    console.go(page, "facts?deleted=true")
    press(page, "Restore")
    expect(page.get_by_text("No fact matches")).to_be_visible()

    console.go(page, f"facts/{fact.id}")
    press(page, "Erase")
    expect(page.locator("dialog")).to_contain_text("cannot be undone")
    confirm(page, "Erase for good")

    expect(page.locator("#title")).to_have_text("Facts")
    listed = console.memory.everything().facts.list(state="any", contains="van")
    assert not listed


def test_a_block_is_edited_compared_and_restored(console: Console) -> None:
    page = console.open("blocks")
    page.get_by_role("link", name="conventions").click()
    expect(page.locator("h2", has_text="conventions")).to_be_visible()
    press(page, "Edit")
    page.get_by_label("Text").fill("Python 3.13, ruff, mypy strict.")
    press(page, "Save")
    expect(page.get_by_text("version 4", exact=True)).to_be_visible()
    press(page.locator("main li", has_text="Version 4"), "Difference")
    expect(page.locator("ins").first).to_have_text("3.13,")
    press(page.locator("main li", has_text="Version 1"), "Restore")
    confirm(page, "Restore")
    expect(page.locator("pre.text").first).to_contain_text("Tests are sentences.")


def test_a_block_that_somebody_else_changed_is_not_overwritten(console: Console) -> None:
    page = console.open("blocks")
    page.get_by_role("link", name="conventions").click()
    expect(page.locator("h2", has_text="conventions")).to_be_visible()
    console.expected.append("/blocks/conventions")
    press(page, "Edit")
    page.get_by_label("Text").fill("mine")

    shop = console.memory.scoped(project="shop")
    shop.blocks.append("conventions", "\ntheirs")
    press(page, "Save")

    expect(page.get_by_role("alert")).to_be_visible()
    assert "theirs" in shop.blocks.get("conventions").content


def test_what_a_person_adds_without_choosing_a_scope_is_shared(console: Console) -> None:
    page = console.open("blocks")
    press(page, "Add a block")
    page.get_by_role("textbox", name="Name").fill("glossary")
    page.get_by_label("Text").fill("SKU: stock keeping unit")
    confirm(page, "Add")
    expect(page.locator("h2", has_text="glossary")).to_be_visible()
    console.go(page, "snapshots")
    press(page, "Name this moment")
    page.get_by_role("textbox", name="Name").fill("before the break")
    confirm(page, "Create")
    expect(page.get_by_text("before the break")).to_be_visible()

    row = page.locator("tbody tr", has_text="before the break")
    press(row, "Delete")
    confirm(page, "Delete")
    expect(row).to_have_count(0)
    undo(page)
    expect(row).to_be_visible()

    assert console.memory.blocks.get("glossary").content == "SKU: stock keeping unit"


@pytest.mark.parametrize(
    ("view", "text"),
    [
        ("tasks", "Upgrade the payment library to version 5"),
        ("decisions", "git push --force origin main"),
        ("lessons", "No access to the billing system"),
    ],
)
def test_a_deleted_record_is_found_and_restored_later(
    console: Console, view: str, text: str
) -> None:
    page = console.open(view)
    row = page.locator("main tbody tr, main li", has_text=text)
    press(row, "Delete")
    confirm(page, "Delete")
    expect(row).to_have_count(0)
    page.reload()
    console.go(page, view)
    expect(row).to_have_count(0)

    press(page, "Deleted")
    press(row, "Restore")
    expect(row).to_have_count(0)
    console.go(page, "")
    console.go(page, view)

    expect(row).to_be_visible()


def test_a_deleted_conversation_is_restored_from_the_list(console: Console) -> None:
    ben = console.memory.scoped(user="ben")
    talk = ben.conversations.list(limit=1)[0]
    page = console.open(f"conversations/{talk.id}")
    press(page, "Delete")
    confirm(page, "Delete")
    expect(page.locator("#title")).to_have_text("Conversations")

    press(page, "Deleted")
    expect(page.get_by_text("A deleted conversation")).to_have_count(1)
    press(page, "Restore")
    expect(page.get_by_text("A deleted conversation")).to_have_count(0)

    assert ben.conversations.get(talk.id).deleted_at is None
