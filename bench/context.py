"""Compare the cost of context with that of recall, as the memory grows.

python -m bench.context                up to 100,000 facts, and 20,000 with 10,000 long messages
python -m bench.context --quick        small sizes, a few seconds
python -m bench.context --json         for programs; so is a pipe
"""

from __future__ import annotations

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")  # before numpy is loaded

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click

import erstwhile
from bench.cost import in_turns
from bench.filling import fill
from bench.report import Result, show
from bench.speech import Speech, WordVectors
from erstwhile import Memory
from erstwhile.adapters.embedders.base import CachedEmbedder

USER = "ana"
QUESTIONS = 100
MESSAGES = 60
SIZES = ((1_000, 0), (10_000, 0), (100_000, 0), (2_000, 1_000), (20_000, 10_000))
"""Facts, and messages of 200 words."""
QUICK_SIZES = ((1_000, 0), (5_000, 0), (500, 250), (2_000, 1_000))
TOKENS = (1_000, 4_000)
"""The second is the default of `context`."""


def costs(
    path: Path, facts: Sequence[str], messages: Sequence[str]
) -> list[dict[str, str | float]]:
    fill(path, {USER: facts}, WordVectors(), {USER: messages})
    speech, texts = Speech(5), [*facts, *messages]
    step = max(1, len(texts) // QUESTIONS)
    asked = [speech.question(text) for text in texts[::step]][:QUESTIONS]
    sizes = {"facts": len(facts), "messages": len(messages)}
    with _opened(path) as memory:
        _add_records(memory, facts)
        return [{**sizes, **_row(memory, asked, tokens)} for tokens in TOKENS]


def _row(memory: Memory, asked: Sequence[str], tokens: int) -> dict[str, str | float]:
    """Compare a context with a recall of ten facts, and of as many as the context has."""
    found = median([_facts(memory, question, tokens) for question in asked])
    ways: list[Callable[[str], object]] = [
        memory.recall,
        lambda question: memory.recall(question, max(int(found), 1)),
        lambda question: memory.context(question, tokens),
        lambda question: memory.context(question, tokens, needs=["facts"]),
    ]
    ten, as_many, context, facts_alone = map(median, in_turns(ways, asked))
    return {
        "tokens": tokens,
        "to_recall_of_ten": context / ten,
        "to_recall_of_as_many": context / as_many,
        "facts_alone_to_recall_of_as_many": facts_alone / as_many,
        "facts_in_context": int(found),
        "tokens_used": int(median(memory.context(each, tokens).report.tokens for each in asked)),
        "recall_ms": ten,
        "context_ms": context,
    }


def _facts(memory: Memory, question: str, tokens: int) -> int:
    return sum(item.section == "facts" for item in memory.context(question, tokens).items)


def _add_records(memory: Memory, facts: Sequence[str]) -> None:
    """Add records for each section: an empty context would be cheap."""
    memory.blocks.add("persona", "I am a careful engineer. " * 20)
    for number, key in enumerate(("language", "city", "employer", "editor")):
        memory.facts.set(f"user.{key}", facts[number])
    for rule in facts[:10]:
        memory.lessons.add("work", rule)
    for task in facts[10:15]:
        memory.tasks.add(task, due="in 2 days")
    for title in facts[15:25]:
        memory.observations.add("discovery", title)
    earlier = memory.conversations.start().id
    for text in facts[:MESSAGES]:
        memory.conversations.add("user", text, conversation=earlier)
    memory.conversations.close(earlier, "They spoke of many things.")
    for text in facts[MESSAGES : 2 * MESSAGES]:
        memory.conversations.add("user", text)


@contextmanager
def _opened(path: Path) -> Iterator[Memory]:
    with erstwhile.open(path, embedder=CachedEmbedder(WordVectors())) as memory:
        yield memory.scoped(user=USER)


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="Small sizes.")
@click.option("--only", type=(int, int), multiple=True, help="Facts, and messages of 200 words.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(quick: bool, only: tuple[tuple[int, int], ...], as_json: bool) -> None:
    sizes = only or (QUICK_SIZES if quick else SIZES)
    facts = Speech().facts(max(count for count, _ in sizes))
    messages = Speech(9).messages(max(count for _, count in sizes))
    rows: list[dict[str, str | float]] = []
    with TemporaryDirectory() as folder:
        for few, long in sizes:
            rows += costs(Path(folder, f"{few}, {long}.db"), facts[:few], messages[:long])
    meaning = "CPU time of context : CPU time of recall; the question's vector is there already"
    show([Result("Context beside recall", meaning, rows)], as_json=as_json)


if __name__ == "__main__":
    main()
