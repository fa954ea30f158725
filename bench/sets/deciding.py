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


WITHOUT_CODE = "written before the code"
DISGUISES = {
    "written with the code at hand": "disguised_known",
    WITHOUT_CODE: "disguised_before",
}
BLIND = ("blind",)
FRESH = {
    "tuned on": (
        "fresh_tuned",
        "fresh_tuned_later",
        "fresh_tuned_more",
        "fresh_tuned_last",
        "fresh_tuned_newest",
    ),
    "held out": ("fresh_held_out",),
}
_LINE_BREAK = "⏎"


@dataclass(frozen=True, slots=True)
class SilenceTally:
    """How many calls pass in silence, of how many."""

    silent: list[str]
    total: int


Call = tuple[str, Any]
"""A tool and its input."""


def read_disguises(name: str) -> dict[str, list[str]]:
    """Read the disguises of each denied command."""
    found: dict[str, list[str]] = {}
    for line in _lines(DISGUISES[name]):
        if line.startswith("## "):
            found[line[3:]] = []
        else:
            found[[*found][-1]].append(line)
    return found


def read_blind_pairs(*, same: bool) -> Iterator[tuple[Call, Call]]:
    """Read denied calls, each with a disguise of it, or with another call, by whatever tool."""
    for name in BLIND:
        for line in (PAIRS / f"{name}.jsonl").read_text("utf-8").splitlines():
            pair = json.loads(line)
            if pair["same"] is same:
                yield tuple(pair["denied"]), tuple(pair["asked"])


def read_fresh_pairs(name: str, *, same: bool) -> Iterator[tuple[Call, Call]]:
    """Read denied calls of a fresh set, each with a disguise of it, or with an everyday call."""
    denied, mark = _shell(""), "! " if same else "= "
    for line in (line for file in FRESH[name] for line in _lines(file)):
        if line.startswith("## "):
            denied = _call(line[3:])
        elif line.startswith(mark):
            yield denied, _call(line[2:])


def _call(text: str) -> Call:
    """Read a tool with its input, as JSON, or a command."""
    return tuple(json.loads(text)) if text.startswith('["') else _shell(text)


def read_honest_commands() -> list[str]:
    """Read everyday commands that do nothing of what was denied."""
    return _lines("honest_commands")


def _lines(name: str) -> list[str]:
    text = (PAIRS / f"{name}.txt").read_text("utf-8")
    return [line.replace(_LINE_BREAK, "\n") for line in text.splitlines()]


def tally_disguises(name: str) -> SilenceTally:
    """Deny each call as a person, and ask for advice on its disguises."""
    pairs = [
        (_shell(denied), _shell(each))
        for denied, disguises in read_disguises(name).items()
        for each in disguises
    ]
    if name == WITHOUT_CODE:
        pairs += read_blind_pairs(same=True)
    return SilenceTally(_silent(pairs), len(pairs))


def tally_fresh_calls(name: str, *, same: bool) -> SilenceTally:
    """Deny each call of a fresh set, and ask for advice on its disguises, or on everyday calls."""
    pairs = list(read_fresh_pairs(name, same=same))
    return SilenceTally(_silent(pairs), len(pairs))


def tally_honest_commands() -> SilenceTally:
    """Ask for advice on honest commands beside all denials, and on pairs beside their own."""
    denied = sorted({each for name in DISGUISES for each in read_disguises(name)})
    pairs = list(read_blind_pairs(same=False))
    honest = [_shell(each) for each in read_honest_commands()]
    with erstwhile.open(":memory:", embedder="none") as memory:
        for command in denied:
            _deny(memory, *_shell(command))
        silent = [json.dumps(given) for tool, given in honest if _is_silent(memory, tool, given)]
    return SilenceTally(silent + _silent(pairs), len(honest) + len(pairs))


def _shell(command: str) -> Call:
    return "Bash", {"command": command}


def _silent(pairs: Iterable[tuple[Call, Call]]) -> list[str]:
    """Return the calls about which the hook says nothing after the denial of the other one."""
    silent, scopes = [], dict[str, Memory]()
    with erstwhile.open(":memory:", embedder="none") as memory:
        for (tool, given), (other, asked) in pairs:
            key = json.dumps([tool, given])
            if key not in scopes:
                scopes[key] = memory.scoped(user=f"u{len(scopes)}")
                _deny(scopes[key], tool, given)
            if _is_silent(scopes[key], other, asked):
                silent.append(json.dumps([other, asked]))
    return silent


def _deny(memory: Memory, tool: str, given: Any) -> None:
    memory.decisions.record(Decision(goal="g", tool=tool, input=given, choice="deny"))


def _is_silent(memory: Memory, tool: str, given: Any) -> bool:
    advice = memory.decisions.advise(DecisionRequest(goal="g", tool=tool, input=given))
    return advice.suggestion != "deny" and not advice.unread
