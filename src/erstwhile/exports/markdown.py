"""Write the live facts and the blocks of a memory as Markdown, for people to read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from erstwhile.core.kinds import Trust
from erstwhile.core.ports import Engine, Session
from erstwhile.core.scope import SHARED, Scope
from erstwhile.core.time import ENDLESS, from_micros
from erstwhile.exports.selection import Selection
from erstwhile.exports.tables import TABLES, TableReader, statements

_TICKS = re.compile("`+")
_SPECIAL = re.compile(r"[\\`*_\[\]<>&~|$]|(?<=:)//|(?<=www)\.|@")
"""What begins emphasis, code, links, HTML, entities, tables or formulas; addresses become links."""
_BLOCK_START = re.compile(r"^(\d{0,9})([#+\-=.):])")
"""What begins a heading, a list or a rule at the start of a line."""
_READ = {table.name: table for table in TABLES if table.name in ("facts", "blocks")}


def write_markdown(
    file: IO[str], engine: Engine, session: Session, selection: Selection, now: int
) -> dict[str, int]:
    """Write a document; return the number of facts and blocks in it."""
    scopes = selection.scopes(session, engine.dialect, engine.space)
    counts = dict.fromkeys(_READ, 0)
    file.write(f"# Memory\n\nAs of {from_micros(now):%Y-%m-%d %H:%M} UTC.\n")
    for number, scope, _ in scopes:
        heading = f"\n## {_named(scope)}\n"
        for name, table in _READ.items():
            reader = TableReader(table, statements(engine.dialect), session, engine.space)
            rows = (dict(zip(table.columns, row, strict=True)) for row in reader.rows(number))
            gap = "\n"
            for text in _facts(rows, now) if name == "facts" else _blocks(rows):
                file.write(heading + gap + text)
                heading, gap, counts[name] = "", "" if name == "facts" else "\n", counts[name] + 1
    return counts


def _facts(rows: Iterator[Mapping[str, Any]], now: int) -> Iterator[str]:
    """Yield a list item for each fact that holds now."""
    for row in rows:
        ended = row["retired_at"] is not None or row["deleted_at"] is not None
        holds = row["valid_from"] <= now < min(row["valid_to"], row["expires_at"])
        if holds and not ended and row["trust"] == Trust.TRUSTED:
            yield f"- {_in_line(row['text'])} ({'; '.join(_details(row))})\n"


def _details(row: Mapping[str, Any]) -> Iterator[str]:
    yield str(row["kind"])
    if row["key"] is not None:
        yield f"key {_in_line(row['key'])}"
    yield f"since {from_micros(row['valid_from']):%Y-%m-%d}"
    if row["valid_to"] != ENDLESS:
        yield f"until {from_micros(row['valid_to']):%Y-%m-%d}"
    yield f"from {row['origin']}"
    if tags := json.loads(row["tags"]):
        yield f"tags {', '.join(map(_in_line, tags))}"


def _blocks(rows: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a section for each block. Its content is quoted, whatever it contains."""
    for row in rows:
        if row["deleted_at"] is None:
            runs = _TICKS.findall(row["content"])
            fence = "`" * max([3, *(len(run) + 1 for run in runs)])
            about = f"{_in_line(row['description'])}\n\n" if row["description"] else ""
            head = f"### Block {_in_line(row['name'])} (version {row['version']})\n\n"
            yield f"{head}{about}{fence}\n{row['content']}\n{fence}\n"


def _named(scope: Scope) -> str:
    return "Shared with everybody" if scope == SHARED else _in_line(str(scope))


def _in_line(text: str) -> str:
    """Return a text on one line, in which nothing is taken for Markdown or HTML."""
    return _BLOCK_START.sub(r"\1\\\2", _SPECIAL.sub(r"\\\g<0>", " ".join(text.split())))
