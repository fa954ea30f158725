"""Notes of basic-memory: Markdown files, each with front matter, observations and relations.

An observation is a list item such as "- [method] Grind it fine #brewing (for filters)". A relation
is "- brews_with [[Kettle]]".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.kinds import Kind
from erstwhile.integrations.conversation_import import UnreadablePart
from erstwhile.integrations.importers.files import read_file, time_of
from erstwhile.integrations.importers.records import ImportedFact, ImportedRecords, id_of

_FENCE = "---"
_FIELD = re.compile(r"([A-Za-z_]+):[ \t]*(.*)")
_OBSERVATION = re.compile(r"[-*] \[([^\]\[]{1,60})\] (.+)")
_RELATION = re.compile(r"[-*] ([^\[\]]{1,100}?)[ \t]*\[\[([^\[\]]{1,200})\]\]")
_TAG = re.compile(r"(?<!\S)#([\w/-]{1,60})")
_CHECKBOXES = frozenset(("x", "X", " ", "-"))


def read(file: Path) -> ImportedRecords:
    """Return a fact for each observation and relation of a note, or of all notes of a folder."""
    if not file.exists():
        raise NotFoundError(f"there is nothing at {file}", remedy="check the path")
    if not file.is_dir():
        return ImportedRecords(facts=tuple(_facts(file)))
    facts, left_out = list[ImportedFact](), list[UnreadablePart]()
    for note, trouble in _notes(file):
        try:
            if trouble:
                raise InvalidInputError(trouble)
            facts += _facts(note)
        except (InvalidInputError, NotFoundError) as error:
            place = str(note.relative_to(file))
            left_out.append(UnreadablePart(place=place, reason=error.message))
    return ImportedRecords(facts=tuple(facts), left_out=tuple(left_out))


def _notes(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the notes of a folder, and the reason for each that is not read.

    A link may lead to a file that is none of the notes, so links are not followed.
    """
    for path in sorted(folder.rglob("*.md")):
        beyond = [each for each in (path, *path.parents) if each.is_relative_to(folder)]
        if any(each.is_symlink() for each in beyond if each != folder):
            yield path, "it is a symbolic link, which is not followed"
        elif not path.is_file():
            yield path, "it is not a file"
        else:
            yield path, ""


def _facts(note: Path) -> Iterator[ImportedFact]:
    fields, lines = _front_matter(read_file(note).splitlines())
    title = fields.get("title") or note.stem
    since = time_of(fields.get("created") or fields.get("date"))
    link = fields.get("permalink") or note.stem
    for line in map(str.strip, lines):
        if (said := _OBSERVATION.fullmatch(line)) and said[1] not in _CHECKBOXES:
            yield ImportedFact(
                id=id_of(link, line),
                text=f"{title}: {' '.join(_TAG.sub('', said[2]).split())}",
                entities=[title],
                tags=[said[1].strip(), *_TAG.findall(said[2])],
                since=since,
            )
        elif (linked := _RELATION.match(line)) and linked[1].strip():
            verb, other = linked[1].strip(), linked[2].strip()
            yield ImportedFact(
                id=id_of(link, line),
                text=f"{title} {verb.replace('_', ' ')} {other}",
                kind=Kind.RELATION,
                relations=[(title, verb, other)],
                since=since,
            )


def _front_matter(lines: list[str]) -> tuple[Mapping[str, str], list[str]]:
    """Return the front matter as plain fields, and the lines after it."""
    if not lines or lines[0].strip() != _FENCE:
        return {}, lines
    ends = [number for number, line in enumerate(lines[1:], 1) if line.strip() == _FENCE]
    if not ends:
        return {}, lines
    found = filter(None, map(_FIELD.fullmatch, lines[1 : ends[0]]))
    fields = {each[1]: each[2].strip().strip("'\"") for each in found}
    return fields, lines[ends[0] + 1 :]
