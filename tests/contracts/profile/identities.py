"""Identities: links between the names of one person."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError, ScopeError
from erstwhile.memory import Memory
from tests.contracts.base import Contract, input_check, paged, texts, unchanged


class IdentitiesContract(Contract):
    def test_names_lead_to_the_person_over_any_number_of_links(self, memory: Memory) -> None:
        """A name without a link resolves to itself."""
        who = memory.identities
        who.link("telegram:42", "ana@home", reason="she said so")
        who.link("ana@home", "ana")
        who.link("slack:U7", "ana")
        for name in ("telegram:42", "ana@home", "slack:U7", "ana"):
            assert who.resolve(name) == "ana"
        assert who.resolve("telegram:43") == "telegram:43"
        assert who.aliases("ana") == ["ana@home", "slack:U7", "telegram:42"]
        assert who.aliases("ana@home") == ["telegram:42"]
        assert who.aliases("nobody") == []
        assert [each.alias for each in paged(who.list)] == ["slack:U7", "ana@home", "telegram:42"]

    def test_a_person_s_memory_is_reached_by_any_name(self, memory: Memory) -> None:
        memory.identities.link("telegram:42", "ana")
        for name in ("telegram:42", "ana"):
            person = memory.as_person(name, agent="coder", project="shop", session="s")
            expected = memory.scoped(user="ana", agent="coder", project="shop", session="s")
            assert person.scope == expected.scope
        memory.as_person("telegram:42").remember("Ana likes tea")
        memory.as_person("telegram:42").conversations.add("user", "hello")
        ana = memory.scoped(user="ana")
        assert texts(ana.facts.list()) == ["Ana likes tea"]
        assert ana.conversations.current().messages == 1
        assert texts(memory.as_person("telegram:43").facts.list()) == []

    def test_a_conflict_is_an_error_never_a_guess(self, memory: Memory) -> None:
        """Two people with the same name are not merged."""
        who = memory.identities
        first = who.link("telegram:42", "ana")
        with unchanged(memory):
            assert who.link("telegram:42", "ana") == first
            with pytest.raises(ConflictError, match="is linked to 'ana' already"):
                who.link("telegram:42", "bob")
        assert who.resolve("telegram:42") == "ana"
        who.unlink("telegram:42", reason="it was bob's")
        assert who.link("telegram:42", "bob").person == "bob"
        assert memory.audit.verify().ok

    def test_links_cannot_form_a_circle(self, memory: Memory) -> None:
        who = memory.identities
        who.link("a", "b")
        who.link("b", "c")
        with unchanged(memory):
            for alias, person in (("c", "a"), ("c", "b"), ("b", "a"), ("a", "a")):
                with pytest.raises(ConflictError):
                    who.link(alias, person)
        assert who.resolve("a") == "c"

    def test_scopes_that_contradict_each_other_are_an_error(self, memory: Memory) -> None:
        """A project may add links, but not contradict shared ones."""
        shop = memory.scoped(project="shop")
        shop.identities.link("x", "ana")
        assert shop.as_person("x").scope.user == "ana"
        assert memory.as_person("x", project="shop").scope.user == "ana"
        assert memory.as_person("x", project="blog").scope.user == "x"
        memory.identities.link("x", "bob")
        with pytest.raises(ConflictError, match="'ana' and to 'bob'"):
            shop.identities.resolve("x")
        with pytest.raises(ConflictError):
            memory.as_person("x", project="shop")
        assert memory.as_person("x").scope.user == "bob"
        with pytest.raises(NotFoundError, match="exactly this scope"):
            memory.scoped(project="blog").identities.unlink("x")
        shop.identities.unlink("x")
        assert shop.identities.resolve("x") == "bob"

    def test_a_memory_of_one_user_cannot_see_links(self, memory: Memory) -> None:
        memory.identities.link("telegram:42", "bob")
        ana = memory.scoped(user="ana")
        with unchanged(memory):
            for call in (
                lambda: ana.identities.link("telegram:42", "ana"),
                lambda: ana.identities.unlink("telegram:42"),
                lambda: ana.identities.erase("telegram:42"),
                lambda: ana.identities.resolve("telegram:42"),
                lambda: ana.identities.aliases("bob"),
                lambda: ana.identities.list(),
                lambda: ana.as_person("telegram:42"),
            ):
                with pytest.raises(ScopeError):
                    call()

    def test_erasing_leaves_no_name(self, memory: Memory) -> None:
        """Unlinking removes the row; erasing also blanks the audit entries."""
        memory.identities.link("telegram:42", "ana", reason="her phone")
        receipt = memory.identities.erase("telegram:42")
        assert (receipt.identities, receipt.audit_entries) == (1, 1)
        assert memory.identities.resolve("telegram:42") == "telegram:42"
        assert {entry.reason for entry in memory.audit.list()} == {None}
        assert memory.audit.verify().ok

    @input_check
    @pytest.mark.parametrize("bad", ["", " ana", "a\nb", "x" * 201, 5])
    def test_a_name_must_be_valid_in_a_scope(self, memory: Memory, bad: str) -> None:
        with unchanged(memory):
            for call in (
                lambda: memory.identities.link(bad, "ana"),
                lambda: memory.identities.link("x", bad),
                lambda: memory.identities.unlink(bad),
                lambda: memory.identities.resolve(bad),
                lambda: memory.as_person(bad),
            ):
                with pytest.raises(InvalidInputError):
                    call()
