"""Erasing a person or a scope: nothing of theirs is left in any table, and all the rest stays."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.errors import ConflictError, InvalidInputError, ScopeError
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Scope
from erstwhile.memory import Memory
from erstwhile.operations.erase import CLEARED
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, contents, embedding_memory, input_check, unchanged
from tests.contracts.storage.whole_life import live

WORD, OTHER = "Quixle", "Ostrava"
NOTHING_PERSONAL = {
    "scopes": "the names of scopes; use opaque ids as user names",
    "audit": "who did what when; the chain must stay whole",
    "partitions": "how many passages a scope has: none",
    "vectors": "an erased vector leaves a row without a vector",
    "embedders": "the names of models",
    "migrations": "the version of the schema",
    "maintenance": "the lease of maintenance",
    "requests": "hashes of keys; an erasure removes every answer",
    "commits": "the number of the newest change of each connection",
    "wake_channels": "the random name of the channel of each space",
    "sqlite_sequence": "the last number of some tables",
    "sqlite_stat1": "statistics of the planner, written with the schema",
    "sqlite_stat4": "the same",
    "passage_terms_data": "pages of the full-text index, which erasing merges",
    "passage_terms_idx": "the same",
    "passage_terms_config": "the version of the full-text index",
}
"""The tables that keep rows of an erased scope, or have none, and what is in them.

A new table fails the test below, unless `whole_life` fills it and erasing empties it. Add it here
only if it never holds what somebody said.
"""
_TABLES = {
    "sqlite": "SELECT name FROM sqlite_schema WHERE type = 'table'",
    # `counted_on` is on a Citus coordinator, has a time in it, and only its owner may read it.
    "postgres": "SELECT tablename FROM pg_tables WHERE schemaname = 'erstwhile'"
    " AND tablename <> 'counted_on'",
}


def rows_of(engine: Engine) -> dict[str, list[str]]:
    """Return all rows of all tables in this space, as texts."""
    return {
        str(name): [repr(row) for row in _rows(engine, f"SELECT * FROM {name}")]  # noqa: S608
        for (name,) in _rows(engine, _TABLES[engine.dialect])
    }


def _rows(engine: Engine, statement: str) -> list[tuple[object, ...]]:
    return list(engine.read(lambda session: session.rows(statement, {})))


def lives(memory: Memory, user: str, word: str) -> None:
    """Live in the scope of a user and in narrower ones, and let some texts wait for vectors."""
    for narrower in ({}, {"project": "shop"}, {"agent": "bot", "session": "monday"}):
        live(memory.scoped(user=user, **narrower), word)
    memory.identities.link(f"{word}@example.org", user, reason=word)


class ErasingScopesContract(Contract):
    @pytest.fixture
    def memory(self, engine: Engine, clock: FakeClock) -> Memory:
        """Open a memory with an embedder, so that there are vectors to erase."""
        return embedding_memory(engine, clock, HashingEmbedder())

    def test_every_table_of_the_schema_is_emptied(self, engine: Engine, memory: Memory) -> None:
        """A table that is neither filled here nor named as harmless was forgotten."""
        lives(memory, "bob", OTHER)
        memory.flush()
        before = rows_of(engine)
        lives(memory, "ana", WORD)
        memory.flush()
        memory.scoped(user="ana").remember(f"{WORD} waits for a vector")
        full = rows_of(engine)
        grown = {name for name in full if len(full[name]) > len(before[name])}
        assert set(full) - set(NOTHING_PERSONAL) - grown == set()
        assert {"scopes", "audit", "partitions", "vectors"} <= grown
        memory.erase_user("ana")
        after = rows_of(engine)
        kept = {name for name, rows in after.items() if len(rows) > len(before[name])}
        assert kept <= set(NOTHING_PERSONAL)
        assert not [row for rows in after.values() for row in rows if WORD.lower() in row.lower()]
        empty = _rows(engine, "SELECT COUNT(*) FROM vectors WHERE vector IS NULL")
        assert empty[0][0] == len(after["vectors"]) - len(before["vectors"])

    def test_others_keep_everything(self, memory: Memory) -> None:
        lives(memory, "bob", OTHER)
        memory.remember("everybody is welcome")
        bob, shared = contents(memory.scoped(user="bob")), contents(memory)
        live(memory.scoped(user="ana"), WORD)
        memory.erase_user("ana")
        assert contents(memory.scoped(user="bob")) == bob
        assert contents(memory) == shared
        assert memory.everything().audit.verify().problems == ()

    def test_a_preview_counts_and_destroys_nothing(self, memory: Memory) -> None:
        lives(memory, "ana", WORD)
        with unchanged(memory):
            seen = memory.erase_user("ana", preview=True)
        assert seen.receipt is None
        assert len(seen.scopes) == 3
        assert {"blocks", "tasks", "checkpoints", "conversations", "facts"} <= set(seen.collections)
        done = memory.erase_user("ana")
        assert (done.scopes, done.collections) == (seen.scopes, seen.collections)
        assert done.receipt is not None
        assert done.receipt.facts == seen.collections["facts"]
        assert len(done.receipt.ids) == sum(seen.collections.values())
        assert WORD not in repr(done)

    def test_erasing_again_finds_nothing(self, memory: Memory) -> None:
        lives(memory, "ana", WORD)
        memory.erase_user("ana")
        with unchanged(memory):
            again = memory.erase_user("ana")
            nobody = memory.erase_user("nobody")
        assert dict(again.collections) == dict(nobody.collections) == {}
        assert nobody.scopes == ()

    def test_the_trail_tells_who_erased_and_keeps_no_reason(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        live(ana, WORD)
        ana.erase_user("ana")
        entries = memory.everything().audit.list(limit=1_000)
        assert not [entry for entry in entries if entry.reason]
        assert {entry.actor for entry in entries if entry.action == "erase"} == {"user:ana"}
        assert memory.everything().audit.verify().problems == ()

    def test_reasons_of_what_is_gone_already_are_erased(self, memory: Memory) -> None:
        """A cleared session has no row, but its entries may tell something."""
        shop = memory.scoped(project="shop")
        shop.identities.link("telegram:42", "ana", reason=WORD)
        shop.identities.unlink("telegram:42", reason=WORD)
        done = memory.erase_scope(project="shop")
        assert done.receipt is not None
        assert done.receipt.audit_entries == 2
        assert WORD not in repr(memory.everything().audit.list())

    def test_uses_and_feedback_of_shared_facts_are_theirs(
        self, engine: Engine, memory: Memory
    ) -> None:
        fact = memory.remember("everybody drinks tea here")
        for user in ("ana", "bob"):
            view = memory.scoped(user=user)
            view.feedback(fact.id, "useful", reason=WORD)
            view.context("who drinks tea here?")
        memory.flush()
        memory.scoped(user="ana").context("what do we drink?")
        memory.erase_user("ana")
        memory.flush()
        rows = rows_of(engine)
        assert (len(rows["feedback"]), len(rows["fact_uses"])) == (1, 1)
        assert memory.facts.get(fact.id).text == fact.text

    def test_more_records_than_a_transaction_destroys(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        for part in range(3):
            ana.remember_many([f"fact {part} {number}" for number in range(400)])
        for number in range(60):
            ana.conversations.add("user", "hello", channel=f"channel {number}")
        done = memory.erase_user("ana")
        assert dict(done.collections) == {"facts": 1_200, "conversations": 60}
        assert memory.everything().facts.count(state="any") == 0

    def test_all_names_of_a_person_are_erased(self, memory: Memory) -> None:
        """Records under another name, and chains of links."""
        memory.identities.link("telegram:42", "ana")
        memory.identities.link("old:42", "telegram:42")
        memory.identities.link("telegram:7", "bob")
        for name in ("ana", "telegram:42", "old:42", "bob"):
            memory.scoped(user=name).remember(f"{name} was here")
        with unchanged(memory), pytest.raises(ConflictError, match="another name of 'ana'"):
            memory.erase_user("telegram:42")
        done = memory.erase_user("ana")
        assert {scope.user for scope in done.scopes} == {"ana", "telegram:42", "old:42"}
        assert dict(done.collections) == {"facts": 3, "identities": 2}
        assert [link.alias for link in memory.identities.list()] == ["telegram:7"]
        assert [fact.scope.user for fact in memory.everything().facts.list()] == ["bob"]

    def test_a_project_is_erased_for_all_its_users(self, memory: Memory) -> None:
        for scope in ({}, {"user": "ana"}, {"project": "shop"}, {"user": "ana", "project": "shop"}):
            memory.scoped(**scope).remember("here")
        done = memory.erase_scope(project="shop")
        assert set(done.scopes) == {Scope(project="shop"), Scope(user="ana", project="shop")}
        left = memory.everything().facts.list()
        assert {fact.scope for fact in left} == {Scope(), Scope(user="ana")}

    def test_a_scoped_memory_erases_within_its_scope(self, memory: Memory) -> None:
        for scope in ({"user": "ana"}, {"user": "ana", "project": "shop"}, {"user": "bob"}):
            memory.scoped(**scope).remember("here")
        shop = memory.scoped(project="shop").erase_user("ana")
        assert shop.scopes == (Scope(user="ana", project="shop"),)
        themself = memory.scoped(user="ana").erase_scope()
        assert dict(themself.collections) == {"facts": 1}
        assert [fact.scope.user for fact in memory.everything().facts.list()] == ["bob"]

    def test_nobody_erases_others(self, memory: Memory) -> None:
        memory.scoped(user="ana").remember("here")
        bob = memory.scoped(user="bob")
        with unchanged(memory):
            for erase in (bob.erase_user, lambda name: bob.erase_scope(user=name)):
                with pytest.raises(ScopeError, match="bob"):
                    erase("ana")

    @input_check
    def test_everybody_and_nobody_are_refused(self, memory: Memory) -> None:
        """A request without a user must not erase all users."""
        memory.scoped(user="ana", project="shop").remember("here")
        with unchanged(memory):
            with pytest.raises(InvalidInputError, match="everybody"):
                memory.erase_scope()
            with pytest.raises(InvalidInputError, match="user is None"):
                memory.erase_scope(user=None, project="shop")
            with pytest.raises(InvalidInputError, match="user is None"):
                memory.scoped(user=None, project="shop").erase_scope()
            with pytest.raises(InvalidInputError, match="user is None"):
                memory.erase_user(None)  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="users"):
                memory.erase_scope(users="ana")  # type: ignore[call-arg]


TAKEN_ALONG = {"facts": {"conflicts", "feedback", "attempts"}, "conversations": {"attempts"}}
"""The records that are destroyed with the records of a collection."""


def counts(memory: Memory) -> Mapping[str, int]:
    return memory.erase_scope(preview=True).collections


class ClearedCollections(Contract):
    @pytest.mark.parametrize("collection", sorted(set(CLEARED) - {"identities"}))
    def test_a_collection_is_cleared_in_exactly_one_scope(
        self, memory: Memory, collection: str
    ) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        shop = ana.scoped(project="shop")
        for each in (ana, shop, bob):
            live(each, "Quixle")
        table = CLEARED[collection].name
        others = (counts(shop), contents(bob))
        before, seen = counts(ana), ana.clear(collection, preview=True)
        assert (list(seen.collections), seen.receipt) == ([table], None)
        assert seen.scopes == (ana.scope,)
        assert counts(ana) == before
        done = ana.clear(collection)
        assert done.receipt is not None
        assert done.collections == seen.collections
        assert len(done.receipt.ids) == seen.collections[table]
        assert ana.clear(collection, preview=True).collections == {}
        after = counts(ana)
        untouched = set(before) - {table} - TAKEN_ALONG.get(collection, set())
        assert not [name for name in untouched if after[name] != before[name]]
        assert (counts(shop), contents(bob)) == others
        assert memory.everything().audit.verify().ok

    def test_links_of_names_are_cleared_where_they_were_made(self, memory: Memory) -> None:
        """No user has links of their own."""
        shop = memory.scoped(project="shop")
        memory.identities.link("ana@example.org", "ana")
        shop.identities.link("ana@shop.example", "ana")
        assert shop.clear("identities").collections == {"identities": 1}
        assert len(memory.identities.aliases("ana")) == 1

    @input_check
    def test_only_a_collection_of_a_known_scope_is_cleared(self, memory: Memory) -> None:
        memory.remember("x")
        with unchanged(memory):
            for name in ("", "everything", "audit", "feedback"):
                with pytest.raises(InvalidInputError, match="cleared"):
                    memory.clear(name)
            with pytest.raises(InvalidInputError, match="None"):
                memory.scoped(user=None).clear("facts")
            with pytest.raises(ScopeError):
                memory.everything().clear("facts")
