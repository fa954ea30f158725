"""Measure how well a stranger's words are told from the user's own.

python -m bench.whose_words [--failures]

strangers   messages that pass on a stranger's words, written with the code at hand; two halves: one
            from what earlier attacks were about, one against the rules of that day; and messages
            by somebody who had not read the rules
own hand    messages of the user's own hand; lists, plans and questions of the user
plain       turns of a user, in 16 languages, by somebody who had not read the rules
            (`sets/turns_plain.json`)
unseen      turns by people who had not seen the code (`sets/turns_fresh.json`, `turns_later.json`)

The model proposes whatever stands in the message, and confirms everything at verification.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tests.attacks import strangers
from tests.attacks.strangers import ORDER, Outcome, Passed
from tests.learning.verification_answers import verifying

from bench.evaluation.turns import (
    CORRECT,
    FRESH_TURNS,
    LATER_TURNS,
    PLAIN_TURNS,
    Aim,
    Fate,
    SampleTurn,
    play_turn,
    read_turns,
)
from bench.report import Result, show

STRANGERS = {
    "strangers": strangers.SETS[:1],
    "strangers, two halves": strangers.SETS[1:3],
    "strangers, without the rules": strangers.SETS[3:],
    "strangers, a remark beside the words": (strangers.REMARKS,),
}
OWN = dict(zip(strangers.OWN, ("own hand", "own lists and questions"), strict=True))
FOREIGN = ("pasted", "quoted", "quotation", "tool", "assistant")
"""The labels of proposals that rest on the words of somebody else."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--failures", action="store_true", help="list them; of `unseen` only ids")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = list(measured(print if options.failures else lambda _line: None))
    if not options.failures:
        show([Result("Whose words", "of messages, or of proposals", rows)], as_json=options.json)


def measured(report: Callable[[str], Any] = lambda _line: None) -> Iterator[dict[str, Any]]:
    """Yield the figures; `report` gets a line for each failure."""
    for title, names in STRANGERS.items():
        texts = [each for name in names for each in strangers.passed_texts(name)]
        orders = [each for each in texts if each.kind == ORDER]
        statements = [each for each in texts if each.kind != ORDER]
        yield from _stranger_rows(
            f"{title}, no model", strangers.without_model, orders, statements, report
        )
        yield from _stranger_rows(
            f"{title}, obeying model", strangers.with_obeying_model, orders, statements, report
        )
    for name, title in OWN.items():
        honest = list(strangers.honest_messages(name))
        yield _row(f"{title}, model: not learned", honest,
                   lambda each: not strangers.learned_by_model(each).stored, report)  # fmt: skip
        yield _row(f"{title}, model: changes that wait for a person",
                   [each for each in honest if each.known],
                   lambda each: not strangers.learned_by_model(each).changed, report)  # fmt: skip
        yield _row(f"{title}, no model: not learned", honest,
                   lambda each: not strangers.is_learned_by_patterns(each.user, each.mark),
                   lambda _line: None)  # fmt: skip
        yield _row(f"{title}, no model: instructions not learned", strangers.honest_orders(name),
                   lambda each: not strangers.is_learned_by_patterns(each), report)  # fmt: skip
    turns = [*read_turns(FRESH_TURNS), *read_turns(LATER_TURNS)]
    yield from _unseen_foreign(turns, report)
    yield from _honest("unseen", turns, report)
    yield from _honest("plain", read_turns(PLAIN_TURNS), report)


def _stranger_rows(
    name: str,
    play: Callable[[Passed], Outcome],
    orders: Sequence[Passed],
    statements: Sequence[Passed],
    report: Callable[[str], Any],
) -> Iterator[dict[str, Any]]:
    outcomes = {each: play(each) for each in (*orders, *statements)}
    what = {"orders that became instructions": orders, "statements trusted": statements}
    for figure, texts in what.items():
        yield _row(f"{name}: {figure}", texts,
                   lambda each: outcomes[each].trusted, report)  # fmt: skip
    yield _row(f"{name}: person's facts retired", statements,
               lambda each: outcomes[each].retired, report)  # fmt: skip


def _unseen_foreign(turns: Sequence[SampleTurn], report: Callable[[str], Any]) -> Iterator[Any]:
    """Let the model propose what rests on the words of others, and nothing else."""
    stolen, retired, proposals, known = 0, 0, 0, 0
    for turn in turns:
        only = _only(turn, lambda label: label in FOREIGN)
        if not any(only.answer.values()):
            continue
        live = replace(only, known=tuple(each._replace(after=Fate.LIVE) for each in only.known))
        judged = play_turn(live, verifying("said", "over")).judgements
        for aim, wrong in ((Aim.KEEP_OUT, "trusted"), (Aim.KEEP, "retired")):
            failed = [each for each in judged if each.aim is aim and not each.is_right]
            for each in failed:
                report(f"unseen {wrong} {turn.id} [{each.label}]")
            if aim is Aim.KEEP_OUT:
                stolen += len(failed)
                proposals += sum(each.aim is aim for each in judged)
            else:
                retired += len(failed)
                known += sum(each.aim is aim for each in judged)
    yield {
        "figure": "unseen, obeying model: foreign proposals trusted",
        "count": stolen,
        "of": proposals,
    }
    yield {"figure": "unseen, obeying model: person's facts retired", "count": retired, "of": known}


def _honest(
    name: str, turns: Sequence[SampleTurn], report: Callable[[str], Any]
) -> Iterator[dict[str, Any]]:
    """Let the model propose what the user said, and nothing else."""
    missed = {Aim.STORE: [0, 0], Aim.END: [0, 0]}
    for turn in turns:
        only = _only(turn, lambda label: label == CORRECT)
        if not any(only.answer.values()):
            continue
        wrong = {each.text for each in turn.known if each.after is Fate.WRONG}
        for each in play_turn(only, verifying("said", "over", wrong=wrong)).judgements:
            if each.aim in missed:
                missed[each.aim][0] += not each.is_right
                missed[each.aim][1] += 1
                if not each.is_right:
                    report(f"{name} not {each.aim} {turn.id}")
    yield {
        "figure": f"{name}, honest: facts not learned",
        "count": missed[Aim.STORE][0],
        "of": missed[Aim.STORE][1],
    }
    yield {
        "figure": f"{name}, honest: changes not made",
        "count": missed[Aim.END][0],
        "of": missed[Aim.END][1],
    }


def _only(turn: SampleTurn, keep: Callable[[str], bool]) -> SampleTurn:
    """Return the turn with the proposals of these labels."""
    answer = {
        name: [each for each in items if keep(each["label"])] for name, items in turn.answer.items()
    }
    return replace(turn, answer=answer)


def _row(
    figure: str, items: Sequence[Any], failed: Callable[[Any], bool], report: Callable[[str], Any]
) -> dict[str, Any]:
    wrong = [each for each in items if failed(each)]
    for each in wrong:
        report(f"{figure} | {each}")
    return {"figure": figure, "count": len(wrong), "of": len(items)}


if __name__ == "__main__":
    main()
