"""Assign gathered records to sections. A fact goes to the one section that fits best."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeAlias

from erstwhile.context.gathered import SECTIONS, Found, Gathered
from erstwhile.context.model import LeftOut, Omission, Section
from erstwhile.context.piece import Piece
from erstwhile.context.pieces import PieceFactory
from erstwhile.conversations.conversation import Conversation, Message, Role
from erstwhile.core.kinds import Kind
from erstwhile.facts.fact import Fact
from erstwhile.records.model import Lesson, Observation

Sections: TypeAlias = dict[Section, list[Piece]]
"""The pieces of each section, most important first."""

_PROJECT = (Kind.PROJECT, Kind.ENVIRONMENT)
_OLDEST_FIRST = (Section.RULES, Section.INSTRUCTIONS, Section.PROJECT)
"""Sections that show the oldest item first, so that the text before a new one stays equal."""
_SPOKEN = (Role.USER, Role.ASSISTANT)
"""Other conversations contribute no results of tools, because tools are not trusted."""


def prefix_facts(found: Gathered, needs: Collection[Section]) -> dict[Section, list[Fact]]:
    """Return the facts that do not depend on the query, by section, most important first."""
    placed: dict[Section, list[Fact]] = {}
    facts = {fact.id: fact for fact in (*found.values.values(), *found.standing)}
    for fact in facts.values():
        if not is_overridden(fact, found) and (section := _place(fact, needs)):
            placed.setdefault(section, []).append(fact)
    for section in _OLDEST_FIRST:
        placed.get(section, []).sort(key=lambda fact: fact.id, reverse=True)
    instructions = placed.get(Section.INSTRUCTIONS, [])
    # Pinned ones first, then by the date that they show: the last ones may be left out.
    instructions.sort(key=lambda fact: (fact.pinned, fact.valid_from), reverse=True)
    return placed


def prefix_sections(found: Gathered, needs: Collection[Section], make: PieceFactory) -> Sections:
    """Return the pieces that do not depend on the query, without blocks."""
    placed = prefix_facts(found, needs)
    among = {fact.id for facts in placed.values() for fact in facts}
    against = clashes(found, among)
    pieces = {
        section: [_prefix_piece(make, section, fact, against.get(fact.id, ())) for fact in facts]
        for section, facts in placed.items()
    }
    return {section: in_order(section, each) for section, each in pieces.items()}


def listed_sections(found: Gathered, make: PieceFactory) -> Sections:
    """Return the pieces of the tail that do not depend on the query."""
    pieces = {
        Section.LESSONS: [make.lesson(each) for each in found.lessons],
        Section.OUTCOMES: [make.outcome(each) for each in found.outcomes],
        Section.TASKS: [make.task(each) for each in found.tasks],
    }
    return {section: in_order(section, each) for section, each in pieces.items()}


def in_order(section: Section, pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces with their place in the text. They may be put in another order."""
    if section is Section.OUTCOMES:
        return [*pieces]
    sign = -1 if section in _OLDEST_FIRST else 1
    return [replace(piece, place=(sign * at,)) for at, piece in enumerate(pieces)]


def stream(found: Gathered, needs: Collection[Section]) -> list[Found]:
    """Return what was found and may be quoted, best first."""
    own = found.current.id if found.current and Section.HISTORY not in needs else None
    return [
        each
        for each in found.findings.found
        if SECTIONS[each.kind] in needs
        if not (isinstance(each.record, Fact) and is_overridden(each.record, found))
        if not (isinstance(each.record, Message) and not _is_quotable(each.record, own))
    ]


def without_room(found: Found) -> LeftOut:
    """Report what was found and does not fit, without the cost of making a piece of it."""
    section, reason = SECTIONS[found.kind], Omission.BUDGET
    return LeftOut(section=section, id=found.record.id, text=_told(found), reason=reason)


def _told(found: Found) -> str:
    match found.record:
        case Fact() as fact:
            return fact.text
        case Message() as message:
            return message.content[found.start : found.end]
        case Observation() as seen:
            return seen.title
        case Lesson() as lesson:
            return f"{lesson.domain}: {lesson.rule}"
        case Conversation() as conversation:
            return conversation.summary or ""


def is_overridden(fact: Fact, found: Gathered) -> bool:
    """Return whether the key of a fact has another value from a narrower scope."""
    value = None if fact.key is None else found.values.get(fact.key)
    return value is not None and value.id != fact.id


def clashes(found: Gathered, among: Collection[str] | None = None) -> dict[str, list[str]]:
    """Return the ids that each fact may contradict; with `among`, only pairs of these facts."""
    against: dict[str, list[str]] = {}
    for pair in found.clashes:
        if among is None or all(id in among for id in pair):
            for one, other in (pair, pair[::-1]):
                against.setdefault(one, []).append(other)
    return against


def _prefix_piece(
    make: PieceFactory, section: Section, fact: Fact, against: Sequence[str]
) -> Piece:
    if section is Section.INSTRUCTIONS:
        return make.instruction(fact, against)
    return make.fact(section, fact, against)


def _is_quotable(message: Message, own: str | None) -> bool:
    """Return whether a message may be quoted. Who leaves out the history has it already."""
    return message.role in _SPOKEN and message.conversation != own


def _place(fact: Fact, needs: Collection[Section]) -> Section | None:
    """Return the prefix section of a fact, or None if it has none."""
    fitting = {
        Section.INSTRUCTIONS: fact.kind is Kind.INSTRUCTION,
        Section.PROJECT: fact.kind in _PROJECT,
        Section.PROFILE: fact.key is not None or fact.kind is Kind.PROFILE,
        Section.RULES: fact.pinned,
    }
    return next((section for section, fits in fitting.items() if fits and section in needs), None)
