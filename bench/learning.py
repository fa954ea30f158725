"""Measure learning on labelled turns, dialogues and statements.

python -m bench.learning [FILE...] [--set SET] [--sample N] [--failures [--unseal]]

recorded    turns of public conversations, and stories of change, with the recorded answers of a
            capable model to the real prompts
turns       turns with the labelled answer of a model, in two halves and a later set
fresh       more such turns, in rounds, each written by somebody who had not seen the code
dialogues   dialogues in which something changes, or only seems to
statements  sentences from which patterns learn, without a model; also those of FILE, which is BEAM
            or LoCoMo

Simulated language models answer, so none is needed. Half b, the later sets, the fresh turns and all
statements but those for tuning are held out: --failures lists nothing of them without --unseal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from bench.evaluation.dialogues import (
    DIALOGUES,
    FURTHER_DIALOGUES,
    LATER_DIALOGUES,
    Fault,
    PlayedDialogue,
    play_dialogue,
    read_dialogues,
)
from bench.evaluation.recorded import figures, play_story, recorded_stories
from bench.evaluation.simulated_model import was_verified
from bench.evaluation.statements import (
    ReadSentence,
    own_sentences,
    public_sentences,
    read_sentences,
)
from bench.evaluation.turns import (
    FRESH_TURNS,
    LATER_TURNS,
    TURNS,
    Aim,
    PlayedTurn,
    play_turn,
    read_turns,
)
from bench.report import Result, show
from erstwhile import ErstwhileError

_Sample = TypeVar("_Sample")
_Row = dict[str, str | float]
_DIALOGUES = {
    "six languages": DIALOGUES,
    "further languages": FURTHER_DIALOGUES,
    "held out, later": LATER_DIALOGUES,
}


class Measured(NamedTuple):
    """The tables of a set, and what fails in it: whether it is held out, and its description."""

    results: Sequence[Result]
    failures: Sequence[tuple[bool, str]]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    try:
        found = [SETS[name](options.sample, options.files) for name in options.sets or SETS]
    except ErstwhileError as error:
        raise SystemExit(f"{error.message}; {error.remedy}") from None
    if not options.failures:
        show([each for set in found for each in set.results], as_json=options.json)
        return
    for is_held_out, failure in (each for set in found for each in set.failures):
        if options.unseal or not is_held_out:
            print(failure)


def measure_turns(sample: int | None, _: Sequence[Path]) -> Measured:
    """Play both halves and the later set; of the later set only totals are told."""
    played = [*_played(TURNS, sample), *_played(LATER_TURNS, sample)]
    halves = [each for each in played if each.turn.half in ("a", "b")]
    languages = _by(halves, lambda each: each.turn.language)
    groups = {"both halves": halves, **_by(played, lambda each: each.turn.half), **languages}
    results = [
        Result("turns", "of proposals and known facts", _turn_rows(groups)),
        Result("unfounded proposals", "by what is wrong with them", list(_label_rows(halves))),
    ]
    return Measured(results, [(each.turn.half != "a", line) for each, line in _failed(played)])


def measure_fresh(sample: int | None, _: Sequence[Path]) -> Measured:
    """Play the fresh turns; only totals are told of them."""
    played = _played(FRESH_TURNS, sample)
    rows = _turn_rows(_by(played, lambda each: each.turn.half))
    results = [Result("fresh turns", "of proposals and known facts", rows)]
    return Measured(results, [(True, line) for _, line in _failed(played)])


def measure_dialogues(sample: int | None, _: Sequence[Path]) -> Measured:
    """Play all dialogues without a model."""
    results, failures = list[Result](), list[tuple[bool, str]]()
    for name, path in _DIALOGUES.items():
        chosen = _sampled(read_dialogues(path), sample)
        print(f"playing {len(chosen):,} dialogues in {name}", file=sys.stderr)
        played = [play_dialogue(each) for each in chosen]
        title = f"dialogues, {name}"
        results.append(Result(title, "one may have several faults", list(_dialogue_rows(played))))
        failures += [
            (path == LATER_DIALOGUES, _dialogue_failure(each)) for each in played if each.faults
        ]
    return Measured(results, failures)


def measure_statements(sample: int | None, files: Sequence[Path]) -> Measured:
    """Learn from sentences without a model."""
    labels = [*own_sentences(), *(each for file in files for each in public_sentences(file))]
    chosen = _sampled(labels, sample)
    print(f"reading {len(chosen):,} sentences", file=sys.stderr)
    found = read_sentences(chosen)
    groups = _by(found, lambda each: f"{each.label.set}, {each.label.split}")
    rows = [_statement_row(name, groups[name]) for name in sorted(groups)]
    results = [Result("statements", "learned by patterns, without a model", rows)]
    failures = [
        (each.label.split != "tune", line) for each in found for line in _statement_failures(each)
    ]
    return Measured(results, failures)


def measure_recorded(sample: int | None, _: Sequence[Path]) -> Measured:
    """Play turns and stories with the recorded answers of a capable model."""
    stories = _sampled(recorded_stories(), sample)
    print(f"playing {len(stories):,} turns and stories with recorded answers", file=sys.stderr)
    played = {story.id: play_story(story) for story in stories}
    rows: list[_Row] = [
        {"figure": name, "share": share(count, of)} for name, count, of in figures(played)
    ]
    otherwise = [(False, story.id) for story in stories if played[story.id] != story.live]
    return Measured([Result("recorded answers", "judged by somebody else", rows)], otherwise)


SETS = {
    "recorded": measure_recorded,
    "turns": measure_turns,
    "fresh": measure_fresh,
    "dialogues": measure_dialogues,
    "statements": measure_statements,
}


def _played(path: Path, sample: int | None) -> list[PlayedTurn]:
    turns = _sampled(read_turns(path), sample)
    print(f"playing {len(turns):,} turns of {path.name}", file=sys.stderr)
    return [play_turn(turn) for turn in turns]


def _turn_rows(groups: dict[str, list[PlayedTurn]]) -> list[_Row]:
    return [
        {
            "group": name,
            "turns": len(played),
            "verified": sum(was_verified(each.turn.id) for each in played),
            **{aim.value: _aim_score(played, aim) for aim in Aim},
        }
        for name, played in groups.items()
    ]


def _aim_score(played: Iterable[PlayedTurn], aim: Aim) -> str:
    judged = [one.is_right for each in played for one in each.judgements if one.aim is aim]
    return share(sum(judged), len(judged))


def _label_rows(played: Iterable[PlayedTurn]) -> Iterator[_Row]:
    judged = [one for each in played for one in each.judgements if one.aim is Aim.KEEP_OUT]
    for label, own in sorted(_by(judged, lambda each: each.label).items()):
        yield {"label": label, "kept out": share(sum(each.is_right for each in own), len(own))}


def _failed(played: Iterable[PlayedTurn]) -> Iterator[tuple[PlayedTurn, str]]:
    """Yield the turns in which something went wrong, and what learning tells of it."""
    for each in played:
        if wrong := [one for one in each.judgements if not one.is_right]:
            turn = each.turn
            yield (
                each,
                "\n".join(
                    [
                        f"## {turn.id} ({turn.kind}), {turn.said_at:%Y-%m-%d}",
                        *(f"before: {user!r} / {answer!r}" for user, answer in turn.before),
                        f"user: {turn.user!r}",
                        *(f"tool: {tool!r}" for tool in turn.tools),
                        f"assistant: {turn.assistant!r}",
                        *(f"- not {one.aim} [{one.label}]: {one.text}" for one in wrong),
                        *(f"- told: {line}" for line in each.changes),
                        "",
                    ]
                ),
            )


def _dialogue_rows(played: Sequence[PlayedDialogue]) -> Iterator[_Row]:
    for kind, some in {"all": played, **_by(played, lambda each: each.dialogue.kind)}.items():
        yield {
            "kind": kind.replace("_", " "),
            "right": share(sum(not each.faults for each in some), len(some)),
            **{fault.value: sum(fault in each.faults for each in some) for fault in Fault},
        }


def _dialogue_failure(played: PlayedDialogue) -> str:
    faults = ", ".join(sorted(played.faults))
    named = f"{played.dialogue.id}: {faults}"
    return f"{named}; live: {played.live}; retired: {played.retired}"


def _statement_row(name: str, found: Sequence[ReadSentence]) -> _Row:
    said = sum(len(each.label.said) for each in found)
    learned = sum(len(each.learned) for each in found)
    return {
        "sentences": name,
        "number": len(found),
        "statements learned": share(said - sum(len(each.missed) for each in found), said),
        "facts right": share(learned - sum(len(each.wrong) for each in found), learned),
    }


def _statement_failures(found: ReadSentence) -> Iterator[str]:
    yield from (f"{found.label.set} wrong: {each.text}" for each in found.wrong)
    yield from (f"{found.label.set} missed: {span}" for span in found.missed)


def share(right: int, of: int) -> str:
    """Return a share in percent with its numbers; empty if there was nothing to do."""
    return f"{right / of:.1%} ({right} of {of})" if of else ""


def _by(samples: Iterable[_Sample], name: Callable[[_Sample], str]) -> dict[str, list[_Sample]]:
    """Return the samples by name, in their order."""
    groups: dict[str, list[_Sample]] = {}
    for each in samples:
        groups.setdefault(name(each), []).append(each)
    return groups


def _sampled(samples: Sequence[_Sample], count: int | None) -> Sequence[_Sample]:
    """Return so many of the samples, spread over all of them, and always the same ones."""
    if count is None or count >= len(samples):
        return samples
    return [samples[number * len(samples) // count] for number in range(count)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.learning", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("files", metavar="FILE", nargs="*", type=Path)
    add("--set", dest="sets", choices=tuple(SETS), action="append", help="only this set")
    add("--sample", type=int, metavar="N", help="only N of each file, always the same ones")
    add("--failures", action="store_true", help="list what fails, instead of figures")
    add("--unseal", action="store_true", help="list it although it is held out")
    add("--json", action="store_true")
    return parser


if __name__ == "__main__":
    main()
