"""Restrictions on facts that agents write or change; `agent_policy.py` has the general rules.

An agent does not end or hide what a person stated. Its new value of it waits in quarantine.

Agents and tools cannot state rejected statements again, not even in similar words. A person rejects
a statement in quarantine, retires a fact as wrong, or deletes it. Then a person may still state it.
An agent may not, in that scope and in narrower ones; nor may a tool, a page or a document, in that
scope: in others it waits in quarantine. What an agent itself retired or deleted is not rejected.

Closeness is counted in words: most of the terms are the same, all numbers and identifiers are, and
no name differs. So another value of the same thing, such as another account, is another statement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from erstwhile.core.errors import RefusedError
from erstwhile.core.kinds import Origin, Tier, Trust
from erstwhile.core.scope import AGENTS, PERSON_REMEDY, Scope, Viewer, scope_params
from erstwhile.core.text import fingerprint
from erstwhile.core.time import FOREVER
from erstwhile.facts.fact import to_fact
from erstwhile.facts.held import Proposal, held_because, proposal_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from erstwhile.facts.draft import Draft
    from erstwhile.facts.fact import Fact
    from erstwhile.storage.unit import Unit

_AGENT_ORIGINS = frozenset((Origin.AGENT, Origin.TOOL, Origin.WEB, Origin.DOCUMENT))
_CONFIRMATIONS = frozenset(("confirm", "approve"))


def check_draft(viewer: Viewer, draft: Draft) -> None:
    """Raise RefusedError if an agent claims that a person said something, or pins it.

    Drafts with the origin `agent` are an agent's in any view.
    """
    if viewer.person and draft.origin is not Origin.AGENT:
        return
    if draft.origin not in _AGENT_ORIGINS:
        raise RefusedError(
            f"an agent cannot store a fact with the origin {draft.origin.value!r}",
            remedy=f"use the origin agent, or {PERSON_REMEDY}",
        )
    if draft.pinned or draft.tier is not Tier.INFERRED:
        raise RefusedError(
            "an agent cannot pin a fact, nor say that it is certain",
            remedy=f"leave pinned and tier out, or {PERSON_REMEDY}",
        )


def check_change(unit: Unit, old: Fact, new: Fact, action: str) -> None:
    """Raise RefusedError if an agent may not change a fact in this way."""
    if unit.viewer.person or action == "expire":  # time ends a fact, whoever notices it
        return
    if (new.pinned, new.trust) != (old.pinned, old.trust):
        unit.viewer.check_person(f"pin or confirm {old.short_id}")
    hidden = new.deleted_at is not None and old.deleted_at is None
    retired = new.retired_at is not None and old.retired_at is None
    shortened = (new.ends_at or FOREVER) < (old.ends_at or FOREVER)
    if hidden or retired or shortened:
        check_unprotected(unit, old)
        if is_stated(old):
            raise RefusedError(
                f"a person stated {old.short_id}, so an agent cannot end or hide it",
                remedy="propose a new statement with `replace`, or let a person end this one",
            )
        if old.trust is Trust.QUARANTINED and not unit.is_own(old.id, old.scope):
            raise RefusedError(
                f"{old.short_id} waits for a person, who decides about it", remedy=PERSON_REMEDY
            )


def is_protected(unit: Unit, fact: Fact) -> bool:
    """Return whether a person pinned or confirmed a fact."""
    return fact.pinned or _is_confirmed(unit, fact.id, unit.scope_id(fact.scope))


def is_stated(fact: Fact) -> bool:
    """Return whether a person stated a fact: an agent proposes a change of it."""
    return fact.origin is Origin.PERSON and fact.trust is Trust.TRUSTED


def as_proposal(draft: Draft, scope: Scope, replaced: Sequence[Fact]) -> Draft:
    """Return an agent's new value of what a person stated: a person decides about it."""
    ended = (fact for fact in replaced if fact.scope == scope and fact.retired_at is None)
    ids = tuple(dict.fromkeys(fact.id for fact in ended))
    proposal = Proposal(key=draft.key, value=draft.value, replaces=ids)
    held = held_because("agent/stated", "a person stated what it would replace", proposal)
    return draft._replace(
        key=None,
        value=None,
        fingerprint=fingerprint(draft.text, None),
        pinned=False,
        trust=Trust.QUARANTINED,
        tier=Tier.INFERRED,
        confidence=min(draft.confidence, Tier.INFERRED.cap),
        metadata={**draft.metadata, **held},
    )


def check_unprotected(unit: Unit, fact: Fact) -> None:
    """Raise RefusedError if a person pinned or confirmed a fact that an agent is about to end."""
    if is_protected(unit, fact):
        done = "pinned" if fact.pinned else "confirmed"
        raise RefusedError(
            f"a person {done} {fact.short_id}, so an agent cannot change or hide it",
            remedy="remember what is new as another fact, and let the person change this one",
        )


def _is_confirmed(unit: Unit, id: str, scope: int) -> bool:
    """Return whether a person confirmed a fact, also in a scope from which it was moved."""
    acts = unit.rows("acts_on", {"subject": id, "scope": scope})
    former = unit.rows("former_places", {"id": id, "scope": scope})
    confirmed = not _CONFIRMATIONS.isdisjoint(act for act, _ in acts)
    return confirmed or any(_is_confirmed(unit, *each) for each in former)


MAX_COMPARED = 200
"""How many rejected statements a new one is compared with: the newest."""
CLOSE = 0.7
"""The share of terms that two close statements have in common."""
_STATEMENT = 3
"""The fewest terms of a text that is a statement by itself."""
_MAX_LENGTH = 4_000
"""The characters of a statement that are compared."""
_FIGURE = re.compile(r"(?<!\w)\w*\d[\w.,:/-]*")
_NAME = re.compile(r"(?<![\w'’-])[^\W\d_a-zà-öø-ÿа-яα-ω][\w'’-]*")


@dataclass(frozen=True, slots=True)
class _Content:
    """The compared content of a statement."""

    terms: frozenset[str]
    figures: frozenset[str]
    """Numbers, and names with a digit."""
    first: frozenset[str]
    """The terms of its first word, if that may be a name."""
    names: frozenset[str]
    """The terms of other words with a capital letter."""


def find_rejected(unit: Unit, scope: Scope, draft: Draft) -> Fact | None:
    """Return the newest similar rejected fact; None if a person states the draft."""
    if draft.trusted and draft.origin is not Origin.AGENT:
        return None
    seen = {**scope_params(scope), "agents": AGENTS, "limit": MAX_COMPARED}
    whose = "scoped" if draft.trusted else "own"
    newest = unit.rows("list_rejected", seen, whose)
    return next((fact for fact in map(to_fact, newest) if _is_similar(draft, fact)), None)


def _is_similar(draft: Draft, rejected: Fact) -> bool:
    """Return whether a draft says the same as a rejected fact, in nearly the same words.

    An end is not similar to the fact that it ends. A value of a few words, such as "Lisbon", says
    nothing without its key.
    """
    if proposal_of(draft.metadata).ends != proposal_of(rejected.metadata).ends:
        return False
    new, known = _content(draft.text[:_MAX_LENGTH]), _content(rejected.text[:_MAX_LENGTH])
    if draft.key != rejected.key and len(new.terms) < _STATEMENT:
        return False
    differing = new.terms ^ known.terms
    renamed = bool(new.first & differing) and bool(known.first & differing)
    if renamed or new.figures != known.figures or differing & (new.names | known.names):
        return False
    shared = len(new.terms & known.terms)
    return 2 * shared >= CLOSE * (len(new.terms) + len(known.terms))


@lru_cache(maxsize=1_024)
def _content(text: str) -> _Content:
    from erstwhile.search.terms import query_terms, terms  # slow to load, and rarely needed

    found = [match for match in _NAME.finditer(text) if not match[0].isdigit()]
    first = [match[0] for match in found if match.start() == 0]
    later = [match[0] for match in found if match.start() > 0]
    content = frozenset(query_terms(text))
    return _Content(
        terms=content,
        figures=frozenset(each.casefold().rstrip(".,:/-") for each in _FIGURE.findall(text)),
        first=content.intersection(terms(" ".join(first))),
        names=content.intersection(terms(" ".join(later))),
    )
