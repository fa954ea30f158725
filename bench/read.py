"""Measure how the time of reading grows, with a small, a medium and a large memory.

python -m bench.read           1,000 to 100,000 facts, a few minutes
python -m bench.read --quick   1,000 and 3,000 facts
python -m bench.read --json    for programs; so is a pipe
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click

from bench.corpus import filled
from bench.cost import cost
from bench.report import Result, show
from erstwhile import Memory

KEYS = 50
DEEP = 900
"""The facts before the deep page. Every memory here has more."""


def questions(memory: Memory) -> dict[str, Callable[[], object]]:
    facts = memory.facts
    [middle] = facts.list(limit=1, cursor=facts.list(limit=DEEP // 2).next)
    deep = facts.list(limit=DEEP).next
    replaced = facts.list(limit=1, key="key 7")[0]
    return {
        "get": lambda: facts.get(middle.id),
        "list": facts.list,
        "list, a deep page": lambda: facts.list(cursor=deep),
        "list by tag": lambda: facts.list(tag="topic 7"),
        "list by entity": lambda: facts.list(entity="Person 7"),
        "list by text": lambda: facts.list(contains="kyoto"),
        "list, known at": lambda: facts.list(known_at=middle.recorded_at),
        "count by tag": lambda: facts.count(tag="topic 7"),
        "count": facts.count,
        "value": lambda: facts.value("key 7"),
        "history": lambda: facts.history(replaced.id),
        "entities.get": lambda: memory.entities.get("Person 7"),
        "entities.list": memory.entities.list,
        "audit.list": memory.audit.list,
    }


def measured(folder: Path, sizes: tuple[int, ...], rounds: int) -> Result:
    """Measure all memories in turns, so that other work affects all of them."""
    memories = [_with_keys(filled(folder / f"{rows} facts", rows)) for rows in sizes]
    asked = [questions(memory) for memory in memories]
    rows = [_row(name, sizes, _typical([ask[name] for ask in asked], rounds)) for name in asked[0]]
    for memory in memories:
        memory.close()
    return Result(
        "Reading as the memory grows", "CPU µs of one question, and the last : the first", rows
    )


def _with_keys(memory: Memory) -> Memory:
    for number in range(KEYS):
        memory.facts.set(f"key {number}", f"the first value of {number}")
        memory.facts.set(f"key {number}", f"the second value of {number}")
    return memory


def _typical(ways: list[Callable[[], object]], rounds: int) -> list[float]:
    spent = [[cost(way).cpu for way in ways] for _ in range(rounds)]
    return [median(of_one) for of_one in zip(*spent, strict=True)]


def _row(name: str, sizes: tuple[int, ...], cpu: list[float]) -> dict[str, str | float]:
    times = {f"{rows:,}": round(each * 1e6) for rows, each in zip(sizes, cpu, strict=True)}
    return {"question": name, "growth": cpu[-1] / cpu[0], **times}


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="Smaller memories, fewer rounds.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of a table.")
def main(quick: bool, as_json: bool) -> None:
    sizes, rounds = ((1_000, 3_000), 5) if quick else ((1_000, 10_000, 100_000), 31)
    with TemporaryDirectory() as name:
        show([measured(Path(name), sizes, rounds)], as_json=as_json)


if __name__ == "__main__":
    main()
