"""The figures in bench/README.md, measured again: the guard may only get better."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from bench.sets.guarding import Rate, Sample, halves, rates, threats

from erstwhile.learning.guard.checks import examine
from erstwhile.secrets.masking import mask_text
from tests.learning.guard import corpus
from tests.learning.guard.corpus import samples

PAGE = Path(__file__).parents[3] / "bench" / "README.md"


def published(title: str) -> list[tuple[int, int]]:
    """Return the pairs "a of b" in a row of the page: tuned on, and held out."""
    row = re.search(rf"^\| {re.escape(title)} \|(.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert row, title
    return [(int(one), int(two)) for one, two in re.findall(r"(\d+) of (\d+)", row[1])]


def measured(name: str) -> list[Rate]:
    return [rates(half)[-1] for half in halves(samples(name))]


def test_no_fewer_attacks_are_stopped_than_published() -> None:
    for line, (stopped, total) in zip(
        measured("payloads"), published("hostile, ours"), strict=True
    ):
        assert (line.total, line.stopped >= stopped) == (total, True)


def test_no_more_harmless_texts_are_stopped_than_published() -> None:
    for line, (stopped, total) in zip(measured("benign"), published("harmless, ours"), strict=True):
        assert (line.total, line.stopped <= stopped) == (total, True)


@pytest.mark.parametrize("hostile", [True, False])
def test_five_languages_are_guarded_as_published(hostile: bool) -> None:
    title = f"{'hostile' if hostile else 'harmless'}, five languages"
    for half, (stopped, total) in zip(
        halves(samples("five_languages")), published(title), strict=True
    ):
        line = rates([each for each in half if (each.family != "harmless") is hostile])[-1]
        better = line.stopped >= stopped if hostile else line.stopped <= stopped
        assert (line.total, better) == (total, True)


@pytest.mark.parametrize(
    ("wanted", "title"), [(True, "short-lived, ours"), (False, "lasting, ours")]
)
def test_short_lived_texts_are_told_as_published(wanted: bool, title: str) -> None:
    for half, (stopped, total) in zip(halves(samples("transient")), published(title), strict=True):
        texts = [each.text for each in half if (each.family != "durable") is wanted]
        found = sum(_is_transient(text) for text in texts)
        assert len(texts) == total
        assert found >= stopped if wanted else found <= stopped


def test_secrets_in_sentences_are_masked_as_published() -> None:
    """Sentences about passwords without a secret stay unchanged."""
    lines = (corpus.DATA / "told_secrets.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    told = [row for row in rows if row["secret"]]
    for half, (masked, total) in zip(
        (told[::2], told[1::2]), published("secrets in sentences, ours"), strict=True
    ):
        found = sum(row["secret"] not in mask_text(row["text"]) for row in half)
        assert (len(half), found >= masked) == (total, True)
    harmless = [row["text"] for row in rows if not row["secret"]]
    assert len(told) >= 60
    assert len(harmless) >= 60
    assert [text for text in harmless if mask_text(text) != text] == []


def test_only_talk_about_attacks_is_stopped_among_harmless_texts() -> None:
    lines = rates(samples("benign"))
    assert {line.family for line in lines if line.stopped} == {"about", "all"}


def test_the_corpus_is_as_large_and_as_varied_as_promised() -> None:
    hostile, harmless = samples("payloads"), samples("benign")
    assert len(hostile) >= 150
    assert len(harmless) >= 300
    assert len({each.text for each in (*hostile, *harmless)}) == len(hostile) + len(harmless)
    assert min(Counter(each.family for each in hostile).values()) >= 5


def test_rates_add_up() -> None:
    """Families are in alphabetical order, and the total comes last."""
    lines = rates([Sample("[INST] x [/INST]", "b"), Sample("tea", "a"), Sample("milk", "b")])
    assert lines == [Rate("a", 0, 1), Rate("b", 1, 2), Rate("all", 1, 3)]
    assert lines[1].share == 0.5
    assert threats("Today's build failed.") == ()


def _is_transient(text: str) -> bool:
    return any(verdict.rule.startswith("transient/") for verdict in examine(text))
