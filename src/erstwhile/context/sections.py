"""Assign gathered records to sections. A fact goes to the one section that fits best."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

from erstwhile.context.gather import Gathered
from erstwhile.context.model import Section
from erstwhile.context.pieces import Piece, PieceFactory
from erstwhile.core.kinds import Kind
from erstwhile.facts.fact import Fact
from erstwhile.recall.hits import RecallHits

Sections: TypeAlias = dict[Section, list[Piece]]
"""The pieces of each section, most important first."""

_PROJECT = (Kind.PROJECT, Kind.ENVIRONMENT)


def prefix_sections(found: Gathered, needs: Collection[Section], make: PieceFactory) -> Sections:
    """Return the pieces that do not depend on the query."""
    facts = {fact.id: fact for fact in (*found.values.values(), *found.standing)}
    placed: dict[Section, list[Fact]] = {}
    for fact in facts.values():
        if not is_overridden(fact, found) and (section := _place(fact, needs)):
            placed.setdefault(section, []).append(fact)
    for section in (Section.RULES, Section.PROJECT):
        placed.get(section, []).sort(key=lambda fact: fact.id, reverse=True)
    against = _against(found, among=facts)
    pieces = {
        each: [make.fact(each, fact, against.get(fact.id, ())) for fact in placed[each]]
        for each in placed
    }
    pieces[Section.BLOCKS] = [make.block(block) for block in found.blocks]
    return pieces


def tail_sections(found: Gathered, hits: RecallHits | None, make: PieceFactory) -> Sections:
    """Return the pieces that depend on the query or on the current time."""
    facts = [hit.fact for hit in hits or () if not is_overridden(hit.fact, found)]
    against = _against(found)
    return {
        Section.FACTS: [make.fact(Section.FACTS, each, against.get(each.id, ())) for each in facts],
        Section.CONVERSATIONS: [*_related(found, make)],
        Section.LESSONS: [make.lesson(each) for each in found.lessons],
        Section.OUTCOMES: [make.outcome(each) for each in found.outcomes],
        Section.OBSERVATIONS: [make.observation(each) for each in found.observations],
        Section.TASKS: [make.task(each) for each in found.tasks],
        Section.HISTORY: [*make.history(found.transcript)],
    }


def is_overridden(fact: Fact, found: Gathered) -> bool:
    """Return whether the key of a fact has another value from a narrower scope."""
    value = None if fact.key is None else found.values.get(fact.key)
    return value is not None and value.id != fact.id


def _against(found: Gathered, among: Collection[str] | None = None) -> dict[str, list[str]]:
    """Return the ids that each fact may contradict; with `among`, only pairs of these facts."""
    against: dict[str, list[str]] = {}
    for pair in found.clashes:
        if among is None or all(id in among for id in pair):
            for one, other in (pair, pair[::-1]):
                against.setdefault(one, []).append(other)
    return against


def _place(fact: Fact, needs: Collection[Section]) -> Section | None:
    """Return the prefix section of a fact, or None if it has none."""
    fitting = {
        Section.PROJECT: fact.kind in _PROJECT,
        Section.PROFILE: fact.key is not None or fact.kind is Kind.PROFILE,
        Section.RULES: fact.pinned,
    }
    return next((section for section, fits in fitting.items() if fits and section in needs), None)


def _related(found: Gathered, make: PieceFactory) -> Iterator[Piece]:
    """Yield each matching message, after the summary of its conversation, which comes once."""
    summarised: set[str] = set()
    for hit in found.related:
        conversation = found.summarised.get(hit.message.conversation)
        if conversation is not None and conversation.id not in summarised:
            summarised.add(conversation.id)
            yield make.conversation_summary(conversation)
        yield make.message_hit(hit)
