"""Count the tokens of a learning prompt with the OpenAI tokenizer, on turns labelled by hand.

python -m bench.prompt [--turns FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import mean

from bench.sets.turns import SAID_AT, LabelledTurn, read_turns
from erstwhile.adapters.llm.answers import in_words, strict
from erstwhile.adapters.tokenizers import NamedTokenizers
from erstwhile.conversations.conversation import Role
from erstwhile.core.scope import Scope
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import Fact
from erstwhile.learning.extract import SCHEMA, SHOWN, extraction_prompt
from erstwhile.learning.salience import salience
from erstwhile.learning.turn import Turn

TURNS = Path(__file__).parents[1] / "tests" / "learning" / "data" / "turns.jsonl"
MODEL = "gpt-4o"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=Path, default=TURNS)
    turns = [each for each in read_turns(parser.parse_args().turns) if _is_asked_about(each.turn)]
    count = NamedTokenizers(MODEL).default.count
    system = extraction_prompt(turns[0].turn, []).system
    print("| part | tokens |")
    print("|---|---|")
    print(f"| the rules, the same each time | {count(system)} |")
    print(f"| the form, in words, for other servers | {count(in_words(SCHEMA))} |")
    print(f"| the schema, as OpenAI is given it | {count(json.dumps(strict(SCHEMA)))} |")
    for shown in (0, SHOWN):
        average = _average(turns, _facts(turns, shown), count)
        print(f"| a turn, with {shown} facts: mean of {len(turns)} | {average:.0f} |")


def _is_asked_about(turn: Turn) -> bool:
    """Return whether learning would send a turn to the model: it must be salient."""
    return salience(turn).durable and all(line.role is not Role.SYSTEM for line in turn.lines)


def _average(
    turns: Sequence[LabelledTurn], facts: Sequence[Fact], count: Callable[[str], int]
) -> float:
    return mean(count(extraction_prompt(each.turn, facts).user) for each in turns)


def _facts(turns: Sequence[LabelledTurn], most: int) -> list[Fact]:
    """Return statements of these turns as known facts."""
    texts = [one.texts[0] for each in turns for one in each.expected]
    return [
        draft(text, now=SAID_AT).to_fact(Scope(), SAID_AT) for text in islice(cycle(texts), most)
    ]


if __name__ == "__main__":
    main()
