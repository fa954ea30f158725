"""Sentences, and passages of long texts."""

from __future__ import annotations

import time
from itertools import pairwise
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.search import passages
from erstwhile.search.passages import MAX_LENGTH, SIZE, asks, sentence_ends, sentence_spans, split
from erstwhile.search.terms import terms

SENTENCE = "The ferry to Horta leaves at nine and takes three hours. "
ODD_LINES = (
    "x" * 90,
    "Yes.",
    "1. A list item",
    "# A heading",
    "```",
    "| a | b |",
    "好的。",
    "\n",
    " ",
)

texts = st.text(max_size=3_000) | st.lists(
    st.sampled_from((*ODD_LINES, SENTENCE)), max_size=60
).map("\n".join)


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in split(text)]


@given(texts)
def test_passages_cover_the_text_in_order_and_none_is_empty_or_too_long(text: str) -> None:
    spans = split(text)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(end == start for (_, end), (start, _) in pairwise(spans))

    lengths = [end - start for start, end in spans]
    assert max(lengths) <= MAX_LENGTH
    assert min(lengths) > 0 or not text


@pytest.mark.parametrize("text", ["", "Ana likes tea.", SENTENCE * 5, "我们用的是什么数据库？"])
def test_a_short_text_is_one_passage(text: str) -> None:
    assert split(text) == [(0, len(text))]


def test_sentences_and_words_stay_whole() -> None:
    found = pieces(SENTENCE * 40)
    assert len(found) > 5
    assert all(piece.startswith("The ferry") and piece.endswith("hours. ") for piece in found)
    assert all(piece.endswith(" ") for piece in pieces("and then we walked along the beach " * 60))


def test_the_number_of_a_list_item_stays_with_it() -> None:
    found = pieces(" ".join(f"{number}. {SENTENCE}" for number in range(1, 60)))
    assert not [piece for piece in found if piece.rstrip()[-2].isdigit()]


def test_a_heading_begins_a_passage() -> None:
    text = f"{SENTENCE * 3}\n## Prices\n{SENTENCE * 4}"
    assert [piece[:9] for piece in pieces(text)] == ["The ferry", "## Prices"]


def test_a_short_rest_belongs_to_the_passage_before() -> None:
    found = pieces(SENTENCE * 6 + "Bring a coat.")
    assert found[-1].endswith("Bring a coat.")
    assert len(found[-1]) > SIZE / 3


def test_passages_of_chinese_have_fewer_characters() -> None:
    found = pieces("这家店的生产数据库是新的。" * 60)
    assert max(map(len, found)) < SIZE / 1.5
    assert all(piece.endswith("。") for piece in found)


@pytest.mark.parametrize(
    "unit", [".", " ", "\n", '."', "好", "好。", "A", "a=1;\n", " 1. ", ". \n", "\r\n"]
)
def test_time_grows_with_the_length_alone(unit: str) -> None:
    """Ten times the text takes far less than a hundred times as long."""
    short, long = unit * (20_000 // len(unit)), unit * (200_000 // len(unit))
    assert _seconds(long) < 40 * _seconds(short)


def _seconds(text: str) -> float:
    taken = []
    for _ in range(3):
        start = time.process_time()
        split(text)
        taken.append(time.process_time() - start)
    return min(taken)


@given(st.text(alphabet="ab c.é\n字", max_size=3_000))
def test_no_word_is_lost_or_cut(text: str) -> None:
    """The words of all passages are the words of the text."""
    parts = passages.whole_words(text, split(text))
    assert " ".join(" ".join(parts).split()).replace(" ", "") == "".join(text.split())


def test_a_word_longer_than_passages_is_found_whole() -> None:
    word = "x" * 5_000
    first, *others = passages.whole_words(f"a {word} b", split(f"a {word} b"))
    assert terms(word)[0] in terms(first)
    assert "x" not in "".join(others)


def test_the_end_of_a_word_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a text without spaces would take quadratic time."""
    space = Mock(search=Mock(wraps=passages._SPACE.search))
    monkeypatch.setattr(passages, "_SPACE", space)
    text = "x" * 100_000
    assert len("".join(passages.whole_words(text, split(text)))) == len(text)
    assert space.search.call_count == 1


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("He left… She said “no.” Then", ["He left…", "She said “no.”", "Then"]),
        ("我叫小明。住在北京！你呢？", ["我叫小明。", "住在北京！", "你呢？"]),
        ("「はい。」そう言った。", ["「はい。」", "そう言った。"]),
        ("a line\n\n  another line\nend", ["a line", "another line", "end"]),
        ("What?! Really...  Yes", ["What?!", "Really...", "Yes"]),
        (
            "Ask HR. So do I. He said no. She left at 5 p.m. Then we",
            ["Ask HR.", "So do I.", "He said no.", "She left at 5 p.m.", "Then we"],
        ),
        ("It needs Python 3.11. Then it runs", ["It needs Python 3.11.", "Then it runs"]),
        ("I am 25. 30 is old.", ["I am 25.", "30 is old."]),
        ("Ask the Dr.\nthen", ["Ask the Dr.", "then"]),
        ("1. First\n2. Second one. Third", ["1. First", "2. Second one.", "Third"]),
    ],
)
def test_sentences_end_at_their_marks(text: str, split: list[str]) -> None:
    assert sentences(text) == split


@pytest.mark.parametrize(
    "text",
    ["Dr. Smith met Mrs. Jones", "See No. 5 of the list", "It costs 3.5 euros", "In Dec. 2024 she",
     "J. K. Rowling wrote it", "am 7. Mai in Berlin", "the file a.py is here", "e.g. this one",
     "with Python 3.11. or later", "Acme Inc. of Rome", "see 2.1 and 2.2", "2.1. Introduction",
     "3. **Bold** item", "El Sr. García vive aquí", "siehe Abs. 2 und Nr. 5", "z. B. im Café",
     "Voir p. 12", "Smith et al. wrote it", "Он живёт на ул. Ленина", "vol. 3, fig. 2"],
)  # fmt: skip
def test_an_abbreviation_ends_no_sentence(text: str) -> None:
    assert sentences(text) == [text]


@given(st.text(alphabet="aA1 .!?。\n\"'”)"), st.integers(0, 5))
def test_sentences_cover_all_but_space(text: str, start: int) -> None:
    first = min(start, len(text))
    spans = [*sentence_spans(text, first)]
    ends = [first, *(end for _, end in spans)]
    gaps = [text[end:begin] for end, (begin, _) in zip(ends, spans, strict=False)]
    assert all(not gap.strip() for gap in [*gaps, text[ends[-1] :]])
    assert all(end <= start for end, start in sentence_ends(text))


@pytest.mark.parametrize(
    ("text", "percent"),
    [
        ("Mel: How was your trip?", 100),
        ("It rained. How was yours?", 50),
        ("I moved to Lisbon in May", 0),
        ("你去哪里了？", 100),
        ("She asked “why?” Nobody knew.", 50),
        (
            "I work as a nurse in Hamburg and have two children there, can you advise us?",
            0,
        ),
        ("?", 100),
    ],
)
def test_only_short_questions_count_as_asking(text: str, percent: int) -> None:
    """A long question tells something."""
    assert asks(text) == percent
