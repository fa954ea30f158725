"""The console on a memory with 100 000 facts; on PostgreSQL, which is slower to fill, 20 000."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, expect

import erstwhile
from erstwhile import Memory
from erstwhile.testing.clock import FakeClock
from tests.servers.console.browser import served
from tests.servers.console.views import VIEWS

USERS, EACH = 10, 500
DAYS = {"sqlite": 20, "postgres": 4}
THINGS = [
    "invoice",
    "garden",
    "kayak",
    "coffee",
    "server",
    "violin",
    "train",
    "museum",
    "passport",
    "camera",
    "doctor",
]


def fill(location: str, days: int) -> None:
    chance, clock = random.Random(1), FakeClock()
    with erstwhile.open(location, clock=clock, embedder="none", llm="none") as memory:
        for day in range(days):
            clock.set(datetime.now(UTC) - timedelta(days=days - day))
            for user in range(USERS):
                remember(memory.scoped(user=f"user{user}"), chance, day * USERS + user)


def remember(view: Memory, chance: random.Random, part: int) -> None:
    named = [chance.sample(THINGS, 2) for _ in range(EACH)]
    view.remember_many(
        {"text": f"The {a} near the {b} has number {part * EACH + place}", "entities": [a, b]}
        for place, (a, b) in enumerate(named)
    )


@pytest.fixture(params=DAYS)
def big(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, int]:
    """Return the address of a memory with many facts, and their number."""
    if request.param == "sqlite":
        location = str(tmp_path / "big.db")
    else:
        monkeypatch.setenv("ERSTWHILE_SPACE", uuid4().hex)
        location = request.getfixturevalue("postgres")
    fill(location, DAYS[request.param])
    return location, DAYS[request.param] * USERS * EACH


def test_every_view_opens_and_the_table_pages_and_searches(
    browser: Browser, big: tuple[str, int], tmp_path: Path
) -> None:
    location, count = big
    with (
        erstwhile.open(location, embedder="none", llm="none") as memory,
        served(browser, memory, tmp_path) as console,
    ):
        page = console.open()
        expect(page.locator("main")).to_contain_text(f"{count:,}")
        for view, (title, _) in VIEWS.items():
            console.go(page, view)
            expect(page.locator("#title")).to_have_text(title)
            expect(page.locator(".notice[role=alert]")).to_have_count(0)
            assert page.locator("#app *").count() < 6_000
        console.go(page, "facts")
        first = page.locator("tbody tr").first.inner_text()
        page.get_by_role("button", name="Older").click()
        expect(page.locator("tbody tr").first).not_to_have_text(first)
        expect(page.locator("tbody tr")).to_have_count(50)
        page.get_by_label("Text contains").fill("number 12345")
        expect(page.locator("tbody tr")).to_have_count(1)
        assert console.problems == []
