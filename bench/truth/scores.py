"""Judge what a system says about a story."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol, TypeAlias

STORIES = Path(__file__).parents[1] / "sets" / "truth" / "stories.jsonl"
Story: TypeAlias = Mapping[str, Any]


class System(Protocol):
    """What a system implements; see `systems` for examples of some 40 lines."""

    def add(self, turn: dict[str, Any]) -> None:
        """Take a turn: its `changes`, or the words that the user `says` and a `tool` returned."""

    def live(self, question: str) -> list[str]:
        """Return the texts that the system gives to an agent as true now, best first."""
        ...

    def as_of(self, question: str, time: str) -> list[str] | None:
        """Return what was true at a time, as known now; None if the system cannot be asked."""
        ...


class Verdict(NamedTuple):
    """How one check of a story came out."""

    story: str
    kind: str
    asked: str
    as_of: str
    offered: bool
    found: bool | None
    """Whether everything true was said, and known before it ended; None if nothing is."""
    stale: bool
    """Whether anything was said that is not true then."""
    said: list[str]

    @property
    def is_right(self) -> bool:
        return self.offered and self.found is not False and not self.stale


def read_stories(file: Path = STORIES) -> list[Story]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]


def judged(stories: Iterable[Story], open_system: Callable[[Path], System]) -> Iterator[Verdict]:
    """Tell every story to a new system, and judge its answers."""
    for story in stories:
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            system = open_system(Path(folder))
            for turn in story["turns"][:-1]:
                system.add(turn)
            before = [system.live(each["ask"]) for each in story["checks"]]
            system.add(story["turns"][-1])
            for check, said in zip(story["checks"], before, strict=True):
                yield _verdict(story, check, system, said)
            getattr(system, "close", lambda: None)()


def _verdict(
    story: Story, check: Mapping[str, Any], system: System, before: Sequence[str]
) -> Verdict:
    time = check.get("as_of", "")
    said = system.as_of(check["ask"], time) if time else system.live(check["ask"])
    live, dead = (_in(said or (), check[part]) for part in ("live", "not_live"))
    live += _in(before, check.get("before", ()))
    return Verdict(
        story["id"],
        story["kind"],
        check["ask"],
        time,
        offered=said is not None,
        found=all(live) if live else None,
        stale=any(dead),
        said=list(said or ()),
    )


def _in(said: Sequence[str], words: Sequence[str]) -> list[bool]:
    text = "\n".join(said).casefold()
    return [word.casefold() in text for word in words]


def table(verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    """Return a row for each kind of story and for all: how many checks are right, of how many."""
    known = list(verdicts)
    kinds = [*dict.fromkeys(each.kind for each in known), "all"]
    return [_row(kind, [each for each in known if kind in (each.kind, "all")]) for kind in kinds]


def _row(kind: str, verdicts: list[Verdict]) -> dict[str, Any]:
    present = [each for each in verdicts if not each.as_of]
    past = [each for each in verdicts if each.as_of]
    needed = [each for each in present if each.found is not None]
    return {
        "kind": kind,
        "true_found": f"{sum(bool(each.found) for each in needed)}/{len(needed)}",
        "stale_said": f"{sum(each.stale for each in present)}/{len(present)}",
        "now_right": f"{sum(each.is_right for each in present)}/{len(present)}",
        "then_right": f"{sum(each.is_right for each in past)}/{len(past)}"
        if any(each.offered for each in past)
        else "not offered",
    }
