"""Each statement keeps to one space, so in a distributed database it needs one server."""

from __future__ import annotations

import pytest

from erstwhile.storage.statements import load
from tests.storage.held import not_held
from tests.storage.walking import variants

POSTGRES, SQLITE = load("postgres"), load("sqlite")
FULL_TEXT = {
    *("add_terms", "remove_terms", "match_terms", "count_holding", "forget_terms"),
    *("surplus_terms", "unindexed_passages", "passages_with_groups"),
}
"""SQLite's full-text index has no space: a file has one. Its terms name their partition."""
TEXTS = {text: name for name in POSTGRES.names for text in variants(POSTGRES, name)} | {
    text: name for name in SQLITE.names if name not in FULL_TEXT for text in variants(SQLITE, name)
}


@pytest.mark.parametrize("name", sorted(set(TEXTS.values())))
def test_every_table_of_every_statement_is_held_to_the_space(name: str) -> None:
    for text in (text for text, named in TEXTS.items() if named == name):
        assert not_held(text) == [], text


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("SELECT 1 FROM facts AS f", ["f"]),
        ("SELECT 1 FROM facts AS f WHERE f.space = :space OR f.id = :id", ["f"]),
        ("SELECT 1 FROM facts AS f WHERE f.space || '' = :space", ["f"]),
        ("SELECT 1 FROM facts f JOIN scopes s ON s.space = f.space WHERE f.space = :space", ["s"]),
        ("SELECT FROM facts f LEFT JOIN scopes s ON f.space = :space AND s.space = :space", ["f"]),
        ("SELECT (SELECT FROM audit a WHERE a.space = f.space) FROM facts f WHERE f.space = :space",
         ["a"]),
        ("WITH a AS (SELECT space FROM audit) SELECT 1 FROM a", ["audit"]),
        ("DELETE FROM facts WHERE id = :space", ["facts"]),
        ("UPDATE facts SET space = :space WHERE id = :id", ["facts"]),
        ("INSERT INTO facts (id, space) VALUES (:space, :id)", ["facts"]),
    ],
)  # fmt: skip
def test_a_table_that_is_not_held_is_recognised(text: str, free: list[str]) -> None:
    assert not_held(text) == free
