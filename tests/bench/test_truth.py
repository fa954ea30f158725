"""Stories about truth in time, and how answers are judged."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from bench.truth.scores import judged, read_stories, table
from bench.truth.systems.erstwhile import System


class Parrot:
    """Says everything that it was ever told, and knows no times."""

    def __init__(self, folder: Path) -> None:  # noqa: ARG002
        self.said: list[str] = []

    def add(self, turn: dict[str, Any]) -> None:
        self.said += [each["text"] for each in turn["changes"] if "text" in each]

    def live(self, question: str) -> list[str]:  # noqa: ARG002
        return self.said

    def as_of(self, question: str, time: str) -> None:  # noqa: ARG002
        return None


def test_each_story_changes_something_and_asks_about_now_and_then() -> None:
    stories = read_stories()
    assert len(stories) >= 60
    assert len({story["id"] for story in stories}) == len(stories)
    for story in stories:
        times = [turn["at"] for turn in story["turns"]]
        assert len(times) > 1
        assert times == sorted(times)
        assert {bool(check.get("as_of")) for check in story["checks"]} == {True, False}


def test_who_says_everything_says_what_is_stale() -> None:
    everything = table(judged(read_stories(), Parrot))[-1]
    found, needed = map(int, everything["true_found"].split("/"))
    assert found == needed > 50
    assert int(everything["stale_said"].split("/")[0]) > 50
    assert everything["then_right"] == "not offered"


def test_an_update_and_a_poisoned_change_come_out_right() -> None:
    chosen = [each for each in read_stories() if each["id"] in ("update-01", "poisoned-01")]
    verdicts = list(judged(chosen, partial(System, typed=True)))
    assert [(each.story, each.is_right) for each in verdicts] == [
        ("update-01", True),
        ("update-01", True),
        ("poisoned-01", True),
        ("poisoned-01", True),
    ]
