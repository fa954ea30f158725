"""Knowledge graphs: Graphiti and Zep as JSON, the reference MCP memory server, and basic-memory.

Graphiti and Zep have nodes with summaries, and edges that state facts. The file of `server-memory`
is JSON lines: entities with observations, and relations between entities. Notes of basic-memory are
Markdown files with front matter. An observation is a list item such as "- [method] Grind it fine
#brewing (for filters)". A relation is "- brews_with [[Kettle]]".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.kinds import Kind
from erstwhile.integrations.importers.files import (
    first_time,
    list_of,
    object_of,
    read_file,
    read_json,
    read_lines,
    text_of,
    texts_of,
    time_of,
)
from erstwhile.integrations.importers.records import (
    ImportedFact,
    ImportedRecords,
    facts_of,
    id_of,
)
from erstwhile.operations.results import Refusal

_FENCE = "---"
_FIELD = re.compile(r"([A-Za-z_]+):[ \t]*(.*)")
_OBSERVATION = re.compile(r"[-*] \[([^\]\[]{1,60})\] (.+)")
_RELATION = re.compile(r"[-*] ([^\[\]]{1,100}?)[ \t]*\[\[([^\[\]]{1,200})\]\]")
_TAG = re.compile(r"(?<!\S)#([\w/-]{1,60})")
_CHECKBOXES = frozenset(("x", "X", " ", "-"))


def read_graphiti(file: Path) -> ImportedRecords:
    """Return a fact for each edge, and one for each summary of a node.

    An edge that became invalid is a fact that has ended. A node and an edge are recognised by their
    fields, so that a list of either can be read, too. The report names what states nothing.
    """
    content = read_json(file)
    lists = map(list_of, (content, *object_of(content).values()))
    parts = [part for each in lists for part in map(object_of, each) if part]
    names = {text_of(part.get("uuid")): text_of(part.get("name")) for part in parts}
    return facts_of(
        enumerate(parts, 1), lambda part: (*_edge_fact(part, names), *_node_fact(part)), "item"
    )


def _edge_fact(edge: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[ImportedFact]:
    text = text_of(edge.get("fact"))
    if not text:
        return
    ends = (names.get(text_of(edge.get(f"{end}_node_uuid"))) for end in ("source", "target"))
    subject, target = (end or "" for end in ends)
    verb = text_of(edge.get("name"))
    linked = bool(subject and target and verb)
    yield ImportedFact(
        id=text_of(edge.get("uuid")) or id_of(text),
        text=text,
        kind=Kind.RELATION if linked else Kind.FACT,
        relations=[(subject, verb, target)] if linked else [],
        since=first_time(edge, "valid_at", "created_at"),
        until=first_time(edge, "invalid_at", "expired_at"),
    )


def _node_fact(node: Mapping[str, Any]) -> Iterator[ImportedFact]:
    name, summary = text_of(node.get("name")), text_of(node.get("summary"))
    if not name or not summary or "fact" in node:
        return
    yield ImportedFact(
        id=text_of(node.get("uuid")) or id_of(name, summary),
        text=summary if name.casefold() in summary.casefold() else f"{name}: {summary}",
        entities=[name],
        since=time_of(node.get("created_at")),
    )


def read_mcp_memory(file: Path) -> ImportedRecords:
    """Return a fact for each observation, and one for each relation."""
    return facts_of(read_lines(file), _line_facts, "line")


def _line_facts(line: str) -> Iterator[ImportedFact]:
    record = object_of(line)
    if record.get("type") == "entity":
        name, kind = text_of(record.get("name")), text_of(record.get("entityType"))
        for observation in texts_of(record.get("observations")):
            yield ImportedFact(
                id=id_of(name, observation),
                text=f"{name}: {observation}" if name else observation,
                entities=[name] if name else [],
                tags=[kind] if kind else [],
            )
    elif record.get("type") == "relation":
        one, verb, other = (text_of(record.get(name)) for name in ("from", "relationType", "to"))
        if one and verb and other:
            yield _relation(id_of(one, verb, other), one, verb, other)


def _relation(
    id: str, one: str, verb: str, other: str, since: datetime | None = None
) -> ImportedFact:
    return ImportedFact(
        id=id,
        text=f"{one} {verb.replace('_', ' ')} {other}",
        kind=Kind.RELATION,
        relations=[(one, verb, other)],
        since=since,
    )


def read_basic_memory(file: Path) -> ImportedRecords:
    """Return a fact for each observation and relation of a note, or of all notes of a folder."""
    if not file.exists():
        raise NotFoundError(f"{file} does not exist", remedy="check the path")
    if not file.is_dir():
        return ImportedRecords(facts=tuple(_note_facts(file)))
    facts, left_out = list[ImportedFact](), list[Refusal]()
    for note in sorted(file.rglob("*.md")):
        try:
            _check_note(note, file)
            facts += _note_facts(note)
        except (InvalidInputError, NotFoundError) as error:
            place = str(note.relative_to(file))
            left_out.append(Refusal(place=place, reason=error.message))
    return ImportedRecords(facts=tuple(facts), left_out=tuple(left_out))


def _check_note(note: Path, folder: Path) -> None:
    """Raise InvalidInputError for a link, which may lead to another file, and for a folder."""
    beyond = [each for each in (note, *note.parents) if each.is_relative_to(folder)]
    if any(each.is_symlink() for each in beyond if each != folder):
        raise InvalidInputError("it is a symbolic link, which is not followed")
    if not note.is_file():
        raise InvalidInputError("it is not a file")


def _note_facts(note: Path) -> Iterator[ImportedFact]:
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
            yield _relation(id_of(link, line), title, verb, other, since)


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
