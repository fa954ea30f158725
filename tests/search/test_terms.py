"""Split texts and queries into terms."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer.english_stemmer import EnglishStemmer

from erstwhile.search import terms as analysis
from erstwhile.search.terms import JOINT, MAX_TERMS, query_terms, stop_terms, terms


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Deployments failed", ["deploy", "fail"]),
        ("Café CAFÉ cafe\u0301", ["cafe", "cafe", "cafe"]),
        ("Straße", ["strass"]),
        ("数据库", ["数", "据", "库", "数据", "据库"]),
        ("猫", ["猫"]),
        ("用Postgres吗", ["用", "postgr", "吗"]),
        ("get_user_name", ["get", "user", "name", f"get{JOINT}user{JOINT}name"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("src/app.py", ["src", "app", "py", f"src{JOINT}app{JOINT}py"]),
        ("3.11.7", ["3", "11", "7", f"3{JOINT}11{JOINT}7"]),
        ("Ana's cat", ["ana", "cat"]),
        ("ＡＢＣ", ["abc"]),
        ("हिन्दी", ["हिन्दी"]),
        ("¨ ´ …!?", []),
        ("🎉", []),
    ],
)
def test_a_text_gives_these_terms(text: str, wanted: list[str]) -> None:
    assert terms(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What is the name of the cat?", ["name", "cat"]),
        ("who are you", ["who", "are", "you"]),
        ("什么是数据库", ["数", "据", "库", "数据", "据库"]),
        ("tea tea TEA", ["tea"]),
        ("wie heißt die Katze", ["heisst", "katz"]),
    ],
)
def test_a_question_keeps_the_words_that_tell(text: str, wanted: list[str]) -> None:
    """Stop words stay only if there is no other word."""
    found = query_terms(text)
    assert [term for term in found if term in wanted] == wanted
    assert not set(found) & stop_terms() or found == wanted


def test_a_stem_begins_as_its_word_does() -> None:
    """Stop words are looked up by this initial."""
    words = (Path(analysis.__file__).parent / "stopwords.txt").read_text("utf-8").split()
    assert {query_terms(f"{word} zebra")[-1] for word in words} == {"zebra"}
    assert len(stop_terms()) > 300


STEMS = (
    "activ", "agre", "bab", "bus", "communic", "cr", "dy", "easi", "eas", "fail", "generat",
    "gener", "gl", "hop", "hopp", "inning", "ly", "medic", "nation", "oper", "past", "rat",
    "sensib", "sk", "succe", "tan", "univers", "vari", "y", "zoolog",
)  # fmt: skip
ENDINGS = (
    "", "s", "es", "ed", "ing", "ly", "ally", "al", "ic", "ical", "ication", "ation", "ator", "ate",
    "e", "y", "ies", "ied", "ying", "iness", "ness", "ful", "fully", "ment", "ments", "ous",
    "ousness", "ive", "iveness", "iviti", "ize", "ization", "izer", "able", "ably", "ibility",
    "ism", "ist", "ogist", "ology", "ence", "ency", "ently", "ance", "ant", "er", "ers", "est",
    "eed", "eedly", "ingly", "edly", "less", "lessly", "tional", "ss", "us", "'s",
)  # fmt: skip


@pytest.fixture
def busy_threads() -> Iterator[None]:
    """Make threads switch as often as possible."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("busy_threads")
def test_threads_that_stem_at_once_get_the_stems_of_the_rules_in_python() -> None:
    """A wrong term would be stored, and its fact would not be found."""
    words = [stem + ending for stem in STEMS for ending in ENDINGS]
    wanted = [EnglishStemmer().stemWord(word) for word in words]
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: [*map(stem, words)], range(4)):
            assert found == wanted


def test_every_thread_has_a_stemmer_of_its_own() -> None:
    together = Barrier(3, timeout=60)

    def own(_: int) -> object:
        together.wait()
        return analysis._stemming.stemmer

    with ThreadPoolExecutor(3) as pool:
        stemmers = list(pool.map(own, range(3)))
    assert len({*map(id, stemmers), id(analysis._stemming.stemmer)}) == 4


@given(st.from_regex(r"[a-z]{1,20}", fullmatch=True))
def test_the_stem_of_any_letters_is_that_of_the_rules_in_python(word: str) -> None:
    assert stem(word) == EnglishStemmer().stemWord(word)


def stem(word: str) -> str:
    return str(analysis._stemming.stemmer.stemWord(word))


def test_a_very_long_question_is_cut() -> None:
    assert len(query_terms(" ".join(f"word{number}" for number in range(1_000)))) == MAX_TERMS


@given(st.text())
def test_any_text_gives_terms_that_can_be_stored(text: str) -> None:
    """Not empty, without spaces, and equal when split again."""
    found = terms(text)
    assert " ".join(found).split() == found


@given(st.text(), st.text())
def test_both_sides_agree_whatever_stands_around(text: str, other: str) -> None:
    """Terms of a text do not depend on the text after a space."""
    assert terms(f"{text} {other}")[: len(terms(text))] == terms(text)


@given(st.lists(st.from_regex(r"[A-Za-z]+", fullmatch=True)))
def test_letter_case_makes_no_difference(words: list[str]) -> None:
    assert terms(" ".join(words).upper()) == terms(" ".join(words).lower())
