"""How often reconciliation decides as a person did, and the page about it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from bench.sets.reconciling import LABELS, Tally, act_for, read_labelled_pairs, tally

from erstwhile.learning.candidate import Act

PAIRS = read_labelled_pairs(Path(__file__).parent / "data" / "pairs.jsonl")
PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "reconcile.md").read_text("utf-8")
FIGURES = re.findall(r"\| (\w+), (\w+) \| (\d+) \| (\d+) \(([\d.]+) %\) \| (\d+) \| (\d+) \|", PAGE)
EXAMPLES = re.findall(
    r"\| (.+?) \| (.+?) \| (repeat|supersede|conflict|add)\b", PAGE.split("## Who")[0]
)
LANGUAGES = {"English": "en", "Chinese": "zh"}


def counted(split: str, language: str) -> Tally:
    return tally(pair for pair in PAIRS if (pair.split, pair.language) == (split, language))


def test_there_are_enough_pairs_and_none_twice() -> None:
    """At least 360, at least 120 of them Chinese, all labels in both languages."""
    assert len(PAIRS) >= 360
    assert sum(pair.language == "zh" for pair in PAIRS) >= 120
    assert len({(pair.known, pair.said) for pair in PAIRS}) == len(PAIRS)
    assert set(Counter((pair.language, pair.label) for pair in PAIRS)) == {
        (language, label) for language in ("en", "zh") for label in LABELS
    }


def test_no_fact_is_retired_wrongly_and_no_statement_is_lost() -> None:
    """On the pairs that the rules were tuned on, and on held-out pairs."""
    found = tally(PAIRS)
    assert (found.wrongly_retired, found.wrongly_merged) == (0, 0)


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: f"{row[0]}, {row[1]}")
def test_the_published_figures_are_those_measured(row: tuple[str, ...]) -> None:
    """With fewer errors the page must be updated, too."""
    split, language, pairs, errors, percent, retired, merged = row
    found = counted(split, LANGUAGES[language])
    assert (found.pairs, found.wrong) == (int(pairs), int(errors))
    assert (found.wrongly_retired, found.wrongly_merged) == (int(retired), int(merged))
    assert f"{100 * found.wrong / found.pairs:.1f}" == percent


def test_the_page_tells_of_every_split_and_of_all() -> None:
    told = {(split, LANGUAGES[language]) for split, language, *_ in FIGURES}
    assert told == {(pair.split, pair.language) for pair in PAIRS}
    found = tally(PAIRS)
    assert f"| all | {found.pairs} | {found.wrong} (" in PAGE
    for label in LABELS:
        counts = " | ".join(str(found.counts.get((label, act), 0)) for act in LABELS.values())
        assert f"| {label} | {counts} |" in PAGE


@pytest.mark.parametrize(("known", "said", "done"), EXAMPLES)
def test_the_examples_of_the_page_are_decided_so(known: str, said: str, done: str) -> None:
    assert act_for(known, said) == done


def test_the_page_has_an_example_of_each() -> None:
    assert {done for _, _, done in EXAMPLES} == set(LABELS.values())


def test_what_counts_as_wrong() -> None:
    """The errors that matter are a retired fact and a lost statement."""
    counts = {
        ("supersede", Act.SUPERSEDE): 5,
        ("supersede", Act.ADD): 1,
        ("conflict", Act.SUPERSEDE): 2,
        ("unrelated", Act.REPEAT): 3,
    }
    found = Tally(counts)
    assert (found.pairs, found.wrong, found.wrongly_retired, found.wrongly_merged) == (11, 6, 2, 3)
