"""Read the lines of an export into a staging file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.scope import SHARED, Scope
from erstwhile.exports.export import EMBEDDERS
from erstwhile.exports.format import (
    HEADER,
    NAME,
    VERSION,
    RefusedLineError,
    formats,
    parsed,
    scope_of,
)
from erstwhile.exports.staging import Refusal, StagedLine, Staging
from erstwhile.exports.tables import SCOPES

Judge = Callable[[Scope, Mapping[str, Any]], bool]
"""A function that says whether a scope, with the end of its chain, is to be imported."""


class ExportReader:
    """The lines of a file. `lines` counts those of each table, `model` made the vectors."""

    def __init__(self, file: Path, staging: Staging, wanted: Judge) -> None:
        self._file = file
        self._staging = staging
        self._wanted = wanted
        self._skipped: set[Scope] = set()
        self._seen: Counter[str] = Counter()
        self.model: Mapping[str, Any] | None = None
        self.expected = expected_lines(file)

    @property
    def total(self) -> int:
        return sum(self.expected.values())

    def read(self, progress: Callable[[int], None]) -> None:
        """Check every line, and stage those of wanted scopes."""
        for number, text in _lines(self._file):
            if number > 1:
                self._take(number, text)
                progress(number - 1)
        self._staging.write()
        self._check_end()

    def _take(self, number: int, text: str) -> None:
        scope: Scope | None = None
        try:
            told = parsed(text)
            form = formats().get(told["table"])
            self._seen[told["table"]] += 1
            scope = scope_of(told) if form is None or form.scoped else SHARED
            if form is None:
                raise RefusedLineError(f"there is no table {told['table']!r}"[:100])
            if scope in self._skipped and form.scoped:
                return
            values = form.values(told)
            if form.table == EMBEDDERS:
                self.model = values
            elif form.table != SCOPES or self._begins(scope, values):
                self._staging.add(StagedLine(number, form.table, scope, values))
        except RefusedLineError as error:
            self._staging.refuse(number, scope, str(error))

    def _begins(self, scope: Scope, head: Mapping[str, Any]) -> bool:
        if self._wanted(scope, head):
            return True
        self._skipped.add(scope)
        return False

    def _check_end(self) -> None:
        """Refuse the last scope if lines are missing: no chain covers its last lines."""
        missing = Counter(self.expected) - self._seen
        if not missing:
            return
        names = ", ".join(f"{count} of {table}" for table, count in missing.items())
        self._staging.refused.append(Refusal(place="the end", reason=f"lines are missing: {names}"))
        if self._staging.scopes:
            list(self._staging.scopes.values())[-1].spoiled = True


def expected_lines(file: Path) -> dict[str, int]:
    """Return the number of lines that a file should have, by table, as its header says."""
    try:
        told = parsed(next(_lines(file))[1])
    except (RefusedLineError, StopIteration):
        told = {}
    lines = told.get("lines")
    known = (told.get("table"), told.get("format")) == (HEADER, NAME)
    if known and told.get("version") != VERSION:
        raise InvalidInputError(
            f"{file} has version {told.get('version')!r} of the format",
            remedy=f"this program reads version {VERSION}: use a newer one",
        )
    if known and isinstance(lines, dict) and _are_counts(lines):
        return lines
    raise InvalidInputError(
        f"{file} does not begin as an export of a memory does",
        remedy="give a file that `erstwhile export` wrote; for other programs see `--from`",
    )


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers. Only a line feed ends a line."""
    try:
        with file.open("rb") as opened:
            for number, line in enumerate(opened, 1):
                yield number, line.decode("utf-8", "replace").removesuffix("\n")
    except OSError as error:
        raise NotFoundError(
            f"{file} cannot be read ({error.strerror})", remedy="check the path"
        ) from None


def _are_counts(lines: Mapping[str, Any]) -> bool:
    return all(type(value) is int and value >= 0 for value in lines.values())
