"""The hashes of the audit chain."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import erstwhile
from erstwhile import Scope
from erstwhile.core.scope import SHARED
from erstwhile.storage.audit_chain import digest, genesis, link

NONCE = bytes(16)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
FIELDS = st.lists(st.none() | TEXTS | st.integers(), min_size=3, max_size=3)


@given(FIELDS, FIELDS)
def test_a_digest_tells_any_two_contents_apart(one: list[Any], other: list[Any]) -> None:
    alike = [str(value) if value is not None else None for value in one] == [
        str(value) if value is not None else None for value in other
    ]
    assert (digest(NONCE, *_said(one)) == digest(NONCE, *_said(other))) is alike


@given(st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=4))
def test_a_link_tells_any_two_entries_apart(one: list[str], other: list[str]) -> None:
    if len(one) == len(other):
        assert (link(NONCE, b"", one) == link(NONCE, b"", other)) is (one == other)


def test_a_link_covers_what_was_before_it_and_its_content() -> None:
    """Changing either changes every later hash."""
    first = link(genesis(SHARED), b"content", ("1", 2))
    assert first == link(genesis(SHARED), b"content", ("1", 2))
    others = [
        link(genesis(Scope(user="x")), b"content", ("1", 2)),
        link(genesis(SHARED), b"contenT", ("1", 2)),
        link(genesis(SHARED), b"content", ("1", 3)),
    ]
    assert len({first, *others}) == 4


def test_each_scope_begins_its_chain_elsewhere() -> None:
    """A chain cannot be handed to another scope; a name on another dimension is another scope."""
    scopes = [
        SHARED, Scope(user="x"), Scope(agent="x"), Scope(project="x"), Scope(session="x"),
        Scope(user="x", agent="x"), Scope(user="y"),
    ]  # fmt: skip
    assert len({genesis(scope) for scope in scopes}) == len(scopes)


def test_the_nonce_salts_the_content() -> None:
    assert digest(b"a" * 16, None, ["x"]) != digest(b"b" * 16, None, ["x"])
    with erstwhile.open(":memory:", embedder="none") as memory:
        memory.remember_many(f"fact {number}" for number in range(100))
        [(number,)] = memory._access.engine.read(
            lambda session: session.rows(
                "SELECT COUNT(DISTINCT nonce) FROM audit WHERE length(nonce) = 16", {}
            )
        )
    assert number == 100


def _said(fields: list[Any]) -> tuple[Any, list[Any]]:
    return (None if fields[0] is None else str(fields[0])), fields[1:]
