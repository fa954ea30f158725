"""Count what learning holds of honest proposals, without a tool, beside a tool, and after one.

python -m bench.honest_turns [--data FOLDER] [--sample N] [--json]

Only the rules are measured: verification is off.

The statements are those of LoCoMo (`observation`): a language model of others wrote them, each
about one message. The quotation is the sentence of that message with most words of the statement.
The text of the tool is an answer of an assistant in BEAM, of 200 to 600 words. An agent writes the
harmless texts of NotInject and GSM8K. Nothing here was written for this project.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

from bench.report import Result, show
from erstwhile.bootstrap import assemble
from erstwhile.core.errors import RefusedError
from erstwhile.core.policies import Policy
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.memory import Memory
from erstwhile.search.terms import query_terms
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm

DATA = Path(__file__).parents[2] / "shared" / "data"
WAYS = ("no tool", "a tool in the turn", "a tool in an earlier turn")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
NOTHING: dict[str, list[Any]] = {"add": [], "supersede": [], "end": []}


class Honest(NamedTuple):
    """A statement of a model about a message, and the answer to that message."""

    speaker: str
    said: str
    answer: str
    statement: str

    @property
    def quote(self) -> str:
        words = set(query_terms(self.statement))
        found = [each.strip() for each in _SENTENCE_END.split(self.said) if each.strip()]
        return max(found, key=lambda each: len(words.intersection(query_terms(each))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sample", type=int, default=600, help="how many statements")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    told, pages = list(_told(options.data)), list(_answers(options.data))
    step = max(1, len(told) // options.sample)
    rows = [_row(way, told[::step], pages) for way in WAYS]
    title = "Honest proposals"
    results = [Result(title, "What became of them, and the rules that held them.", rows)]
    results.append(
        Result("What an agent writes", "Harmless texts.", [_written(list(_harmless(options.data)))])
    )
    show(results, as_json=options.json)


def _row(way: str, told: Sequence[Honest], pages: Sequence[str]) -> dict[str, Any]:
    rules = Counter(_rule(each, way, page) for each, page in zip(told, cycle(pages), strict=False))
    kept = rules.pop("", 0)
    held = ", ".join(f"{rule} {count}" for rule, count in rules.most_common())
    return {"way": way, "statements": len(told), "learned": kept, "not learned": held}


def _rule(honest: Honest, way: str, page: str) -> str:
    """Return the rule that kept a statement from being learned; empty if it was learned."""
    llm = ScriptedLlm()
    with _opened(llm) as store:
        memory, place = store.scoped(user=honest.speaker), None
        if way == WAYS[2]:
            llm.script.append(NOTHING)
            place = memory.observe_turn("Read it.", "Done.", tools=[page], wait=True).conversation
        llm.script.clear()
        llm.script.append({**NOTHING, "add": [_proposal(honest)]})
        tools = [page] if way == WAYS[1] else []
        seen = memory.observe_turn(
            honest.said, honest.answer, tools=tools, conversation=place, wait=True
        )
        if memory.facts.count():
            return ""
        [attempt] = seen.attempts
        return next((change.rule or change.act for change in attempt.changes), attempt.outcome)


def _opened(llm: ScriptedLlm) -> Memory:
    return assemble(
        SqliteEngine(":memory:"),
        FakeClock(),
        Viewer(),
        llm=lambda: llm,
        policy=Policy(verify=False),
    )


def _proposal(honest: Honest) -> dict[str, Any]:
    empty = dict.fromkeys(("valid_from", "expires", "key", "value"), "")
    return {"text": honest.statement, "quote": honest.quote, "kind": "fact", **empty}


def _written(pages: Sequence[str]) -> dict[str, Any]:
    """Let an agent remember each text, in a memory of its own."""
    rules = Counter[str]()
    for page in pages:
        with _opened(ScriptedLlm()) as memory:
            try:
                memory.remember(page, origin="agent")
            except RefusedError as error:
                rules[error.message.rpartition("(")[2].rstrip(")")] += 1
            rules.update(held.rule for held in memory.quarantine.list())
    return {"texts": len(pages), "stopped": rules.total(), "by": str(dict(rules.most_common()))}


def _told(data: Path) -> Iterator[Honest]:
    for sample in json.loads((data / "locomo" / "locomo10.json").read_text("utf-8")):
        talk = sample["conversation"]
        turns = [turn for name, said in talk.items() if isinstance(said, list) for turn in said]
        place = {turn["dia_id"]: at for at, turn in enumerate(turns)}
        for session in sample["observation"].values():
            for speaker, observed in session.items():
                for statement, evidence in observed:
                    at = place.get(evidence) if isinstance(evidence, str) else None
                    if at is not None and turns[at]["speaker"] == speaker and turns[at]["text"]:
                        answer = turns[at + 1]["text"] if at + 1 < len(turns) else "I see."
                        yield Honest(speaker, turns[at]["text"], answer, statement)


def _answers(data: Path) -> Iterator[str]:
    for talk in json.loads((data / "beam" / "beam-100k-1to8.json").read_text("utf-8")):
        said = (each for each in talk["messages"] if each["role"] == "assistant")
        yield from (each["content"] for each in said)


def _harmless(data: Path) -> Iterator[str]:
    for name in ("NotInject_one", "NotInject_two"):
        texts = json.loads((data / "benign" / f"{name}.json").read_text("utf-8"))
        yield from (each["prompt"] for each in texts)
    lines = (data / "benign" / "gsm8k_test.jsonl").read_text("utf-8").splitlines()
    yield from (json.loads(line)["question"] for line in lines)


if __name__ == "__main__":
    main()
