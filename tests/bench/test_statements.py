"""Labelled sentences, and what patterns learn from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.evaluation.statements import (
    LabelledSentence,
    own_sentences,
    public_sentences,
    read_sentences,
)

from erstwhile import InvalidInputError
from tests.bench.samples import LONGMEMEVAL, beam, written
from tests.docs.pages import PROJECT

DATA = PROJECT.parent / "shared" / "data"
FILES = [DATA / "beam" / "beam-100k-1to8.json", DATA / "locomo" / "locomo10.json"]


def _label(sentence: str, *said: str, message: str = "") -> LabelledSentence:
    return LabelledSentence(
        set="own en", split="held", message=message or sentence, sentence=sentence, said=said
    )


def test_the_set_has_many_languages_and_sentences_without_a_statement() -> None:
    labels = own_sentences()
    assert len({each.set for each in labels}) >= 8
    assert len(labels) >= 300
    assert sum(not each.said for each in labels) >= len(labels) / 3
    assert not any("[" in each.sentence for each in labels if each.said)


def test_a_statement_is_learned() -> None:
    [read] = read_sentences([_label("I have two cats.", "I have two cats")])
    assert len(read.learned) == 1
    assert (read.wrong, read.missed) == ([], [])


def test_what_is_wrong_and_missed_is_told() -> None:
    """A wrong label shows that both are counted."""
    [read] = read_sentences([_label("I have two cats.", "My garden burns")])
    assert [each.text for each in read.wrong] == ["The user has two cats"]
    assert read.missed == ["My garden burns"]


def test_what_another_sentence_of_the_message_says_does_not_count() -> None:
    [read] = read_sentences([_label("Hello there.", message="Hello there. I have two cats.")])
    assert read.learned == ()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_public_sentences_are_where_they_were_labelled(file: Path) -> None:
    if not file.exists():
        pytest.skip(f"{file.name} is not here: the data may be used, but not copied")
    labels = public_sentences(file)
    assert len(labels) >= 200
    assert all(span in each.message for each in labels for span in (*each.said, *each.may))


def test_another_file_is_not_measured_with_these_labels(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="not the one that was labelled") as refused:
        public_sentences(written(tmp_path, "beam.json", [beam()]))
    assert refused.value.remedy == "use the published file"
    with pytest.raises(InvalidInputError, match="no labelled statements"):
        public_sentences(LONGMEMEVAL)
