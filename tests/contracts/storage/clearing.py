"""Clearing one collection of a scope: it is empty then, and all the rest stays."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from erstwhile.core.errors import InvalidInputError, ScopeError
from erstwhile.erasing import CLEARED
from erstwhile.memory import Memory
from tests.contracts.base import Contract, contents, input_check, unchanged
from tests.contracts.storage.whole_life import live

TAKEN_ALONG = {
    "facts": {"conflicts", "feedback", "attempts"},
    "conversations": {"attempts"},
}
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
        assert (done.collections, len(done.receipt.ids)) == (
            seen.collections, seen.collections[table],
        )  # fmt: skip
        assert ana.clear(collection, preview=True).collections == {}
        after = counts(ana)
        untouched = set(before) - {table} - TAKEN_ALONG.get(collection, set())
        assert {name: after[name] for name in untouched} == {
            name: before[name] for name in untouched
        }
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
