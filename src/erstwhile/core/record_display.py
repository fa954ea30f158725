"""How records look in a shell and in a notebook: one line, or a row of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from enum import Enum
from html import escape
from operator import attrgetter
from typing import Any

from erstwhile.core.json_values import SINGLE, single_value
from erstwhile.core.public_record import PublicRecord
from erstwhile.secrets.masking import mask_text

_LONGEST_TEXT = 80
_LONGEST_LINE = 240
_LONGEST_CELL = 400


def record_line(record: PublicRecord) -> str:
    """Return a record on one line, such as `<Fact 019a3f2e live preference "…">`."""
    values, bare = shown_values(record).items(), bool(record._shown)  # noqa: SLF001
    parts = [_part(name, value, bare) for name, value in values if value is not None]
    return f"<{cut(' '.join((type(record).__name__, *parts)), _LONGEST_LINE)}>"


def shown_values(record: Any) -> Mapping[str, Any]:
    """Return what a line or a row shows of a record, by the path of its attribute."""
    if names := type(record)._shown:  # noqa: SLF001
        return {name: attrgetter(name)(record) for name in names}
    values = ((each.name, getattr(record, each.name)) for each in fields(record))
    return {name: value for name, value in values if isinstance(value, SINGLE) and value != ""}


def shown_text(value: Any) -> str:
    """Return a value on one line without secrets and without characters that do harm there."""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, float):
        return f"{value:.3g}"
    words = " ".join(mask_text(str(single_value(value))).split())
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in words)


def cut(text: str, longest: int) -> str:
    """Return a text, or its beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _part(path: str, value: Any, bare: bool) -> str:
    """Return one value in a line: ids and kinds as they are, texts quoted; `bare` without names."""
    name, text = path.rpartition(".")[2], cut(shown_text(value), _LONGEST_TEXT)
    if isinstance(value, Enum) or name == "short_id":
        return text
    text = f'"{text}"' if isinstance(value, str) else text
    return text if bare and isinstance(value, str) else f"{name}={text}"


def html_table(records: Sequence[Any], caption: str) -> str:
    """Return a table of records for notebooks. Memory is hostile text: every cell is escaped."""
    rows = [_cells(each) for each in records]
    names = dict.fromkeys(name for row in rows for name in row)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(row.get(name, str()))}</td>' for name in names)}</tr>"
        for row in rows
    )
    return f"<table><caption>{escape(caption)}</caption><tr>{head}</tr>{body}</table>"


def _cells(record: Any) -> dict[str, str]:
    """Return the cells of a row by the name of their column."""
    if not isinstance(record, PublicRecord):
        return {"value": cut(shown_text(record), _LONGEST_CELL)}
    return {
        name: "" if value is None else cut(shown_text(value), _LONGEST_CELL)
        for name, value in shown_values(record).items()
    }


def html_text(text: str) -> str:
    """Return a text of several lines for notebooks, folded until somebody opens it."""
    shown = "".join(each if each.isprintable() or each == "\n" else " " for each in mask_text(text))
    return f"<details><summary>text</summary><pre>{escape(shown)}</pre></details>"
