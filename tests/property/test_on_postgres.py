"""The same properties on PostgreSQL, with fewer examples, because each takes longer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import erstwhile
from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.core.ports import Embedder
from erstwhile.testing.clock import FakeClock
from tests.property.acting import Move, moves
from tests.property.places import on_postgres
from tests.property.test_context import TOKENIZERS, budgets, check, lived, lives, texts
from tests.property.test_context import Deed as Done
from tests.property.test_exports import Exporting
from tests.property.test_keeping import Keeping
from tests.property.test_listing import Listing
from tests.property.test_past import PastAnswers
from tests.property.test_recall import (
    SCOPES,
    compare,
    compare_messages,
    dialogues,
    filled,
    filters,
    limits,
    memories,
    replay,
    sentences,
    spoken,
)
from tests.property.test_scopes import Deed, deeds, live_with_and_without_others, scopes
from tests.property.test_shelves import Change, changes, look
from tests.property.test_snapshots import Restoring
from tests.property.test_trail import Trail
from tests.property.test_uniqueness import STORIES, OneOfEach, look_after

FEW = settings(max_examples=5, stateful_step_count=12)


class OnPostgres:
    place = staticmethod(on_postgres)


class KeepingOnPostgres(OnPostgres, Keeping): ...


class ListingOnPostgres(OnPostgres, Listing): ...


class PastAnswersOnPostgres(OnPostgres, PastAnswers): ...


class RestoringOnPostgres(OnPostgres, Restoring): ...


class TrailOnPostgres(OnPostgres, Trail): ...


class OneOfEachOnPostgres(OnPostgres, OneOfEach): ...


class ExportingOnPostgres(OnPostgres, Exporting): ...


TestKeeping = KeepingOnPostgres.TestCase
TestListing = ListingOnPostgres.TestCase
TestPastAnswers = PastAnswersOnPostgres.TestCase
TestRestoring = RestoringOnPostgres.TestCase
TestTrail = TrailOnPostgres.TestCase
TestOneOfEach = OneOfEachOnPostgres.TestCase
TestKeeping.settings = TestListing.settings = TestPastAnswers.settings = FEW
TestExporting = ExportingOnPostgres.TestCase
TestExporting.settings = FEW
TestTrail.settings = TestOneOfEach.settings = TestRestoring.settings = FEW


@pytest.mark.parametrize("story", STORIES)
def test_a_story_ends_well(story: str) -> None:
    look_after(STORIES[story], OneOfEachOnPostgres)


@FEW
@given(made=st.lists(moves("set", "say"), min_size=12, max_size=16))
def test_one_of_each_whatever_comes_and_goes(made: list[Move]) -> None:
    look_after(made, OneOfEachOnPostgres)


@FEW
@given(done=st.lists(deeds, min_size=4, max_size=7), reader=scopes)
def test_what_others_remember_makes_no_difference(
    done: list[Deed], reader: erstwhile.Scope
) -> None:
    live_with_and_without_others(on_postgres, done, reader)


@pytest.mark.parametrize("embedder", [None, HashingEmbedder(32)], ids=["words", "meaning"])
@FEW
@given(said=memories, query=sentences, scope=st.integers(0, 3), limit=limits, asked=filters)
def test_recall_is_what_comparing_every_visible_fact_gives(
    embedder: Embedder | None,
    said: list[tuple[int, dict[str, Any]]],
    query: str,
    scope: int,
    limit: int,
    asked: dict[str, Any],
) -> None:
    memory = filled(said, embedder, FakeClock(), on_postgres)
    compare(memory.scoped(**SCOPES[scope]), query, limit, embedder, asked)
    memory.close()


@pytest.mark.parametrize("embedder", [None, HashingEmbedder(32)], ids=["words", "meaning"])
@FEW
@given(said=dialogues, query=sentences, scope=st.integers(0, 3), limit=limits)
def test_recall_among_messages_is_what_comparing_every_visible_passage_gives(
    embedder: Embedder | None,
    said: list[tuple[int, str, str, str]],
    query: str,
    scope: int,
    limit: int,
) -> None:
    memory = spoken(said, embedder, FakeClock(), on_postgres)
    compare_messages(memory.scoped(**SCOPES[scope]), query, limit, embedder)
    memory.close()


@FEW
@given(made=changes)
def test_a_shelf_counts_what_it_holds(made: list[Change]) -> None:
    look(made, on_postgres)


@FEW
@given(said=memories, query=sentences, limit=limits)
def test_replaying_the_outbox_changes_nothing(
    said: list[tuple[int, dict[str, Any]]], query: str, limit: int
) -> None:
    clock = FakeClock()
    replay(filled(said, HashingEmbedder(32), clock, on_postgres), clock, query, limit)


@FEW
@given(life=lives, query=texts, budget=budgets)
def test_a_context_keeps_its_promises(life: list[Done], query: str, budget: int) -> None:
    memory = lived(life, TOKENIZERS["estimate"], on_postgres)
    made = memory.context(query, budget)
    check(made, budget, TOKENIZERS["estimate"].default.count)
    assert memory.context(query, budget) == made
    memory.close()
