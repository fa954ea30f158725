"""Fit how much each rule counts beside the network: python -m bench.reading.fit ANSWERS…

The answers are those of `bench.reading.train --without`, so that each is by networks that did not
learn from its turn. The rules judge the same turns alone. A logistic regression finds the weights,
and they are written to `evidence.toml`.
"""

from __future__ import annotations

import argparse
import pickle
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from bench.reading.examples import FATES, labelled_turns
from erstwhile.evaluation.turn_trial import play_turn
from erstwhile.evaluation.turns import read_turn
from erstwhile.learning import evaluate_turn
from erstwhile.learning.attempt import AttemptChange
from erstwhile.learning.change import Act
from erstwhile.learning.reconcile.claims import ClaimVerdict
from erstwhile.learning.weighing import is_evidence

TABLES = Path(evaluate_turn.__file__).with_name("evidence.toml")
PASSING = ("characters", "beacons", "transient", "grounding/detail")
"""Rules that only change a proposal."""
_FEWEST = 6
"""A rule that was met less often counts for nothing."""
_PENALTY = 1.0
MARGINS = {
    "support": (0.3, 0.8),
    "ending": (0.0, 0.8),
    "replacing": (0.0, 1.3),
    "wrong": (0.0, 1.0),
}
"""How much clearer than even the odds must be to object to the rules, and to outweigh them: what
the rules say of plain words is mostly right, and a wrong memory is worse than one that waits."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the network answered, what the rules found, and what is right."""

    table: str
    read: float
    evidence: tuple[str, ...]
    is_right: bool


def first_plays(
    answers: Sequence[tuple[Any, Any]], cache: Path | None
) -> dict[str, Sequence[AttemptChange]]:
    """Play the turns of the answers with the rules alone; return what became of the proposals."""
    wanted = {id for (source, id, *_), _ in answers if source.startswith("written")}
    played = dict[str, Sequence[AttemptChange]]()
    if cache and cache.exists():
        played = dict(pickle.loads(cache.read_bytes()))  # noqa: S301 (our own file)
    with patch.object(evaluate_turn, "reader_of", lambda _: None):
        for _, turn in labelled_turns():
            if turn["id"] in wanted - played.keys():
                played[turn["id"]] = play_turn(read_turn({"half": "", **turn})).changes
    if cache:
        cache.write_bytes(pickle.dumps(played))
    return played


def judged(
    plays: Mapping[str, Sequence[AttemptChange]], answers: Sequence[tuple[Any, NDArray[np.float32]]]
) -> list[Judged]:
    """Return what can be learned from the answers and the plays."""
    turns = {turn["id"]: turn for _, turn in labelled_turns()}
    found = list[Judged]()
    for (source, id, task, answer, named, text, quote), value in answers:
        if not source.startswith("written") or not named:
            continue
        changes = plays.get(id, ())
        if task == 0:
            found += _of_statement(changes, text, float(value[-1]), is_right=answer == 0)
        else:
            found += _of_fact(turns[id], changes, text, quote, value, FATES[answer])
    return found


def _of_statement(
    changes: Sequence[AttemptChange], text: str, read: float, *, is_right: bool
) -> list[Judged]:
    change = _change(changes, text)
    if change is None or change.act is Act.REFUSE or _is_decided(change, ends=False):
        return []
    return [Judged("support", read, _rules(change), is_right)]


def _of_fact(
    turn: Mapping[str, Any],
    changes: Sequence[AttemptChange],
    text: str,
    quote: str,
    value: NDArray[np.float32],
    fate: str,
) -> list[Judged]:
    stays, over, wrong = map(float, value)
    read, is_over = float(np.logaddexp(over, wrong)) - stays, fate != FATES[0]
    found = list[Judged]()
    for name, proposals in turn["answer"].items():
        for each in proposals:
            ids = each.get("ids") or [each.get("id")]
            if f"@{text}" not in ids or each["quote"][:12].casefold() != quote[:12].casefold():
                continue
            change = _change(changes, each.get("text", text), each["quote"])
            if change is None or _is_decided(change, ends=True):
                continue
            table = "ending" if name == "end" else "replacing"
            found.append(Judged(table, read, _rules(change) or (_claim(change),), is_over))
            if is_over:
                found.append(Judged("wrong", wrong - over, (), fate == "wrong"))
    return found[:2]


def _change(changes: Sequence[AttemptChange], text: str, quote: str = "") -> AttemptChange | None:
    named = [each for each in changes if each.text.casefold() == text.casefold()]
    near = [each for each in named if each.quote[:12].casefold() == quote[:12].casefold()]
    return next(iter(near or named), None)


def _is_decided(change: AttemptChange, *, ends: bool) -> bool:
    """Return whether rules decided that are no evidence for a statement, or for the end of one."""
    return change.act is Act.HOLD and not is_evidence(_rules(change), change.text, ends=ends)


def _rules(change: AttemptChange) -> tuple[str, ...]:
    if change.act is not Act.HOLD:
        return ()
    return tuple(each for each in change.rule.split(", ") if each and not each.startswith(PASSING))


def _claim(change: AttemptChange) -> str:
    """Return the name of the verdict on a claim; DOUBT for another objection."""
    if change.act in (Act.SUPERSEDE, Act.END):
        return ClaimVerdict.HOLDS.name
    found = [each.name for each in ClaimVerdict if change.because.endswith(each.value)]
    return next(iter(found), "DOUBT")


def fitted(found: Sequence[Judged], table: str) -> tuple[float, float, dict[str, float]]:
    """Return the factor of the network, the bias, and the weight of each kind of evidence."""
    chosen = [each for each in found if each.table == table]
    counts = Counter(name for each in chosen for name in each.evidence)
    names = sorted(name for name, count in counts.items() if count >= _FEWEST)
    rows = np.array(
        [[each.read, 1.0, *(float(name in each.evidence) for name in names)] for each in chosen]
    )
    right = np.array([float(each.is_right) for each in chosen])
    weights = _regression(rows, right)
    even = float(np.mean(((rows @ weights) > 0) == right))
    print(f"{table}: {len(chosen)}, {even:.3f} right at even odds")
    believed = np.array([_is_believed(each) for each in chosen])
    _report(rows @ weights, right, believed, MARGINS[table])
    return float(weights[0]), float(weights[1]), dict(zip(names, weights[2:].tolist(), strict=True))


def _is_believed(each: Judged) -> bool:
    """Return whether the rules alone say so."""
    return each.evidence in ((), (ClaimVerdict.HOLDS.name,))


def _report(
    odds: NDArray[np.float64],
    right: NDArray[np.float64],
    believed: NDArray[np.bool_],
    margins: tuple[float, float],
) -> None:
    """Print what the rules alone accept, and what they accept together with the network."""
    both = odds >= np.where(believed, -margins[0], margins[1])
    for name, accepted in (("rules", believed), ("both", both)):
        shares = [f"{np.mean(accepted[right == each]):.3f}" for each in (1, 0)]
        print(f"  {name}: accepted {shares[0]} of the right and {shares[1]} of the others")


def _regression(rows: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression; large ones are penalised, but not the bias."""
    penalty = np.full(rows.shape[1], _PENALTY)
    penalty[:2] = 1e-3
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        share = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (share - right) + penalty * weights
        curve = (rows * (share * (1 - share))[:, None]).T @ rows + np.diag(penalty)
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def written(found: Sequence[Judged]) -> str:
    """Return the text of `evidence.toml`."""
    scales, tables = list[str](), list[str]()
    for table in ("support", "ending", "replacing", "wrong"):
        factor, bias, weights = fitted(found, table)
        objects, outweighs = MARGINS[table]
        numbers = f"factor = {factor:.3f}, bias = {bias:.3f}"
        margins = f"objects = {objects}, outweighs = {outweighs}"
        scales.append(f"{table} = {{ {numbers}, {margins} }}")
        if table != "wrong":
            lines = [f'"{name}" = {value:.2f}' for name, value in weights.items()]
            tables.append("\n".join([f"[{table}]", *lines]))
    head = "# How much the network and each rule count, as logarithms of odds. Written by\n"
    head += "# bench/reading/fit.py from labelled turns.\n"
    return "\n\n".join([head + "[scales]\n" + "\n".join(scales), *tables]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("answers", nargs="+", type=Path)
    parser.add_argument("--cache", type=Path, help="where the plays are kept between runs")
    given = parser.parse_args()
    answers = [each for path in given.answers for each in pickle.loads(path.read_bytes())]  # noqa: S301
    TABLES.write_text(written(judged(first_plays(answers, given.cache), answers)), "utf-8")


if __name__ == "__main__":
    main()
