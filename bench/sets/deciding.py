"""Labelled pairs of tool calls, disguised commands, and honest ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import erstwhile
from erstwhile import Decision, DecisionRequest, Memory

PAIRS = Path(__file__).parents[2] / "tests" / "decisions" / "data"
SETS = {
    "seen": "pairs_seen",
    "held out": "pairs_held_out",
    "later": "pairs_later",
    "common": "pairs_common",
}


@dataclass(frozen=True, slots=True)
class CallPair:
    """Two calls of one tool, and whether a person takes them for the same act."""

    same: bool
    tool: str
    denied: Any
    asked: Any


@dataclass(frozen=True, slots=True)
class AdviceTally:
    """How often advice agrees with the labels."""

    same: int
    other: int
    right_denials: int
    wrong_denials: int
    wrong_allows: int


def read_call_pairs(name: str) -> list[CallPair]:
    """Read the pairs of a set."""
    lines = (PAIRS / f"{SETS[name]}.jsonl").read_text("utf-8").splitlines()
    return [CallPair(**json.loads(line)) for line in lines]


def tally_advice(pairs: Iterable[CallPair]) -> AdviceTally:
    """Deny, or allow, the first call of each pair as a person, and ask for advice on the second."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        told = list(_advised(memory, pairs))
    return AdviceTally(
        same=sum(pair.same for pair, _, _ in told),
        other=sum(not pair.same for pair, _, _ in told),
        right_denials=sum(pair.same and after == "deny" for pair, after, _ in told),
        wrong_denials=sum(not pair.same and after == "deny" for pair, after, _ in told),
        wrong_allows=sum("allow" in (after, allowed) for _, after, allowed in told),
    )


def _advised(memory: Memory, pairs: Iterable[CallPair]) -> Iterator[tuple[CallPair, str, str]]:
    """Yield each pair with the advice after a denial, and after a permission."""
    for number, pair in enumerate(pairs):
        denying, allowing = (memory.scoped(user=f"{number}{choice}") for choice in "da")
        yield pair, _suggestion(denying, "deny", pair), _suggestion(allowing, "allow", pair)


def _suggestion(memory: Memory, choice: str, pair: CallPair) -> str:
    memory.decisions.record(
        Decision(goal="g", tool=pair.tool, input=pair.denied, choice=choice, decided_by="person")
    )
    request = DecisionRequest(goal="g", tool=pair.tool, input=pair.asked)
    return str(memory.decisions.advise(request).suggestion)


DISGUISES = {
    "written with the code at hand": "disguised_known",
    "written before the code": "disguised_before",
}
_LINE_BREAK = "⏎"


@dataclass(frozen=True, slots=True)
class SilenceTally:
    """How many commands pass in silence, of how many."""

    silent: list[str]
    total: int


def read_disguises(name: str) -> dict[str, list[str]]:
    """Read the disguises of each denied command."""
    found: dict[str, list[str]] = {}
    for line in _lines(DISGUISES[name]):
        if line.startswith("## "):
            found[line[3:]] = []
        else:
            found[[*found][-1]].append(line)
    return found


def read_honest_commands() -> list[str]:
    """Read everyday commands that do nothing of what was denied."""
    return _lines("honest_commands")


def _lines(name: str) -> list[str]:
    text = (PAIRS / f"{name}.txt").read_text("utf-8")
    return [line.replace(_LINE_BREAK, "\n") for line in text.splitlines()]


def tally_disguises(name: str) -> SilenceTally:
    """Deny each command as a person, and ask for advice on its disguises."""
    silent, total = [], 0
    for denied, disguises in read_disguises(name).items():
        total += len(disguises)
        silent += _silent([denied], disguises)
    return SilenceTally(silent, total)


def tally_honest_commands() -> SilenceTally:
    """Deny all commands of both sets, and ask for advice on the honest ones."""
    denied = {command for name in DISGUISES for command in read_disguises(name)}
    honest = read_honest_commands()
    return SilenceTally(_silent(sorted(denied), honest), len(honest))


def _silent(denied: Iterable[str], asked: Iterable[str]) -> list[str]:
    """Return the commands about which the hook says nothing."""
    with erstwhile.open(":memory:", embedder="none") as memory:
        for command in denied:
            memory.decisions.record(
                Decision(goal="g", tool="Bash", input={"command": command}, choice="deny")
            )
        return [command for command in asked if _is_silent(memory, command)]


def _is_silent(memory: Memory, command: str) -> bool:
    request = DecisionRequest(goal="g", tool="Bash", input={"command": command})
    advice = memory.decisions.advise(request)
    return advice.suggestion != "deny" and not advice.unread
