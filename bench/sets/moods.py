"""Sentences with a quotation between ⟦ and ⟧, and the mood of the quotation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from erstwhile.learning.moods import Mood, mood_of

DATA = Path(__file__).parents[2] / "tests" / "learning" / "data" / "moods"


@dataclass(frozen=True, slots=True)
class LabelledQuotation:
    """A text, the place of its quotation, and whether the quotation states something."""

    language: str
    expected: Mood | None
    text: str
    start: int
    end: int

    @property
    def found(self) -> Mood | None:
        return mood_of(self.text, self.start, self.end)


def labelled(name: str) -> list[LabelledQuotation]:
    """Return the labelled quotations of one file."""
    return [_read(*row) for row in _rows(name)]


def told_changes() -> list[tuple[str, str, str]]:
    """Return what is asked, the answer, and the sentence."""
    return _rows("changes")


def _rows(name: str) -> list[tuple[str, str, str]]:
    lines = (DATA / f"{name}.txt").read_text("utf-8").splitlines()
    parts = [line.split("|", 2) for line in lines if line and not line.startswith("#")]
    return [(first.strip(), second.strip(), last.strip()) for first, second, last in parts]


def _read(language: str, label: str, marked: str) -> LabelledQuotation:
    marked = marked.replace("\\n", "\n")
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    return LabelledQuotation(
        language=language,
        expected=None if label == "states" else Mood(label),
        text=marked.replace("⟦", "").replace("⟧", ""),
        start=start,
        end=end,
    )
