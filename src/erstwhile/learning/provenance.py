"""Provenance: whose words a proposal rests on. Rules decide this; a model decides what they mean.

A model quotes the words of the turn that each proposal rests on. The quotation must be in the turn.
Words of the user count if the user wrote them: text that the user pasted or quoted, and text of
tools, is foreign. A turn that holds foreign text may still change a known fact, but only if the
user's own words name what changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Kind, Origin, Trust
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.own_speech import is_own_speech
from erstwhile.learning.quotation import SENTENCE, Quotation, find, places
from erstwhile.learning.salience import is_small_talk, stands_alone
from erstwhile.learning.sources import Sources, names_in
from erstwhile.learning.turn import Turn
from erstwhile.search.own_words import own_words
from erstwhile.search.terms import query_terms, terms

_INITIALS = 2
"""The most characters of a name that other names share, such as "Ms"."""


def with_provenance(candidate: Candidate, turn: Turn, known: Sequence[Fact]) -> Candidate:
    """Return the proposal of a model with its origin, held if the user did not say it."""
    place = find(candidate.quote, turn)
    if place is None:
        only_before = any(True for line in turn.before for _ in places(candidate.quote, line))
        reason = "only the previous exchange says it" if only_before else "the turn does not say it"
        return candidate.hold("provenance/unquoted", reason)
    sources = Sources.of(turn, tuple(fact.text for fact in known))
    found = replace(
        candidate,
        quote=place.line.text[place.start : place.end],
        messages=(place.line.message,),
        origin=_origin(candidate, place, sources),
        in_own_speech=is_own_speech(
            place.line.text, place.start, place.end, names_old=_names_old(candidate, place, known)
        ),
        unnamed_change=_is_unnamed(candidate, place, sources, known),
    )
    return _hold_if_foreign(found, place, turn)


def _origin(candidate: Candidate, place: Quotation, sources: Sources) -> Origin:
    if place.origin is not Origin.LEARNED or candidate.ends:
        return place.origin
    if sources.drawn_from_foreign(candidate.text):
        return Origin.TOOL
    return Origin.AGENT if sources.drawn_from_assistant(candidate.text) else Origin.LEARNED


def _hold_if_foreign(candidate: Candidate, place: Quotation, turn: Turn) -> Candidate:
    if candidate.origin is Origin.DOCUMENT:
        return candidate.hold("provenance/pasted", "it stands in a text that the user passed on")
    if candidate.origin.trust is Trust.QUARANTINED:
        return candidate.hold("provenance/tool", "a tool or a pasted text said it, not the user")
    if candidate.origin is Origin.AGENT:
        return candidate.hold("provenance/assistant", "only the assistant said it")
    plain = candidate.in_own_speech and stands_alone(place.line.text)
    if candidate.kind is Kind.INSTRUCTION and (candidate.unnamed_change or not plain):
        return candidate.hold("provenance/instruction", "it may not be the user's own instruction")
    if is_small_talk(place.line.text) and not _is_asked(candidate, turn):
        return candidate.hold("provenance/unasked", "the user agreed to something else")
    return candidate


def _is_unnamed(
    candidate: Candidate, place: Quotation, sources: Sources, known: Sequence[Fact]
) -> bool:
    """Return whether others may be behind a change that the user's own words do not name."""
    if place.is_doubtful or place.is_question:
        return True
    if not sources.may_be_of_others(candidate.text):
        return False
    if candidate.ends:
        return not sources.names_most(candidate.text)
    old = [fact.text for fact in known if fact.id in candidate.replaces]
    return not sources.names(candidate.value or candidate.text, old)


def _names_old(candidate: Candidate, place: Quotation, known: Sequence[Fact]) -> bool:
    """Return whether the user's words name what changes, by a name that the new value has not."""
    old = "\n".join(fact.text for fact in known if candidate.claims(fact))
    new = frozenset[str]() if candidate.ends else frozenset(terms(candidate.text))
    said = frozenset(terms(own_words(place.line.text).sure))
    named = (names_in(old) - new) & said
    return any(len(name) > _INITIALS or name.isdigit() for name in named)


def _is_asked(candidate: Candidate, turn: Turn) -> bool:
    """Return whether the question that the user answers names what the candidate says."""
    asked = [line.text for line in turn.before if line.role is Role.ASSISTANT]
    questions = [each[0] for text in asked[-1:] for each in SENTENCE.finditer(text)]
    words = frozenset(terms(questions[-1])) if questions else frozenset()
    names = names_in(candidate.text)
    return names <= words if names else bool(frozenset(query_terms(candidate.text)) & words)
