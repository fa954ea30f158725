"""Statements that a person rejected: they stay out, also in words close to theirs.

A person rejects a statement in quarantine, retires a fact as wrong, or deletes it. Then a person
may still state it. An agent may not, in that scope and in narrower ones; nor may a tool, a page or
a document, in that scope: in others it waits in quarantine. What an agent itself retired or deleted
is not rejected.

Closeness is counted in words: most of the terms are the same, all numbers and identifiers are, and
no name differs. So another value of the same thing, such as another account, is another statement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from erstwhile.core.kinds import Origin
from erstwhile.core.scope import AGENTS, Scope, scope_params
from erstwhile.facts.draft import Draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.held import proposal_of
from erstwhile.facts.rows import to_fact
from erstwhile.storage.unit import Unit

MOST = 200
"""How many rejected statements a new one is compared with: the newest."""
CLOSE = 0.7
"""The share of terms that two close statements have in common."""
_STATEMENT = 3
"""The fewest terms of a text that is a statement by itself."""
_LONGEST = 4_000
"""The characters of a statement that are compared."""
_FIGURE = re.compile(r"(?<!\w)\w*\d[\w.,:/-]*")
_NAME = re.compile(r"(?<![\w'’-])[^\W\d_a-zà-öø-ÿа-яα-ω][\w'’-]*")


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of a statement that is compared."""

    terms: frozenset[str]
    figures: frozenset[str]
    """Numbers, and names with a digit."""
    first: frozenset[str]
    """The terms of its first word, if that may be a name."""
    names: frozenset[str]
    """The terms of other words with a capital letter."""


def find_rejected(unit: Unit, scope: Scope, draft: Draft) -> Fact | None:
    """Return the newest rejected fact that says the same, unless a person states the draft."""
    if draft.trusted and draft.origin is not Origin.AGENT:
        return None
    seen = {**scope_params(scope), "agents": AGENTS, "limit": MOST}
    whose = "scoped" if draft.trusted else "own"
    newest = unit.rows("list_rejected", seen, whose)
    return next((fact for fact in map(to_fact, newest) if _says_the_same(draft, fact)), None)


def _says_the_same(draft: Draft, rejected: Fact) -> bool:
    """Return whether a draft is close to a rejected fact; an end is not close to what it ends.

    A value of a few words, such as "Lisbon", says nothing without its key.
    """
    ends = proposal_of(draft.metadata).ends, proposal_of(rejected.metadata).ends
    other_key = draft.key != rejected.key and _is_value(draft.text)
    return ends[0] == ends[1] and not other_key and is_close(draft.text, rejected.text)


def _is_value(text: str) -> bool:
    return len(_content(text[:_LONGEST]).terms) < _STATEMENT


def is_close(one: str, two: str) -> bool:
    """Return whether two statements say the same in nearly the same words."""
    new, known = _content(one[:_LONGEST]), _content(two[:_LONGEST])
    if new.figures != known.figures or _is_of_another(new, known):
        return False
    shared = len(new.terms & known.terms)
    return 2 * shared >= CLOSE * (len(new.terms) + len(known.terms))


def _is_of_another(new: _Content, known: _Content) -> bool:
    """Return whether a name differs."""
    differing = new.terms ^ known.terms
    renamed = bool(new.first & differing) and bool(known.first & differing)
    return renamed or not differing.isdisjoint(new.names | known.names)


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
