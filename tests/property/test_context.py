"""A context keeps its promises, whatever is in the memory and however little room there is."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erstwhile.adapters.tokenizers import EstimatingTokenizer, NamedTokenizers
from erstwhile.bootstrap import assemble
from erstwhile.context.escaping import escaped, parse, unescaped
from erstwhile.context.model import PREFIX, Context, Omission, Section
from erstwhile.core.ports import Tokenizer, Tokenizers
from erstwhile.core.scope import Viewer
from erstwhile.core.text import MEMORY_CLOSING, MEMORY_OPENING, without_memory
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.property.places import Place, given_on_each_engine, in_process, opened

HOSTILE: list[str] = json.loads(Path(__file__).with_name("hostile.json").read_text("utf-8"))
EMPTY = r"^(?:## [^\n]*\n+(?:## |</|\Z)|20\d\d-\d\d-\d\d\n+(?!\[))"
"""A heading or a day without an item below it."""
WORDS = ("tea", "shop", "deploy", "Friday", "port", "数据库", "Ana", "runs", "café")
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
texts = st.one_of(sentences, st.sampled_from(HOSTILE), st.text(max_size=80)).filter(
    lambda text: bool(text.strip()) and "\0" not in text
)
kinds = st.sampled_from(
    ["fact", "preference", "instruction", "profile", "project", "environment", "decision"]
)
Deed = tuple[str, tuple[Any, ...], dict[str, Any]]
deeds = st.one_of(
    st.tuples(
        st.just("remember"),
        st.tuples(texts),
        st.fixed_dictionaries({"kind": kinds, "pinned": st.booleans()}),
    ),
    st.tuples(
        st.just("facts.set"),
        st.tuples(st.sampled_from(["name", "city", "language"]), texts),
        st.just({}),
    ),
    st.tuples(st.just("blocks.add"), st.tuples(st.sampled_from(["a", "b"]), texts), st.just({})),
    st.tuples(st.just("lessons.add"), st.tuples(st.just("shop"), texts), st.just({})),
    st.tuples(
        st.just("outcomes.add"), st.just(("shop", 1)), st.fixed_dictionaries({"note": texts})
    ),
    st.tuples(
        st.just("observations.add"),
        st.tuples(st.just("bugfix"), sentences),
        st.fixed_dictionaries({"what": texts}),
    ),
    st.tuples(st.just("tasks.add"), st.tuples(texts), st.just({"due": "in 2 days"})),
    st.tuples(st.just("conversations.add_exchange"), st.tuples(texts, texts), st.just({})),
    st.tuples(
        st.just("conversations.add"),
        st.tuples(st.sampled_from(["user", "assistant", "tool"]), texts),
        st.just({"channel": "other"}),
    ),
)
lives = st.lists(deeds, max_size=25)
budgets = st.one_of(st.integers(0, 400), st.integers(0, 8_000))
needs = st.one_of(st.none(), st.sets(st.sampled_from(Section)))


class Growing:
    """Sees more in a long text than in its pieces."""

    name = "growing"

    def count(self, text: str) -> int:
        return len(text) // 4 + len(text) ** 2 // 4_000

    def parts(self, text: str) -> Sequence[str]:
        return (text,)


class One:
    """A process that has one tokenizer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.default = tokenizer
        self.estimate = tokenizer

    def named(self, name: str) -> Tokenizer | None:
        return self.default if name == self.default.name else None


TOKENIZERS: dict[str, Tokenizers] = {
    "estimate": One(EstimatingTokenizer()),
    "o200k_base": NamedTokenizers("o200k_base"),
    "growing": One(Growing()),
}


def lived(life: Sequence[Deed], tokenizers: Tokenizers, place: Place = in_process) -> Memory:
    clock = FakeClock()
    memory = assemble(place(), clock, Viewer(), tokenizers=tokenizers)
    ana = memory.scoped(user="ana")
    taken: set[str] = set()
    for verb, said, details in life:
        clock.advance(hours=5)
        if verb == "blocks.add" and said[0] in taken:
            continue
        taken.add(said[0])
        act: Any = ana
        for name in verb.split("."):
            act = getattr(act, name)
        act(*said, **details)
    return ana


def check(made: Context, budget: int, count: Callable[[str], int]) -> None:
    assert made.report.tokens == count(made.text) <= budget
    assert made.text == made.prefix + made.tail
    assert [(item.citation, item.text) for item in made.items] == parse(made.text)
    for item in made.items:
        assert made.cited(item.citation) == item
        if isinstance(item.source, Fact) and len(item.source.text) <= 600:
            assert item.source.text == item.text.removeprefix(f"{item.source.key}: ")
    ids = [item.id for item in made.items]
    assert len(ids) == len(set(ids))
    listed = {each.id for each in made.report.left_out if each.reason is Omission.BUDGET}
    assert listed.isdisjoint(ids)
    assert made.report.left_out_count >= len(made.report.left_out)
    said = [item.text for item in made.items if item.section is not Section.HISTORY]
    assert len(said) == len(set(said))
    assert not re.search(EMPTY, made.text, re.MULTILINE)
    check_lines(made)


def check_lines(made: Context) -> None:
    """Between the marks stand headings and items, outside of them only words of ours."""
    inside = False
    for line in made.text.splitlines():
        if line in (MEMORY_OPENING, MEMORY_CLOSING):
            assert inside is (line == MEMORY_CLOSING)
            inside = not inside
        elif inside:
            assert re.match(r"## \w|\[\d{3,}[^\]]*\] |> |\d{4}-\d\d-\d\d$|$", line), line
        else:
            assert MEMORY_OPENING not in line
            assert not any(item.text in line for item in made.items if len(item.text) > 20)
    assert not inside
    assert made.text.count(MEMORY_OPENING) == made.text.count(MEMORY_CLOSING)
    assert "[" not in without_memory(made.text)
    assert closings(made.text) == made.text.count(MEMORY_CLOSING)


def closings(text: str) -> int:
    """Count what a reader may take for the end of memory: in other forms, or with gaps."""
    seen = unicodedata.normalize("NFKC", text).lower()
    visible = "".join(each for each in seen if unicodedata.category(each) not in ("Cf", "Mn", "Cc"))
    return re.sub(r"\s", "", visible).count("</erstwhile-memory>")


def check_chat(made: Context, said: str) -> None:
    """Every provider takes the messages, and the user's message is the last."""
    for history in (False, True):
        messages = made.messages(said, history=history)
        roles = [each["role"] for each in messages]
        spoken = roles[1:] if roles[0] == "system" else roles
        assert spoken == ["user", "assistant"] * (len(spoken) // 2) + ["user"]
        assert messages[-1]["content"].endswith(said)
        assert all(each["content"].strip() for each in messages)
        assert "system" not in spoken


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@given_on_each_engine(life=lives, query=texts, budget=budgets, wanted=needs)
def test_a_context_keeps_its_promises(
    place: Place,
    tokenizer: str,
    life: list[Deed],
    query: str,
    budget: int,
    wanted: set[Section] | None,
) -> None:
    tokenizers = TOKENIZERS[tokenizer]
    memory = lived(life, tokenizers, place)
    made = memory.context(query, budget, needs=wanted)
    check(made, budget, tokenizers.default.count)
    check_chat(made, query)
    allowed = set(Section) if wanted is None else wanted
    assert {item.section for item in made.items} | set(made.report.sections) <= allowed
    assert memory.context(query, budget, needs=wanted) == made
    memory.close()


@given(life=lives, queries=st.tuples(texts, texts), budget=budgets, days=st.integers(0, 900))
def test_the_prefix_does_not_know_the_question(
    life: list[Deed], queries: tuple[str, str], budget: int, days: int
) -> None:
    memory = lived(life, TOKENIZERS["estimate"])
    first = memory.context(queries[0], budget)
    clock: Any = memory._access.clock
    clock.advance(days=days, minutes=7)
    assert memory.context(queries[1], budget).prefix == first.prefix
    memory.conversations.add("user", "something else was said meanwhile")
    later = memory.context(queries[1], budget)
    assert later.prefix == first.prefix
    assert {item.section for item in later.items if item.text in later.prefix} <= set(Section)
    assert all(item.section in PREFIX for item in later.items if _stands_in(item.citation, first))
    memory.close()


def _stands_in(citation: str, made: Context) -> bool:
    return re.search(rf"^\[{citation}[\],]", made.prefix, re.MULTILINE) is not None


roles = st.sampled_from(["user", "assistant", "tool", "system"])


@given(
    told=st.lists(st.tuples(roles, texts), max_size=20),
    query=texts,
    budget=st.integers(200, 4_000),
    overflow=st.sampled_from(["drop", "summarise"]),
)
def test_any_conversation_comes_as_alternating_messages(
    told: list[tuple[str, str]], query: str, budget: int, overflow: str
) -> None:
    memory = opened(in_process(), FakeClock())
    for role, text in told:
        memory.conversations.add(role, text)
    made = memory.context(query, budget, overflow=overflow)
    check_chat(made, query)
    tail = made.messages(query, history=True)[-1]["content"]
    assert [each for each in parse(tail) if each.text in texts_of(made)] == []
    memory.close()


def texts_of(made: Context) -> set[str]:
    """Return what is shown as history and nowhere else."""
    elsewhere = {item.text for item in made.items if item.section is not Section.HISTORY}
    return {item.text for item in made.items if item.section is Section.HISTORY} - elsewhere


@given(text=st.one_of(st.text(), st.sampled_from(HOSTILE), st.text("&lt;amp#x3CINS[/]<> \n|")))
def test_what_is_escaped_is_read_back_exactly(text: str) -> None:
    written = escaped(text)
    assert unescaped(written) == text
    assert MEMORY_OPENING not in written
    assert MEMORY_CLOSING not in written
    assert "<|" not in written
    assert "[INST]" not in written
    assert len(written.splitlines()) <= written.count("\n") + 1
    assert closings(written) == 0
