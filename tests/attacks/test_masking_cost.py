"""Masking a hostile text costs linear time; sizes are checked first; nobody waits for it."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from bench.masking import ordinary

import erstwhile
from erstwhile import AsyncMemory
from erstwhile.core.settings import Settings
from erstwhile.secrets import masking
from erstwhile.secrets.masking import mask_text, secret_rules
from erstwhile.storage.access import Access

HINTS = sorted({rule.hints[0] for rule in secret_rules()})
FILLERS = (
    "-", " ", "a", "1", '"', "=", "password ", "password: a1 ", "key is ", "a1B2" * 20, "密码",
    "eyJ.", "user: x password ", "set the pass to ", "://a:b", "seed phrase ", "\\\n", "\u200b",
    "".join(HINTS),
)  # fmt: skip
SHORT, MOST_GROWTH = 8_000, 9
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
        if long < MOST_GROWTH * max(short, 1e-3):
            return
    pytest.fail(f"{long * 1e3:.0f} ms after {short * 1e3:.0f} ms")


@pytest.mark.parametrize("kind", ordinary())
def test_ordinary_text_costs_a_few_times_as_much_as_finding_words(kind: str) -> None:
    texts, words = ordinary(), re.compile(r"\w+")
    ratios = (
        seconds(texts[kind], 5) / seconds(texts["English"], 5, words.findall) for _ in range(9)
    )
    assert any(ratio < 5 for ratio in ratios)


def test_what_is_too_large_is_refused_before_it_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    huge = "password: hunter2 " * 300_000

    def masked(text: str) -> str:
        assert len(text) < 1_000_000
        return text

    monkeypatch.setattr(masking, "_masked", masked)
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


def test_no_new_text_is_masked_while_a_lock_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is put together from stored text is masked there: an edited block or fact."""
    inside, seen = threading.local(), {"inside": 0, "outside": 0}
    change, mask = Access.change, masking._masked

    def changing(self: Access, work: Callable[..., Any], *, alone: bool = False) -> Any:
        def watched(unit: Any) -> Any:
            inside.now = True
            try:
                return work(unit)
            finally:
                inside.now = False

        return change(self, watched, alone=alone)

    def masked(text: str) -> str:
        seen["inside" if getattr(inside, "now", False) else "outside"] += 1
        return mask(text)

    monkeypatch.setattr(Access, "change", changing)
    monkeypatch.setattr(masking, "_masked", masked)
    with erstwhile.open(":memory:", settings=PLAIN) as memory:
        ana = memory.scoped(user="ana")
        ana.remember("Ana likes tea", metadata={"a": "b"})
        ana.remember_many(["Ana likes milk", "Ana likes rum"])
        ana.conversations.add("user", "hello", metadata={"a": "b"})
        ana.tasks.add("Call mom", metadata={"a": "b"})
        ana.facts.set("home", "Lisbon")
    assert seen["outside"] > 10
    assert seen["inside"] == 0


def test_the_event_loop_masks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, mask = set[int](), masking._masked

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

    monkeypatch.setattr(masking, "_masked", masked)
    asyncio.run(store())
    assert threads
    assert threading.get_ident() not in threads
