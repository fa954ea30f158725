"""Sentences with a quotation between ⟦ and ⟧, and the mood of the quotation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from erstwhile.learning.moods import Mood, mood_of

DATA = Path(__file__).with_name("data") / "moods"


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
    """Return the sentences of one file."""
    lines = (DATA / f"{name}.txt").read_text("utf-8").splitlines()
    return [_read(line) for line in lines if line and not line.startswith("#")]


def _read(line: str) -> LabelledQuotation:
    language, label, marked = (part.strip() for part in line.split("|", 2))
    marked = marked.replace("\\n", "\n")
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    return LabelledQuotation(
        language=language,
        expected=None if label == "states" else Mood(label),
        text=marked.replace("⟦", "").replace("⟧", ""),
        start=start,
        end=end,
    )
