"""Compare the cost of context with that of recall, as the memory grows.

python -m bench.context                1,000, 10,000 and 100,000 facts, a few minutes
python -m bench.context --quick        1,000 and 5,000 facts, a few seconds
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
from erstwhile.adapters.embedders.cached import CachedEmbedder

USER = "ana"
QUESTIONS = 100
MESSAGES = 60
TOKENS = (1_000, 4_000)
"""The second is the default of `context`."""


def costs(path: Path, facts: Sequence[str]) -> list[dict[str, str | float]]:
    speech = Speech(5)
    step = max(1, len(facts) // QUESTIONS)
    asked = [speech.question(fact) for fact in facts[::step]][:QUESTIONS]
    with _opened(path) as memory:
        _add_records(memory, facts)
        return [_row(memory, asked, len(facts), tokens) for tokens in TOKENS]


def _row(memory: Memory, asked: Sequence[str], size: int, tokens: int) -> dict[str, str | float]:
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
        "facts": size,
        "tokens": tokens,
        "to_recall_of_ten": context / ten,
        "to_recall_of_as_many": context / as_many,
        "facts_alone_to_recall_of_as_many": facts_alone / as_many,
        "facts_in_context": int(found),
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
@click.option("--quick", is_flag=True, help="1,000 and 5,000 facts.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(quick: bool, as_json: bool) -> None:
    sizes = (1_000, 5_000) if quick else (1_000, 10_000, 100_000)
    facts = Speech().facts(max(sizes))
    rows: list[dict[str, str | float]] = []
    with TemporaryDirectory() as folder:
        for size in sizes:
            file = fill(Path(folder) / f"{size}.db", {USER: facts[:size]}, WordVectors())
            rows += costs(file, facts[:size])
    meaning = "CPU time of context : CPU time of recall; the question's vector is there already"
    show([Result("Context beside recall", meaning, rows)], as_json=as_json)


if __name__ == "__main__":
    main()
