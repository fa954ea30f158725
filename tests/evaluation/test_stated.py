"""Learning without a model: the share of personal statements learned, and the precision."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from math import floor
from pathlib import Path
from typing import Any

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.evaluation.stated import (
    LabelledSentence,
    Messages,
    beam_messages,
    locomo_messages,
    own_sentences,
    run_statements,
    sentences_elsewhere,
)
from tests.docs.pages import PROJECT

PAGE = (PROJECT / "docs" / "reference" / "learning-without-a-model.md").read_text("utf-8")
PUBLISHED = re.findall(
    r"^\| (own|BEAM), (fresh|held|tune) \| (\d+) \| (\d+) \| (\d+) % \| (\d+) % \|$",
    PAGE,
    re.MULTILINE,
)
DATA = PROJECT.parent / "shared" / "data"
FILES: dict[str, tuple[Path, Callable[[Sequence[Any]], Messages]]] = {
    "BEAM": (DATA / "beam" / "beam-100k-1to8.json", beam_messages),
    "LoCoMo": (DATA / "locomo" / "locomo10.json", locomo_messages),
}


def _labels(name: str, split: str) -> list[LabelledSentence]:
    if name == "own":
        labels = own_sentences()
    else:
        file, messages = FILES[name]
        if not file.exists():
            pytest.skip(f"{file} is not here: the data may be used, but not copied")
        labels = sentences_elsewhere(name.lower(), messages(json.loads(file.read_text("utf-8"))))
    return [each for each in labels if each.split == split]


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: f"{row[0]}-{row[1]}")
def test_no_figure_is_below_what_is_published(row: tuple[str, ...]) -> None:
    name, split, sentences, said, share, precision = row
    lines = run_statements(_labels(name, split)).lines
    totals = {
        field: sum(getattr(line, field) for line in lines)
        for field in ("sentences", "said", "said_learned", "learned", "right")
    }
    assert (totals["sentences"], totals["said"]) == (int(sentences), int(said))
    assert floor(100 * totals["said_learned"] / totals["said"]) >= int(share)
    assert floor(100 * totals["right"] / totals["learned"]) >= int(precision)


def test_all_parts_are_published() -> None:
    assert len(PUBLISHED) == 5


def test_the_set_has_many_languages_and_sentences_without_a_statement() -> None:
    labels = own_sentences()
    assert len({each.language for each in labels}) >= 8
    assert len(labels) >= 300
    assert sum(not each.said for each in labels) >= len(labels) / 3


def test_what_is_wrong_and_missed_is_told() -> None:
    """A wrong label shows that both are counted."""
    sentence = "I have two cats."
    label = LabelledSentence(
        set="own en",
        split="held",
        language="en",
        message=sentence,
        sentence=sentence,
        said=("My garden burns",),
    )
    report = run_statements([label])
    [line] = report.lines
    assert (line.share, line.precision) == (0.0, 0.0)
    assert report.wrong == ("held patterns/english/has-kin: The user has two cats",)
    assert report.missed == ("held My garden burns",)


def test_another_file_is_not_measured_with_these_labels() -> None:
    with pytest.raises(InvalidInputError, match="use the published file"):
        sentences_elsewhere("beam", {})
