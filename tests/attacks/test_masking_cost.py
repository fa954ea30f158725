"""Masking a hostile text costs linear time; sizes are checked first; nobody waits for it."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from bench.masking import ordinary

import erstwhile
from erstwhile import AsyncMemory
from erstwhile.core import errors
from erstwhile.core.settings import Settings
from erstwhile.secrets import scan
from erstwhile.secrets.masking import mask_text
from erstwhile.secrets.scan import secret_rules
from erstwhile.storage.access import Access
from tests.contracts.storage import isolation
from tests.contracts.storage.probing import UNKNOWN, outcome

HINTS = sorted({hint for rule in secret_rules() for hint in rule.hints[:1]})
FILLERS = (
    "-", " ", "a", "1", '"', "=", "password ", "password: a1 ", "key is ", "a1B2" * 20, "密码",
    "eyJ.", "user: x password ", "set the pass to ", "://a:b", "seed phrase ", "\\\n", "\u200b",
    "".join(HINTS),
)  # fmt: skip
SHORT, MAX_GROWTH = 8_000, 9
PLAIN = Settings(embedder="none")


def seconds(text: str, runs: int, work: Callable[[str], object] = mask_text) -> float:
    """Return the processor time, the best of several runs."""
    taken = list[float]()
    for _ in range(runs):
        began = time.thread_time()
        work(text)
        taken.append(time.thread_time() - began)
    return min(taken)


@pytest.mark.parametrize("filler", FILLERS, ids=range(len(FILLERS)))
def test_four_times_the_text_costs_about_four_times_as_much(filler: str) -> None:
    mask_text(filler * 100)  # compiles the patterns
    texts = [filler * (size // len(filler)) for size in (SHORT, 4 * SHORT)]
    for runs in (1, 5):
        short, long = (seconds(text, runs) for text in texts)
        if long < MAX_GROWTH * max(short, 1e-3):
            return
    pytest.fail(f"{long * 1e3:.0f} ms after {short * 1e3:.0f} ms")


@pytest.mark.parametrize("kind", ordinary())
def test_ordinary_text_costs_a_few_times_as_much_as_finding_words(kind: str) -> None:
    texts, words = ordinary(), re.compile(r"\w+")
    ratios = (
        seconds(texts[kind], 5) / seconds(texts["English"], 5, words.findall) for _ in range(9)
    )
    assert any(ratio < 4 for ratio in ratios)


def test_what_is_too_large_is_refused_before_it_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    huge = "password: hunter2 " * 300_000

    def masked(text: str) -> str:
        assert len(text) < 1_000_000
        return text

    monkeypatch.setattr(scan, "_masked", masked)
    with erstwhile.open(":memory:", settings=PLAIN) as memory:
        ana = memory.scoped(user="ana")
        calls: list[Callable[[], Any]] = [
            lambda: ana.remember(huge),
            lambda: ana.remember("tea", metadata={"a": huge}),
            lambda: ana.conversations.add("user", huge),
            lambda: ana.conversations.add("user", "hi", metadata={huge: 1}),
            lambda: ana.blocks.add("notes", huge),
            lambda: ana.tasks.add(huge),
            lambda: ana.facts.set("home", huge),
            lambda: ana.recall(huge),
        ]
        for call in calls:
            with pytest.raises(erstwhile.InvalidInputError):
                call()


@pytest.fixture
def masked_inside(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that were masked while a transaction ran; it is filled later.

    Messages of errors are left out: they are cut to a short length, and end the transaction.
    """
    inside, found = threading.local(), list[str]()
    change, mask, safe_message = Access.change, scan._masked, errors.safe_message

    def changing(self: Access, work: Callable[..., Any], **given: Any) -> Any:
        def watched(unit: Any) -> Any:
            inside.now = True
            try:
                return work(unit)
            finally:
                inside.now = False

        return change(self, watched, **given)

    def message(text: str) -> str:
        before, inside.now = getattr(inside, "now", False), False
        try:
            return safe_message(text)
        finally:
            inside.now = before

    def masked(text: str) -> str:
        if getattr(inside, "now", False):
            found.append(text)
        return mask(text)

    monkeypatch.setattr(Access, "change", changing)
    monkeypatch.setattr(errors, "safe_message", message)
    monkeypatch.setattr(scan, "_masked", masked)
    return found


def test_no_verb_masks_a_text_while_a_lock_is_held(masked_inside: list[str]) -> None:
    """The verbs are those of the contract on isolation, which fails if one is forgotten there."""
    with erstwhile.open(":memory:", settings=PLAIN) as memory:
        ana = memory.scoped(user="ana")
        records = isolation.live(ana)
        for verb in isolation.CHANGING_BY_ID.values():
            for record in records[::4]:
                outcome(verb, ana, record.id)
        filled = set[str]()
        for name, verb in isolation.CHANGING.items():
            holder = name.partition(".")[0]
            user = name if holder in ("Blocks", "Memory") else holder
            somebody = memory.scoped(user=user)
            if user not in filled:
                filled.add(user)
                isolation.live(somebody)
            outcome(verb, somebody, UNKNOWN)
    assert masked_inside == []


def test_what_an_edit_puts_together_is_masked_before_it_is_stored(
    masked_inside: list[str], tmp_path: Path
) -> None:
    with erstwhile.open(tmp_path / "memory.db", settings=PLAIN) as memory:
        ana = memory.scoped(user="ana")
        ana.blocks.add("notes", "The password is")
        added = ana.blocks.replace_text("notes", " is", " is hunter2x")
        ana.blocks.update("notes", "The password is ")
        joined = ana.blocks.append("notes", "hunter2x, she says")
        fact = ana.remember("The password is unknown", metadata={"a": "b"})
        replaced = ana.facts.replace(fact.id, "The password is hunter2x")
    assert "hunter2x" not in added.content + joined.content + replaced.text
    assert b"hunter2x" not in b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert masked_inside == []


def test_others_that_change_a_block_at_the_same_time_stop_no_edit() -> None:
    with erstwhile.open(":memory:", settings=PLAIN) as memory:
        blocks = memory.scoped(user="ana").blocks
        blocks.add("notes", "0")
        with ThreadPoolExecutor(8) as pool:
            [*pool.map(lambda number: blocks.append("notes", str(number)), range(1, 60))]
        assert sorted(map(int, blocks.get("notes").content.split())) == [*range(60)]


def test_the_event_loop_masks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, mask = set[int](), scan._masked

    def masked(text: str) -> str:
        threads.add(threading.get_ident())
        return mask(text)

    async def store() -> None:
        async with await AsyncMemory.open(":memory:", settings=PLAIN) as memory:
            ana = memory.scoped(user="ana")
            await ana.conversations.add("user", "password: hunter2x " * 1_000)
            await ana.remember("Ana likes tea", metadata={"a": "b"})
            await ana.recall("tea")
            await ana.context("tea", 500)

    monkeypatch.setattr(scan, "_masked", masked)
    asyncio.run(store())
    assert threads
    assert threading.get_ident() not in threads
