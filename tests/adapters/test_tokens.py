"""Counting tokens: exactly with the package bpe-openai, and without it never too few."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from typing import Any
from warnings import catch_warnings, simplefilter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.adapters import tokenizers as named
from erstwhile.adapters.tokenizers import (
    ESTIMATED,
    EstimatingTokenizer,
    ExactTokenizer,
    NamedTokenizers,
    _vocabulary,
)
from erstwhile.bootstrap import assemble
from erstwhile.core.errors import InvalidInputError, RefusedError
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.testing.clock import FakeClock

ENGLISH = "Ana prefers pnpm over npm, and she said so twice last week. We deploy on Fridays. " * 20
CHINESE = "我们上周把商店搬到了新的数据库，星期五下午部署。安娜更喜欢用另一个工具。" * 20
CODE = "def total(items: list[int]) -> int:\n    return sum(item for item in items)\n" * 20


@cache
def _encodings() -> list[Any]:
    """Import the package without its warnings."""
    with catch_warnings():
        simplefilter("ignore", DeprecationWarning)
        import bpe_openai
    return [bpe_openai.get_encoding(name) for name in ("o200k_base", "cl100k_base")]


def _between(first: int, last: int) -> st.SearchStrategy[str]:
    characters = st.characters(min_codepoint=first, max_codepoint=last, exclude_categories=["Cs"])
    return st.text(alphabet=characters, max_size=5)


PARTS = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=6),
    st.sampled_from(sorted(_vocabulary().words)),
    st.sampled_from(sorted(_vocabulary().bare_words)),
    st.sampled_from(sorted(_vocabulary().characters)),
    st.sampled_from(list(" .,!?'\"()[]{}\n\t-_/#*:;“”—’…")),
    st.sampled_from(["  ", "    ", "'s", "\r\n", "👩‍👩‍👧", "🇩🇪", "e\u0301", "½", "12345"]),
    st.text(alphabet="qzjxkvwbg", max_size=6),
    _between(0x4E00, 0x9FFF),
    _between(0xAC00, 0xD7A3),
    _between(0x1F300, 0x1FAFF),
)
TEXTS = st.lists(PARTS, max_size=25).map("".join)


@settings(
    max_examples=1_500,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(TEXTS)
def test_the_estimate_is_never_too_low(text: str) -> None:
    """For words, signs, numbers, Chinese, Korean, emoji and random text."""
    estimate = EstimatingTokenizer().count(text)
    assert all(len(each.encode_ordinary(text)) <= estimate for each in _encodings())


LINES = st.lists(
    st.one_of(
        st.just("\n"),
        st.sampled_from(["\r\n", "\t", "\x0b", "\x85", "\u2028", "\u3000", "\xa0", "\ufeff", "/"]),
        st.sampled_from(["  > ", "- [", "## ", ".", "==", "```", "'s", "'ſ", "a", " word", "数"]),
        PARTS,
    ),
    max_size=25,
).map("".join)


@settings(max_examples=1_500, derandomize=True, deadline=None, database=None)
@given(LINES)
def test_parts_have_together_the_tokens_of_the_whole(text: str) -> None:
    """So the known lines of a long text need not be counted again."""
    for name in ("o200k_base", "cl100k_base", "estimate"):
        tokenizer = NamedTokenizers(name).default
        parts = tokenizer.parts(text)
        assert "".join(parts) == text
        assert sum(map(tokenizer.count, parts)) == tokenizer.count(text)


def test_lines_are_parts() -> None:
    text = "## Rules\n- one\n  > more\n\n- two\n/three\n"
    assert EstimatingTokenizer().parts(text) == [
        "## Rules\n", "- one\n", "  > more\n\n", "- two\n/three\n",
    ]  # fmt: skip


@pytest.mark.parametrize(("text", "most"), [(ENGLISH, 1.8), (CHINESE, 2.2), (CODE, 2.2)])
def test_the_estimate_is_not_far_too_high(text: str, most: float) -> None:
    """A count of bytes would be four times as high."""
    for encoding in _encodings():
        assert EstimatingTokenizer().count(text) <= most * len(encoding.encode_ordinary(text))


def test_every_piece_is_one_token() -> None:
    pieces = _vocabulary()
    whole = [*pieces.characters, *pieces.pairs, *(f" {word}" for word in pieces.words)]
    for encoding in _encodings():
        vocabulary = set(encoding.token_byte_values())
        assert not [
            each for each in (*whole, *pieces.bare_words) if each.encode() not in vocabulary
        ]
        assert pieces.halves <= vocabulary
        assert {f"{number:03}".encode() for number in range(1_000)} <= vocabulary
        assert {b" " * count for count in range(1, 17)} <= vocabulary


def test_exact_counts_are_those_of_the_model() -> None:
    exact = NamedTokenizers("o200k_base").default
    assert (exact.name, exact.count("hello world"), exact.count("")) == ("o200k_base", 2, 0)
    assert NamedTokenizers("auto").default.name == "o200k_base"
    assert NamedTokenizers("gpt-4o").default.name == "o200k_base"
    assert NamedTokenizers("gpt-4").default.name == "cl100k_base"


@settings(max_examples=500, derandomize=True, deadline=None, database=None)
@given(TEXTS)
def test_exact_counts_are_those_of_the_package(text: str) -> None:
    """Although only its compiled part is loaded."""
    for encoding in _encodings():
        counted = NamedTokenizers(encoding.name).default.count(text)
        assert counted == len(encoding.encode_ordinary(text))


RARE = "\U000131a0" * 50_100
"""More tokens than the package accepts of one text."""


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("tea " * 300_000, 300_001), (RARE, 4 * len(RARE)), (f"tea\n{RARE}", 4 * len(RARE) + 2)],
    ids=["a million characters", "very many tokens", "and a line"],
)
def test_a_long_text_is_counted(text: str, tokens: int) -> None:
    """The package refuses it."""
    assert NamedTokenizers("o200k_base").default.count(text) == tokens


@pytest.mark.parametrize("text", ["tea and milk", "tea " * 50_000, "\ud800 alone"])
def test_a_text_that_cannot_be_counted_is_estimated(text: str) -> None:
    def broken(text: str) -> int:
        raise RuntimeError(f"no {text}")

    counted = ExactTokenizer("o200k_base", broken).count(text)
    assert counted == EstimatingTokenizer().count(text)


@pytest.mark.parametrize("text", ["\ud800 alone", "", "\x00", "<|endoftext|>"])
def test_odd_texts_are_counted(text: str) -> None:
    assert NamedTokenizers("o200k_base").default.count(text) >= bool(text)


def test_no_text_makes_a_context_a_block_or_a_pinned_fact_fail() -> None:
    chosen = erstwhile.Settings(tokenizer="o200k_base", embedder="none")
    with erstwhile.open(":memory:", settings=chosen) as memory:
        memory.observe_turn("Read that page.", "Done.", tools=[RARE], wait=True)
        memory.remember(RARE, pinned=True)
        memory.blocks.add("glyphs", RARE, limit_tokens=300_000)
        assert memory.context("What did the page say?").text


def test_an_unknown_tokenizer_is_refused_with_those_that_are_known() -> None:
    for name in ("gpt-9", "gpt2"):
        with pytest.raises(InvalidInputError, match=name) as told:
            NamedTokenizers(name).default  # noqa: B018
    assert "estimate" in told.value.remedy


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "find_spec", lambda _: None)
    named._tokenizer.cache_clear()


@pytest.mark.usefixtures("without_package")
def test_without_the_package_tokens_are_estimated() -> None:
    """Unless the setting demands exact counts."""
    assert NamedTokenizers("auto").default.name == "estimate"
    with pytest.raises(InvalidInputError, match="not installed") as told:
        NamedTokenizers("o200k_base").default  # noqa: B018
    assert "erstwhile[tokens]" in told.value.remedy
    named._tokenizer.cache_clear()


def test_two_processes_never_judge_one_block_differently(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the tokenizer of a block, only a text that surely fits is accepted."""
    engine = SqliteEngine(":memory:")
    exact = assemble(engine, FakeClock(), Viewer(), tokenizers=NamedTokenizers("o200k_base"))
    words = "unquestionably " * 20
    block = exact.blocks.add("notes", words, limit_tokens=100)
    assert block.counted_by == "o200k_base"
    assert EstimatingTokenizer().count(words) > 100
    monkeypatch.setattr(named, "find_spec", lambda _: None)
    named._tokenizer.cache_clear()
    poor = assemble(engine, FakeClock(), Viewer(), tokenizers=ESTIMATED)
    with pytest.raises(RefusedError, match="counted by o200k_base"):
        poor.blocks.append("notes", "x")
    assert poor.blocks.update("notes", "tea and milk").version == 2
    assert poor.blocks.set_limit("notes", 101).counted_by == "estimate"
    named._tokenizer.cache_clear()
    engine.close()


def test_the_vocabularies_are_loaded_when_something_is_counted() -> None:
    """They are not loaded when a memory is opened."""
    code = (
        "import sys, erstwhile\n"
        "memory = erstwhile.open(':memory:', embedder='none')\n"
        "memory.blocks.list()\n"
        "assert 'bpe_openai._bindings' not in sys.modules\n"
        "memory.blocks.add('notes', 'tea')\n"
        "assert 'bpe_openai._bindings' in sys.modules\n"
        "assert 'bpe_openai' not in sys.modules\n"  # it takes a second
        "import bpe_openai\n"
        "assert len(bpe_openai.get_encoding('o200k_base').encode('tea')) == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_setting_must_be_a_name() -> None:
    with pytest.raises(InvalidInputError, match="tokenizer"):
        erstwhile.Settings(tokenizer="")
