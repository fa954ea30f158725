"""Counting survives a tokenizer that fails, and never gives it a huge text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from erstwhile.adapters.tokenizers import EstimatingTokenizer
from erstwhile.bootstrap import assemble
from erstwhile.context.budget import token_counter
from erstwhile.core.ports import Tokenizer
from erstwhile.core.scope import Viewer
from erstwhile.testing.clock import FakeClock
from tests.property.places import in_process

MAX_LENGTH = 10_000
HUGE = "\U000131a0" * 50_100


class Refusing:
    """Refuses long texts and those with a hieroglyph, as foreign code may do."""

    name = "refusing"

    def count(self, text: str) -> int:
        assert len(text) <= MAX_LENGTH
        if "\U000131a0" in text:
            raise OverflowError("too many tokens")
        return EstimatingTokenizer().count(text)

    def parts(self, text: str) -> Sequence[str]:
        return EstimatingTokenizer().parts(text)


class OneTokenizer:
    """A process with one tokenizer, and the estimate."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.default = tokenizer
        self.estimate = EstimatingTokenizer()

    def named(self, name: str) -> Tokenizer | None:
        return self.default if name == self.default.name else None


def test_a_text_that_the_tokenizer_refuses_is_estimated() -> None:
    count = token_counter(OneTokenizer(Refusing()))
    assert count(HUGE) == EstimatingTokenizer().count(HUGE)
    assert count("tea and bread") == EstimatingTokenizer().count("tea and bread")


@pytest.mark.parametrize("tokens", [300, 4_000, 1_000_000])
def test_no_text_makes_a_context_fail(tokens: int) -> None:
    memory = assemble(in_process(), FakeClock(), Viewer(), tokenizers=OneTokenizer(Refusing()))
    memory.remember(f"deploy {HUGE[:40_000]}", pinned=True)
    memory.conversations.add("user", f"deploy {HUGE}", channel="old")
    memory.conversations.add("tool", HUGE)
    memory.conversations.add("user", "so when do we deploy?")
    made = memory.context("when do we deploy?", tokens)
    assert "so when do we deploy?" in made.text
    assert made.report.tokens <= tokens
    memory.close()
