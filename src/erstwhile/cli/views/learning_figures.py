"""Views of what was measured of learning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from erstwhile.cli.views.layout import cell, plain_table, view
from erstwhile.evaluation.dialogue_report import DialogueScores
from erstwhile.evaluation.learning_figures import LearningFigures
from erstwhile.evaluation.stated import StatementScores
from erstwhile.evaluation.turn_report import Aim, AimScore, TurnReport

_TURNS = (
    "Turns with the labelled answer of a model: what became of its proposals and of known facts."
)
_LABELS = "The unfounded proposals by what is wrong with them."
_DIALOGUES = (
    "Dialogues in which something changes or only seems to. One dialogue may have several faults."
)
_STATEMENTS = "What people say about themselves, learned by patterns, without a model."
_FAULTS = ("wrongly_retired", "stale", "believed", "missed", "ended_otherwise")


@view.register
def _learning_view(found: LearningFigures, _at: datetime | None) -> RenderableType:
    return Group(*_parts(found))


def _parts(found: LearningFigures) -> Iterator[RenderableType]:
    if found.turns:
        yield cell("turns", "bold")
        yield Text(_TURNS, "dim")
        yield _groups(found.turns)
        yield Text(_LABELS, "dim")
        yield _labels(found.turns)
        yield ""
    if found.dialogues:
        yield cell("dialogues", "bold")
        yield Text(_DIALOGUES, "dim")
        yield _dialogues(found.dialogues)
        yield ""
    if found.statements:
        yield cell("statements", "bold")
        yield Text(_STATEMENTS, "dim")
        yield _statements(found.statements)


def _groups(report: TurnReport) -> Table:
    lines = ([each.group, f"{each.turns}", *map(_score, each.scores)] for each in report.lines)
    return _table(("turns", "", *Aim), lines)


def _score(score: AimScore) -> str:
    return "" if score.share is None else f"{score.share:.1%} ({score.right}/{score.of})"


def _labels(report: TurnReport) -> Table:
    lines = ([each.label, f"{each.kept_out}/{each.of}"] for each in report.labels)
    return _table(("label", "kept out"), lines)


def _dialogues(found: Sequence[DialogueScores]) -> Table:
    names = ("learner", "kind", "right", *(name.replace("_", " ") for name in _FAULTS))
    lines = (
        [each.learner, each.kind, f"{each.right}/{each.dialogues}"]
        + [str(getattr(each, name)) for name in _FAULTS]
        for each in found
    )
    return _table(names, lines, texts=2)


def _statements(found: Sequence[StatementScores]) -> Table:
    lines = (
        [
            each.set,
            each.split,
            f"{each.sentences}",
            f"{each.share:.1%} ({each.said_learned}/{each.said})",
            f"{each.precision:.1%} ({each.right}/{each.learned})" if each.learned else "",
        ]
        for each in found
    )
    names = ("sentences", "part", "", "statements learned", "facts right")
    return _table(names, lines, texts=2)


def _table(names: Iterable[str], lines: Iterable[Sequence[str]], texts: int = 1) -> Table:
    """Return a table whose first columns are texts, and the rest numbers."""
    shown = plain_table()
    for number, name in enumerate(names):
        shown.add_column(name, justify="left" if number < texts else "right", overflow="fold")
    for line in lines:
        shown.add_row(*line, style="bold" if "all" in line else "")
    return shown
