"""The named statements: each can be run in every variant, and each is used."""

from __future__ import annotations

import re
from pathlib import Path

import apsw

import erstwhile
from erstwhile.storage.statements import Statements, load, sql_folders
from tests.storage.walking import variants

PACKAGE = Path(erstwhile.__file__).parent
FILES = [file for folder in sql_folders() for file in folder.rglob("*.sql")]
SHARED = [file for file in FILES if file.parent.name == "sql"]
SQL = load("sqlite")
VARIANTS = [(name, text) for name in SQL.names for text in variants(SQL, name)]
_PART = re.compile(r"^-- (?:name|fragment): (\S+)$", re.MULTILINE)


def test_every_variant_of_every_statement_can_be_prepared(connection: apsw.Connection) -> None:
    assert len(VARIANTS) > len(SQL.names)
    for name, text in VARIANTS:
        assert "{{" not in text, name
        connection.execute(f"EXPLAIN {text}", _nothing(text)).fetchall()


def test_every_statement_is_one_statement() -> None:
    """Nothing may follow it."""
    for name, text in VARIANTS:
        assert text.strip(), name
        assert ";" not in text, name


def test_every_statement_is_used() -> None:
    """Its name stands, quoted, in a module of the package, or follows from the noun of a table."""
    source = "\n".join(
        file.read_text("utf-8")
        for file in PACKAGE.rglob("*.py")
        if "testing" not in file.relative_to(PACKAGE).parts
    )
    nouns = re.findall(r'^    noun = "(\w+)"$', source, re.MULTILINE)
    derived = {f"{verb}_{noun}" for noun in nouns for verb in ("add", "change")}
    assert [name for name in SQL.names if f'"{name}"' not in source and name not in derived] == []


def test_every_fragment_is_used() -> None:
    texts = "\n".join(file.read_text("utf-8") for file in FILES)
    fragments = set(re.findall(r"^-- fragment: (\w+)", texts, re.MULTILINE))
    assert fragments == set(re.findall(r"\{\{(\w+)\}\}", texts))


def test_no_name_is_given_twice() -> None:
    names = [name for file in SHARED for name in _PART.findall(file.read_text("utf-8"))]
    assert len(names) == len(set(names))


def test_the_shared_statements_are_portable() -> None:
    """What only one of the engines knows does not belong in them."""
    foreign = re.compile(
        r"datetime\(|strftime|\bnow\(|INSERT OR|\bILIKE\b|::|DISTINCT ON|AUTOINCREMENT|\browid\b",
        re.IGNORECASE,
    )
    for file in SHARED:
        code = re.sub(r"^--.*$", "", file.read_text("utf-8"), flags=re.MULTILINE)
        assert foreign.search(code) is None, file.name


def test_a_slot_is_filled_with_what_was_chosen() -> None:
    """The first choice that fits; a fragment without choices needs none."""
    sql = Statements(
        {"ask": "SELECT {{what}} FROM {{where}}"},
        {"what": "a, {{more}}", "more.x": "b", "more.y": "c", "where.now": "t", "where.then": "u"},
    )
    assert sql["ask", "x", "now"] == "SELECT a, b FROM t"
    assert sql["ask", "then", "y", "x"] == "SELECT a, c FROM u"
    assert sql["ask", "x", "now"] is sql["ask", "x", "now"]
    assert sorted(variants(sql, "ask")) == [
        "SELECT a, b FROM t", "SELECT a, b FROM u", "SELECT a, c FROM t", "SELECT a, c FROM u",
    ]  # fmt: skip


def test_an_unknown_dialect_has_the_shared_statements() -> None:
    """An engine without overrides needs no files."""
    assert set(load("no such dialect").names) <= set(SQL.names)


def _nothing(text: str) -> dict[str, None]:
    return dict.fromkeys(re.findall(r":([a-z_]+)", text))
