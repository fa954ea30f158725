"""Read the lines of an export into a staging file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.scope import SHARED, Scope
from erstwhile.exports.export import EMBEDDERS, LINKS
from erstwhile.exports.format import (
    END,
    HEADER,
    NAME,
    VERSION,
    LinesDigest,
    RefusedLineError,
    counted_lines,
    formats,
    parsed,
    scope_of,
)
from erstwhile.exports.staging import Refusal, StagedLine, Staging
from erstwhile.exports.tables import SCOPES
from erstwhile.storage.columns import encode

Judge = Callable[[Scope, Mapping[str, Any]], bool]
"""A function that says whether a scope, with the end of its chain, is to be imported."""


class ExportHeader(NamedTuple):
    """What a file should have: the number of lines by table, and the digest of the links."""

    lines: dict[str, int]
    links_digest: object


class ExportReader:
    """The lines of a file. `lines` counts those of each table, `model` made the vectors."""

    def __init__(self, file: Path, staging: Staging, wanted: Judge) -> None:
        self._file = file
        self._staging = staging
        self._wanted = wanted
        self._skipped: set[Scope] = set()
        self._seen: Counter[str] = Counter()
        self._model_line: tuple[str, ...] = ()
        self.model: Mapping[str, Any] | None = None
        self.links: list[StagedLine] = []
        self.expected, self._links_digest = read_header(file)
        self._digest_of_links = LinesDigest()

    @property
    def total(self) -> int:
        return sum(self.expected.values())

    def read(self, progress: Callable[[int], None]) -> None:
        """Check every line, and stage those of wanted scopes."""
        for number, line in _lines(self._file):
            if number > 1:
                self._take(number, line)
                progress(number - 1)
        self._staging.write()
        self._check_links()
        self._check_end()

    def _take(self, number: int, line: bytes) -> None:
        scope: Scope | None = None
        try:
            told = parsed(line)
            if told["table"] == END:
                self._end(told)
                return
            form = formats().get(told["table"])
            self._seen[told["table"]] += 1
            scope = scope_of(told) if form is None or form.scoped else SHARED
            if form is None:
                raise RefusedLineError(f"there is no table {told['table']!r}"[:100])
            if scope in self._skipped and form.scoped:
                return
            values = form.values(told)
            if form.table == EMBEDDERS:
                self.model, self._model_line = values, (encode(told),)
            elif form.table == LINKS:
                self.links.append(StagedLine(number, LINKS, scope, values))
                self._digest_of_links.add(encode(told))
            elif form.table != SCOPES or self._begins(scope, values):
                self._staging.add(StagedLine(number, form.table, scope, values))
                self._digest(scope, told)
        except RefusedLineError as error:
            self._staging.refuse(number, scope, str(error))

    def _digest(self, scope: Scope, told: Mapping[str, Any]) -> None:
        """Add a line to the digest of its scope, which begins with the line of the model."""
        before = self._model_line if told["table"] == SCOPES else ()
        for line in (*before, encode(told)):
            self._staging.scopes[scope].digest.add(line)

    def _end(self, told: Mapping[str, Any]) -> None:
        """Note how many lines a scope should have had, and whether they are the same."""
        scope = scope_of(told)
        if scope in self._staging.scopes:
            staged = self._staging.scopes[scope]
            staged.expected = counted_lines(told)
            staged.unchanged = staged.digest.text() == told.get("digest")

    def _begins(self, scope: Scope, head: Mapping[str, Any]) -> bool:
        if self._wanted(scope, head):
            return True
        self._skipped.add(scope)
        return False

    def _check_links(self) -> None:
        """Take no link of names if one of them was changed."""
        if self.links and self._digest_of_links.text() != self._links_digest:
            reason = "a line of them was changed: their digest does not fit"
            self._staging.refused.append(Refusal(place="the links of names", reason=reason))
            self.links = []

    def _check_end(self) -> None:
        """Tell if lines are missing. Each scope tells by itself whether it is whole."""
        missing = Counter(self.expected) - self._seen
        if not missing:
            return
        names = ", ".join(f"{count} of {table}" for table, count in missing.items())
        self._staging.refused.append(
            Refusal(place="the file", reason=f"lines are missing: {names}")
        )


def read_header(file: Path) -> ExportHeader:
    """Return what the first line of a file says. Raise InvalidInputError if it is no export."""
    try:
        told = parsed(next(_lines(file))[1])
    except (RefusedLineError, StopIteration):
        told = {}
    lines = counted_lines(told)
    known = (told.get("table"), told.get("format")) == (HEADER, NAME)
    if known and told.get("version") != VERSION:
        raise InvalidInputError(
            f"{file} has version {told.get('version')!r} of the format",
            remedy=f"this program reads version {VERSION}: use a newer one",
        )
    if known and lines is not None:
        return ExportHeader(lines, told.get("links_digest"))
    raise InvalidInputError(
        f"{file} does not begin as an export of a memory does",
        remedy="give a file that `erstwhile export` wrote; for other programs see `--from`",
    )


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers. Only a line feed ends a line."""
    try:
        with file.open("rb") as opened:
            yield from enumerate(opened, 1)
    except OSError as error:
        raise NotFoundError(
            f"{file} cannot be read ({error.strerror})", remedy="check the path"
        ) from None
