"""The baseline: full-text search of plain SQLite.

It uses Porter stems, an OR of the question's words without stop words, and `bm25()`. Text without
spaces is split into characters and pairs, because FTS5 would find nothing in it.
"""

from __future__ import annotations

import re
from contextlib import closing

import apsw

from bench.evaluation.haystack import Haystack
from erstwhile.search.terms import is_unspaced, stop_terms, terms

_WORD = re.compile(r"\w+")


def rank_by_words(haystack: Haystack, depth: int) -> list[list[str]]:
    """Return the ids of the first `depth` items or sessions for each question."""
    sessions = {item.id: item.session for item in haystack.items}
    with closing(apsw.Connection(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE items USING fts5(id UNINDEXED, text,"
                           " tokenize = 'porter unicode61')")  # fmt: skip
        connection.executemany(
            "INSERT INTO items VALUES (?, ?)",
            [(item.id, " ".join(_words(item.text))) for item in haystack.items],
        )
        ranked = [_ranked(connection, each.text, depth) for each in haystack.questions]
    return [
        list(dict.fromkeys(map(sessions.__getitem__, ids))) if question.by_session else ids
        for question, ids in zip(haystack.questions, ranked, strict=True)
    ]


def _ranked(connection: apsw.Connection, question: str, depth: int) -> list[str]:
    words = _words(question)
    if not words:
        return []
    content_words = [word for word in words if not stop_terms().issuperset(terms(word))] or words
    match = " OR ".join(f'"{word}"' for word in dict.fromkeys(content_words))
    found = connection.execute(
        "SELECT id FROM items WHERE items MATCH ? ORDER BY bm25(items) LIMIT ?", (match, depth)
    )
    return [row[0] for row in found]


def _words(text: str) -> list[str]:
    """Split a text into words; a word without spaces gives its terms."""
    return [
        part
        for word in _WORD.findall(text)
        for part in (terms(word) if is_unspaced(word) else [word])
    ]
