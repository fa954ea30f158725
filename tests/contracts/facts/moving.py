"""Moving a fact to a wider or narrower scope, and taking that back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
    ScopeError,
)
from erstwhile.core.kinds import Ending
from erstwhile.core.ports import Engine
from erstwhile.core.scope import SHARED, Scope
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory, found, input_check, texts, unchanged
from tests.contracts.facts.conflicts import clash

TEXT = "Ana prefers pnpm over npm"
QUERY = "which of npm and pnpm does Ana prefer?"


def sound(memory: Memory) -> bool:
    return memory.everything().audit.verify().problems == ()


class MovingContract(Contract):
    @pytest.fixture
    def ana(self, memory: Memory) -> Memory:
        return memory.scoped(user="ana")

    @pytest.fixture
    def shop(self, ana: Memory) -> Memory:
        return ana.scoped(project="shop")

    def test_wider_scope(self, memory: Memory, ana: Memory, shop: Memory, clock: FakeClock) -> None:
        fact = shop.remember(
            TEXT,
            kind="preference",
            key="package manager",
            value="pnpm",
            tags=["tools"],
            entities=["pnpm"],
            relations=[("Ana", "prefers", "pnpm")],
            metadata={"certain": True},
            valid_from="2026-01-01",
            expires_at="2030-01-01",
            confidence=0.8,
            pinned=True,
            source={"conversation": "talk", "messages": ["m1"]},
        )
        shop.remember(TEXT, kind="preference", key="package manager")
        fact = shop.facts.get(fact.id)
        clock.advance(days=1)
        moved = shop.facts.move(fact.id, to="user", reason="everywhere")
        same = replace(fact, id=moved.id, scope=Scope(user="ana"), known_from=clock.now())
        assert moved == replace(same, supersedes=(fact.id,))
        assert ana.facts.get(moved.id) == moved
        blog = ana.scoped(project="blog")
        for view in (ana, blog, shop):
            assert texts(view.facts.list()) == [TEXT]
            assert view.facts.value("package manager") == "pnpm"
            assert texts(view.facts.list(tag="tools")) == [TEXT]
            assert texts(view.facts.list(entity="pnpm")) == [TEXT]
            assert found(view.recall(QUERY)) == [TEXT]
            assert [entity.name for entity in view.entities.list()] == ["Ana", "pnpm"]
            assert "pnpm" in str(view.entities.get("Ana").neighbours)
        assert memory.facts.count() == memory.scoped(project="shop").facts.count() == 0
        assert sound(memory)

    def test_a_narrower_scope(self, memory: Memory, ana: Memory, shop: Memory) -> None:
        fact = ana.remember(TEXT, key="package manager", tags=["tools"], entities=["pnpm"])
        moved = shop.facts.move(fact.id, to=["user", "project"])
        assert moved.scope == shop.scope
        assert found(shop.recall(QUERY)) == texts(shop.facts.list()) == [TEXT]
        for view in (ana, ana.scoped(project="blog")):
            assert (view.facts.count(), found(view.recall(QUERY))) == (0, [])
            assert view.facts.count(as_of="in 1 day") == 0
            assert view.facts.value("package manager") is None
            assert view.facts.count(tag="tools") == view.facts.count(entity="pnpm") == 0
            assert len(view.entities.list()) == 0
        assert sound(memory)

    def test_everyone(self, memory: Memory, shop: Memory) -> None:
        fact = shop.remember(TEXT)
        moved = shop.facts.move(fact.id, to="shared")
        assert moved.scope == SHARED
        assert found(memory.scoped(user="bob").recall(QUERY)) == [TEXT]
        with pytest.raises(ScopeError):
            shop.facts.move(moved.id, to=("project",))
        again = memory.scoped(project="shop").facts.move(moved.id, to=("project",))
        assert again.scope == Scope(project="shop")
        assert (memory.facts.count(), memory.scoped(user="bob").facts.count()) == (0, 0)
        assert sound(memory)

    def test_meaning_follows(self, engine: Engine, clock: FakeClock) -> None:
        memory = embedding_memory(engine, clock, HashingEmbedder())
        shop = memory.scoped(user="ana", project="shop")
        fact = shop.remember(TEXT)
        memory.flush()
        shop.facts.move(fact.id, to="user")
        memory.flush()
        hits = memory.scoped(user="ana").recall(TEXT)
        assert found(hits) == [TEXT]
        assert hits[0].why.cosine is not None

    def test_answers_about_the_past_stay(self, ana: Memory, shop: Memory, clock: FakeClock) -> None:
        fact = shop.remember(TEXT, valid_from="2026-01-01")
        clock.advance(days=1)
        before = clock.now()
        clock.advance(days=1)
        moved = shop.facts.move(fact.id, to="user")
        after = clock.now()
        for known_at, own, both in ((before, [fact.id], 0), (after, [moved.id], 1)):
            for as_of in ("2026-02-01", before):
                asked: Any = {"as_of": as_of, "known_at": known_at}
                assert [each.id for each in shop.facts.list(**asked)] == own
                assert ana.facts.count(**asked) == both
        assert [each.id for each in shop.facts.list(as_of="2026-02-01")] == [moved.id]
        assert [step.action for step in shop.facts.history(fact.id, known_at=before)] == [
            "remember"
        ]

    def test_history_and_audit_have_both(self, ana: Memory, shop: Memory, clock: FakeClock) -> None:
        old = shop.remember("Ana prefers npm")
        clock.advance(hours=1)
        fact = shop.facts.replace(old.id, TEXT)
        clock.advance(hours=1)
        moved = shop.facts.move(fact.id, to="user", reason="everywhere")
        steps = [
            ("remember", old.id), ("supersede", old.id), ("replace", fact.id),
            ("move", fact.id), ("move", moved.id),
        ]  # fmt: skip
        for id in (old.id, fact.id, moved.id):
            told = shop.facts.history(id)
            assert sorted((step.action, step.fact.id) for step in told) == sorted(steps)
        assert [step.action for step in ana.facts.history(moved.id)] == ["move"]
        ended = shop.facts.get(fact.id)
        assert (ended.ending, ended.superseded_by) == (Ending.SUPERSEDED, moved.id)
        entries = shop.audit.list(action="move")
        assert {(entry.subject, entry.scope) for entry in entries} == {
            (fact.id, shop.scope), (moved.id, ana.scope),
        }  # fmt: skip
        assert {entry.reason for entry in entries} == {"everywhere"}

    @pytest.mark.parametrize("which", ["before", "after"])
    def test_a_move_is_undone(self, memory: Memory, ana: Memory, shop: Memory, which: str) -> None:
        fact = shop.remember(TEXT, key="package manager", entities=["pnpm"])
        moved = shop.facts.move(fact.id, to="user")
        ana.facts.pin(moved.id)
        ana.remember(TEXT, key="package manager", tags=["tools"])
        back = shop.facts.undo(fact.id if which == "before" else moved.id, reason="only here")
        assert (back.id, back.scope, back.ending) == (fact.id, shop.scope, None)
        assert (back.pinned, back.evidence, back.tags) == (True, 2, ("tools",))
        assert ana.facts.count() == ana.facts.count(as_of="in 1 day") == 0
        assert shop.facts.value("package manager") == TEXT
        assert found(shop.recall(QUERY)) == texts(shop.facts.list(tag="tools")) == [TEXT]
        assert ana.facts.get(moved.id).ending is Ending.WRONG
        assert shop.facts.history(fact.id)[-1].reason == "only here"
        again = shop.facts.move(fact.id, to="user")
        assert texts(ana.facts.list()) == [TEXT]
        assert again.id != moved.id
        assert sound(memory)

    def test_moves_are_undone_one_by_one(self, memory: Memory, shop: Memory) -> None:
        fact = shop.remember(TEXT)
        wider = shop.facts.move(fact.id, to="user")
        widest = shop.facts.move(wider.id, to="shared")
        with unchanged(memory), pytest.raises(ConflictError, match="undo that first"):
            shop.facts.undo(fact.id)
        assert shop.facts.undo(widest.id).id == wider.id
        assert shop.facts.undo(wider.id).id == fact.id
        assert [fact.id for fact in shop.facts.list()] == [fact.id]
        assert sound(memory)

    def test_undo_needs_to_see_both_scopes(self, memory: Memory, ana: Memory, shop: Memory) -> None:
        wider = shop.facts.move(shop.remember(TEXT).id, to="user")
        narrower = ana.remember("Ana is tall")
        shop.facts.move(narrower.id, to=["user", "project"])
        for id in (wider.id, narrower.id):
            with unchanged(memory), pytest.raises(ScopeError, match="not visible here") as refusal:
                ana.facts.undo(id)
            assert "shop" not in str(refusal.value)
        for id in (wider.id, narrower.id):
            memory.everything().facts.undo(id)
        assert texts(ana.facts.list()) == ["Ana is tall"]
        assert sound(memory)

    def test_a_replacement_after_a_move_is_undone(self, ana: Memory, shop: Memory) -> None:
        moved = shop.facts.move(shop.remember(TEXT).id, to="user")
        ana.facts.replace(moved.id, "Ana prefers yarn")
        assert ana.facts.undo(moved.id).scope == ana.scope
        assert texts(shop.facts.list()) == [TEXT]

    def test_a_place_that_is_taken_is_refused(
        self, memory: Memory, ana: Memory, shop: Memory
    ) -> None:
        twin, fact = ana.remember(TEXT), shop.remember(TEXT)
        with unchanged(memory), pytest.raises(ConflictError, match=twin.short_id) as refusal:
            shop.facts.move(fact.id, to="user")
        assert refusal.value.remedy
        ana.facts.delete(twin.id)
        assert shop.facts.move(fact.id, to="user").scope == ana.scope
        rival, fact = ana.facts.set("editor", "vim"), shop.facts.set("editor", "emacs")
        with unchanged(memory), pytest.raises(ConflictError, match=rival.short_id):
            shop.facts.move(fact.id, to="user")
        moved = ana.facts.undo(ana.facts.retire(rival.id, "wrong").id)
        assert moved.value is None
        ana.facts.retire(rival.id, "wrong")
        shop.facts.move(fact.id, to="user")
        assert ana.facts.value("editor") == "emacs"
        with unchanged(memory), pytest.raises(ConflictError):
            ana.facts.undo(rival.id)

    def test_undo_is_refused_when_its_place_is_taken(self, memory: Memory, shop: Memory) -> None:
        moved = shop.facts.move(shop.remember(TEXT).id, to="user")
        taken = shop.remember(TEXT)
        with unchanged(memory), pytest.raises(ConflictError, match=taken.short_id):
            shop.facts.undo(moved.id)

    @pytest.mark.parametrize("ended", ["retired", "expired"])
    def test_ended_facts_stay(
        self, memory: Memory, shop: Memory, clock: FakeClock, ended: str
    ) -> None:
        fact = shop.remember(TEXT, expires_at="1h")
        shop.facts.retire(fact.id, "wrong") if ended == "retired" else clock.advance(hours=2)
        with unchanged(memory), pytest.raises(ConflictError, match="has ended"):
            shop.facts.move(fact.id, to="user")
        shop.facts.undo(fact.id)
        assert shop.facts.move(fact.id, to="user").ending is None

    def test_a_moved_fact_that_expired_is_undone(
        self, ana: Memory, shop: Memory, clock: FakeClock
    ) -> None:
        moved = shop.facts.move(shop.remember(TEXT, expires_at="1h").id, to="user")
        clock.advance(hours=2)
        assert ana.facts.undo(moved.id).expires_at is None
        assert texts(ana.facts.list()) == [TEXT]

    def test_what_is_not_true_yet_and_what_is_held_stay_so(self, ana: Memory, shop: Memory) -> None:
        upcoming = shop.remember("Ana moves to Faro", valid_from="in 3 days")
        held = shop.remember(TEXT, origin="web")
        for fact in (upcoming, held):
            shop.facts.move(fact.id, to="user")
        assert texts(ana.facts.list(state="upcoming")) == [upcoming.text]
        assert texts(ana.facts.list(state="quarantined")) == [held.text]
        assert texts(ana.facts.list(as_of="in 4 days")) == [upcoming.text]

    @input_check
    @pytest.mark.parametrize(
        ("to", "error", "remedy"),
        [
            ([], InvalidInputError, "shared"),
            ("", InvalidInputError, "user, agent"),
            ("company", InvalidInputError, "user, agent"),
            (["user", "shared"], InvalidInputError, "alone"),
            (["user", None], InvalidInputError, "user, agent"),
            ("agent", ScopeError, "scoped(agent="),
            (["user", "session"], ScopeError, "scoped(session="),
            (["project", "user"], ConflictError, "other dimensions"),
        ],
        ids=str,
    )
    def test_a_scope_that_it_cannot_have(
        self, memory: Memory, shop: Memory, to: Any, error: type[Exception], remedy: str
    ) -> None:
        fact = shop.remember(TEXT)
        with unchanged(memory), pytest.raises(error) as refusal:
            shop.facts.move(fact.id, to=to)
        assert remedy in getattr(refusal.value, "remedy", "")

    def test_nobody_moves_invisible_facts(self, memory: Memory, ana: Memory, shop: Memory) -> None:
        fact = shop.remember(TEXT)
        others = (memory, ana, memory.scoped(user="bob", project="shop"), ana.scoped(project="x"))
        for other in others:
            with unchanged(memory), pytest.raises(NotFoundError):
                other.facts.move(fact.id, to="shared")
        with unchanged(memory), pytest.raises(ScopeError, match="administrator"):
            memory.everything().facts.move(fact.id, to="shared")

    def test_an_agent_moves_nothing(self, memory: Memory, shop: Memory) -> None:
        agent = shop.acting_as("coder", person=False)
        own, confirmed = agent.remember("The shop has a cart"), shop.remember(TEXT)
        shop.facts.confirm(confirmed.id)
        wider = shop.facts.move(confirmed.id, to="user")
        moved = shop.facts.move(wider.id, to=["user", "project"])
        attacks: list[Callable[[], object]] = [
            lambda: agent.facts.move(own.id, to="shared"),
            lambda: agent.facts.move(own.id, to="user"),
            lambda: agent.facts.undo(moved.id),
            lambda: agent.facts.undo(wider.id),
            lambda: agent.facts.delete(moved.id),
            lambda: agent.facts.replace(moved.id, "Ana prefers yarn"),
            lambda: agent.facts.retire(moved.id, "superseded"),
        ]
        for attack in attacks:
            with unchanged(memory), pytest.raises(RefusedError):
                attack()
        unconfirmed = shop.facts.move(own.id, to="user")
        shop.facts.move(unconfirmed.id, to=["user", "project"])

    def test_an_open_conflict_follows(self, shop: Memory) -> None:
        older, newer = shop.remember("Ana prefers npm"), shop.remember(TEXT)
        conflict = clash(shop, newer, older)
        moved = shop.facts.move(newer.id, to="user")
        [follows] = [each for each in shop.conflicts.list() if not each.moot]
        assert {follows.older.id, follows.newer.id} == {older.id, moved.id}
        assert follows.reason == conflict.reason
        shop.facts.undo(moved.id)
        assert [each.id for each in shop.conflicts.list() if not each.moot] == [conflict.id]

    def test_erasing_leaves_nothing_of_it(self, memory: Memory, ana: Memory, shop: Memory) -> None:
        moved = shop.facts.move(shop.remember(TEXT).id, to="user")
        ana.facts.erase(moved.id)
        assert shop.facts.count(state="any") == 0
        shop.facts.move(shop.remember(TEXT).id, to="user")
        memory.erase_user("ana")
        assert memory.everything().facts.count(state="any") == 0
        assert sound(memory)
        shop = ana.scoped(project="shop")
        moved = shop.facts.move(shop.remember(TEXT).id, to="user")
        memory.erase_scope(user="ana", project="shop")
        assert texts(ana.facts.list()) == [TEXT]
        with unchanged(memory), pytest.raises(ConflictError, match="has not ended"):
            ana.facts.undo(moved.id)
        assert sound(memory)
