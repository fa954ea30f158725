"""Ask small memories of everyday facts what they know, and what they do not know.

python -m bench.small_memories [--embedder NAME]

The facts and questions of fifteen memories are ours, in seven languages. Questions without an
answer are about something else, or near: about the same people and things. The numbers of relevance
were chosen on seven of these memories; eight were held out. The author of ten fresh ones did not
know the code, and asked in other words than the facts have. Of the twelve later ones,
only the counts were read.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from operator import not_
from pathlib import Path
from typing import Any, NamedTuple

import erstwhile
from bench.report import Result, show

_SETS = Path(__file__).parent / "sets"


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    rows: list[dict[str, str | float]] = [
        {
            "memories": name,
            **_shares([each for one in of for each in _asked(one, options.embedder)]),
        }
        for name, of in _memories().items()
    ]
    meaning = "shares of the questions: right fact first or found; nothing found for no answer"
    show([Result("small memories", meaning, rows)], as_json=options.json)


def _memories() -> dict[str, list[Mapping[str, Any]]]:
    """Read the memories: those that were used to choose, those held out, fresh and later ones."""
    ours, fresh, later = (
        json.loads((_SETS / f"small_memories{name}.json").read_text("utf-8"))
        for name in ("", "_fresh", "_later")
    )
    tuned, held_out = ([each for each in ours if each["tuning"] is way] for way in (True, False))
    return {"tuned": tuned, "held out": held_out, "fresh": fresh, "later": later}


class Asked(NamedTuple):
    """A question: its kind, the right fact if there is one, and the facts found."""

    kind: str
    fact: str | None
    found: Sequence[str]


def _asked(known: Mapping[str, Any], embedder: str | None) -> Iterator[Asked]:
    """Store the facts of a memory and ask its questions."""
    with erstwhile.open(":memory:", embedder=embedder) as memory:
        for text in known["facts"]:
            memory.remember(text)
        memory.flush()
        questions = [("answered", *each) for each in known["answered"]]
        for kind in ("unanswered", "near"):
            questions += [(kind, question, None) for question in known.get(kind, ())]
        for kind, question, fact in questions:
            yield Asked(kind, fact, [hit.fact.text for hit in memory.recall(question)])


def _shares(asked: Sequence[Asked]) -> dict[str, float]:
    answered = [each for each in asked if each.kind == "answered"]
    shares: dict[str, float] = {
        "answered": len(answered),
        "first": sum(each.found[:1] == [each.fact] for each in answered) / len(answered),
        "found": sum(each.fact in each.found for each in answered) / len(answered),
    }
    for kind in ("unanswered", "near"):
        if found := [each.found for each in asked if each.kind == kind]:
            shares |= {kind: len(found), f"nothing, {kind}": sum(map(not_, found)) / len(found)}
    return shares


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.small_memories", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--embedder", metavar="NAME", help="universal, minilm, http:MODEL or none")
    parser.add_argument("--json", action="store_true")
    return parser


if __name__ == "__main__":
    main()
