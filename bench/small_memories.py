"""Ask five small memories of everyday facts what they know, and what they do not know.

python -m bench.small_memories [--embedder NAME]

The facts and questions are ours, in English, German and Spanish (`bench/sets/small_memories.json`).
The numbers of relevance were chosen on two of the memories; three were held out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import erstwhile
from bench.report import Result, show

_SET = Path(__file__).parent / "sets" / "small_memories.json"


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    known = json.loads(_SET.read_text("utf-8"))
    rows: list[dict[str, str | float]] = []
    for name, tuning in (("tuned", True), ("held out", False)):
        asked = [
            each
            for one in known
            if one["tuning"] is tuning
            for each in _asked(one, options.embedder)
        ]
        rows.append({"memories": name, **_shares(asked)})
    meaning = "shares of the questions: right fact first, right fact found, nothing found"
    show([Result("small memories", meaning, rows)], as_json=options.json)


def _asked(
    known: Mapping[str, Any], embedder: str | None
) -> Iterator[tuple[str | None, Sequence[str]]]:
    """Yield the right answer of each question, None if there is none, and the facts found."""
    with erstwhile.open(":memory:", embedder=embedder) as memory:
        for text in known["facts"]:
            memory.remember(text)
        memory.flush()
        for question, fact in known["answered"]:
            yield fact, [hit.fact.text for hit in memory.recall(question)]
        for question in known["unanswered"]:
            yield None, [hit.fact.text for hit in memory.recall(question)]


def _shares(asked: Sequence[tuple[str | None, Sequence[str]]]) -> dict[str, float]:
    answered = [(fact, found) for fact, found in asked if fact is not None]
    unanswered = [found for fact, found in asked if fact is None]
    return {
        "answered": len(answered),
        "first": sum(found[:1] == [fact] for fact, found in answered) / len(answered),
        "found": sum(fact in found for fact, found in answered) / len(answered),
        "unanswered": len(unanswered),
        "nothing": sum(not found for found in unanswered) / len(unanswered),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.small_memories", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--embedder", metavar="NAME", help="universal, minilm, http:MODEL or none")
    parser.add_argument("--json", action="store_true")
    return parser


if __name__ == "__main__":
    main()
