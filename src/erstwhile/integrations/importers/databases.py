"""The databases of agent programs: Kernex (`memory.db`), Engram, Rubino and Nexo.

The folder `sql` has a file for each program. Its statements select the records of a program in the
shape of the records here: `facts` and the `earlier` texts, `labels` and `links` of them,
`conversations` and `messages`, `blocks` and `edits`, what is `passed` over, and a statement for
each of the smaller collections. A column `user`, `agent`, `project` or `session` says whose it is.
Tables that no statement reads are left out with their number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Kind
from erstwhile.core.scope import DIMENSIONS
from erstwhile.integrations.conversation_import import (
    ImportedConversation,
    ImportedMessage,
    counted,
)
from erstwhile.integrations.importers.entries import ENTRY_KINDS
from erstwhile.integrations.importers.files import (
    NAMED_TABLE,
    ProgramDatabase,
    list_of,
    object_of,
    text_of,
    time_of,
)
from erstwhile.integrations.importers.records import (
    FactFields,
    ImportedBlock,
    ImportedEntry,
    ImportedFact,
    ImportedRecords,
    Owner,
)
from erstwhile.operations.results import Refusal
from erstwhile.storage.statements import load

Row = Mapping[str, Any]
_FACT = FactFields(
    text="text",
    kind="kind",
    kinds={kind.value: kind for kind in Kind},
    entities="entities",
    tags="tags",
    confidence="confidence",
    since=("since",),
    until=("until",),
)
_TIMES = frozenset(("due", "at", "decided_at"))
_OWNER = frozenset((*DIMENSIONS, "path"))
_TECHNICAL = frozenset(
    ("_migrations", "schema_version", "schema_info", "embeddings", "embedding_queue", "sync_state")
)
"""Tables without content of their own."""
_NO_PLACE = "there is no place here for this table"
_LEVELS = frozenset((*DIMENSIONS, "org"))
_NOBODYS = "it is not clear whose it is"


def read_database(program: str, file: Path) -> ImportedRecords:
    """Return the records of the database of a program that can be imported."""
    return _DatabaseReader(program, file).read()


class _DatabaseReader:
    def __init__(self, program: str, file: Path) -> None:
        self._program = program
        self._database = ProgramDatabase(file)
        self._statements = load(program, Path(__file__).parent / "sql")
        self._left_out: list[tuple[str, str]] = []
        self._aliases = {row["alias"]: row["person"] for row in self._rows("aliases")}

    def read(self) -> ImportedRecords:
        facts = {fact.id: fact for fact in self._facts()}
        for link in self._links(facts):
            facts[link.id] = link
        conversations, entries = tuple(self._conversations()), tuple(self._entries())
        return ImportedRecords(
            facts=tuple(facts.values()),
            conversations=conversations,
            blocks=tuple(self._blocks()),
            entries=entries,
            left_out=(*self._rows_passed(), *counted(self._left_out), *self._tables_passed()),
        )

    def _rows(self, what: str) -> Iterator[Row]:
        for name in self._statements.names:
            if name.partition("/")[0] == what:
                yield from self._database.select(self._statements[name,])

    def _owner(self, what: str, row: Row) -> Owner | None:
        """Return the owner of a row. A path such as "global/org:x/user:y" adds dimensions.

        An unknown level or an empty name may mean one person alone: such a row belongs to nobody
        here, and is passed over.
        """
        parts = [part.partition(":") for part in text_of(row.get("path")).split("/")]
        named = [(level, id) for level, colon, id in parts if colon]
        named += [(name, str(row[name])) for name in DIMENSIONS if row.get(name) is not None]
        found = {level: id.strip() for level, id in named}
        if not found.keys() <= _LEVELS or not all(found.values()):
            self._left_out.append((what, _NOBODYS))
            return None
        if organisation := found.pop("org", ""):
            found["project"] = "/".join(filter(None, (organisation, found.get("project"))))
        return found | ({"user": self._person(found["user"])} if "user" in found else {})

    def _person(self, name: str) -> str:
        """Follow the other names of a person, which may lead back to the first."""
        seen = {name}
        while (name := self._aliases.get(name, name)) not in seen:
            seen.add(name)
        return name

    def _facts(self) -> Iterator[ImportedFact]:
        tags, entities = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for row in self._rows("labels"):
            tags[str(row["fact"])] += filter(None, [row["tag"]])
            entities[str(row["fact"])] += filter(None, [row["entity"]])
        for row in self._rows("facts"):
            if (owner := self._owner("facts", row)) is None:
                continue
            found = list(_FACT.read(row))
            for fact in found:
                yield replace(
                    fact,
                    owner=owner,
                    key=row.get("key"),
                    value=row.get("value"),
                    tags=[*fact.tags, *tags[fact.id]],
                    entities=[*fact.entities, *entities[fact.id]],
                    metadata=_filled_metadata(row.get("metadata")),
                    replaces=row.get("replaces"),
                )
            if not found:
                self._left_out.append(("facts", "it states nothing"))

    def _links(self, facts: dict[str, ImportedFact]) -> Iterator[ImportedFact]:
        """Yield facts with the relations that they state, then the remaining relations."""
        for row in self._rows("links"):
            link = str(row["subject"]), str(row["predicate"]), str(row["object"])
            source, until = facts.get(str(row["fact"])), time_of(row.get("until"))
            if source is not None and (source.until or not until):
                yield replace(source, relations=[*source.relations, link])
            elif row.get("id"):
                yield ImportedFact(
                    id=str(row["id"]),
                    text=" ".join(link).replace("_", " "),
                    owner={} if source is None else source.owner,
                    kind=Kind.RELATION,
                    relations=[link],
                    since=time_of(row.get("since")),
                    until=until,
                )
            else:
                self._left_out.append(("relations", "their memory is not imported"))

    def _conversations(self) -> Iterator[ImportedConversation]:
        said = defaultdict[str, list[ImportedMessage]](list)
        for row in self._rows("messages"):
            if row["role"] in tuple(Role) and text_of(row["content"]):
                said[str(row["conversation"])].append(_message(row))
            else:
                self._left_out.append(("messages", "it has no text, or an unknown role"))
        for row in self._rows("conversations"):
            messages, summary = said.pop(str(row["id"]), []), text_of(row.get("summary"))
            if not messages and not summary:
                self._left_out.append(("conversations", "it has no messages"))
                continue
            if (owner := self._owner("conversations", row)) is None:
                continue
            yield ImportedConversation(
                name=f"{self._program}:{row['id']}",
                messages=tuple(messages),
                owner=owner,
                metadata=_filled_metadata(row.get("metadata")),
                summary=summary or None,
                closed=bool(row.get("closed")),
            )
        self._left_out += [
            ("messages", "its conversation is missing") for each in said.values() for _ in each
        ]

    def _blocks(self) -> Iterator[ImportedBlock]:
        edits = defaultdict[str, list[tuple[str, str]]](list)
        for row in self._rows("edits"):
            edits[row["name"]].append((row["content"], row["reason"]))
        for row in self._rows("blocks"):
            yield ImportedBlock(
                name=text_of(row["name"]),
                content=row["content"],
                limit_tokens=row["limit_tokens"],
                earlier=edits[row["name"]],
            )

    def _entries(self) -> Iterator[ImportedEntry]:
        for collection in ENTRY_KINDS:
            for row in self._rows(collection):
                details = {
                    name.removeprefix("of_"): _column_value(name, value)
                    for name, value in row.items()
                    if name not in _OWNER
                }
                if (owner := self._owner(collection, row)) is not None:
                    yield ImportedEntry(collection=collection, details=details, owner=owner)

    def _rows_passed(self) -> Iterator[Refusal]:
        return (Refusal(**row) for row in self._rows("passed") if row["count"])

    def _tables_passed(self) -> Iterator[Refusal]:
        texts = (self._statements[name,] for name in self._statements.names)
        read = {table for text in texts for table in NAMED_TABLE.findall(text)}
        for name, count in self._database.others(*read, *_TECHNICAL):
            yield Refusal(place=f"table {name}", reason=_NO_PLACE, count=count)


def _message(row: Row) -> ImportedMessage:
    return ImportedMessage(
        id=str(row["id"]),
        role=Role(row["role"]),
        content=row["content"],
        at=time_of(row["at"]),
        metadata=_filled_metadata(row.get("metadata")),
    )


def _filled_metadata(metadata: Any) -> dict[str, Any]:
    """Return the metadata without empty values."""
    return {name: value for name, value in object_of(metadata).items() if value not in (None, "")}


def _column_value(name: str, value: Any) -> Any:
    """Return a column as its verb takes it: a time, an object, or the plain value."""
    if name in _TIMES:
        return time_of(value)
    if name == "metadata":
        return _filled_metadata(value)
    if name == "of_input":
        return list_of(value) or dict(object_of(value))
    return list_of(value) if name == "phases" else value
