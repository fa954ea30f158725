"""Decide whether an English clause states something personal and lasting, and of which kind.

Some verbs tell something personal whatever they are about; others need a noun of life, such as
"daughter" or "asthma", a regular time, or, in the past, a date, or an amount and a name. Everything
else is chatter about the task. The words are in `words.toml`.
"""

from __future__ import annotations

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.plain.clause import COPULAS, PlainClause, owned_kind, parsed
from erstwhile.learning.patterns.plain.complements import complement_kind
from erstwhile.learning.patterns.plain.objects import NEEDED, head, is_tool, life, names_someone
from erstwhile.learning.patterns.plain.words import Tense, Verb, listed, nouns, part, verbs
from erstwhile.search.own_words import FILLER

_TIMES = frozenset(("in", "on", "at", "before", "after", "since", "until", "by", "from", "during"))
_HARD = frozenset(("a", "an", "to", "in", "on", "at", "called", "named", "the"))
"""Words that begin a description in hard words: "my car is a Mazda", not "my car is slow"."""


def plain_kind(text: str) -> Kind | None:
    """Return the kind of the statement that a clause makes; None if it is not worth keeping."""
    clause = parsed(text)
    if clause is None or not _stands_alone(clause):
        return None
    if clause.owned and not _is_described(clause):
        return None
    if clause.verb not in COPULAS:
        return _told(clause)
    if clause.is_negated:
        return None
    if clause.owned and owned_kind(clause.owned) is not Kind.RELATION:
        return None if part("task").is_in(clause.about) else Kind.PROFILE
    return complement_kind(clause.rest, text, past=clause.verb in ("was", "were"))


def _stands_alone(clause: PlainClause) -> bool:
    """Return whether a clause is certain, lasting, and understood without other messages."""
    said, whole = clause.about, clause.text
    if FILLER in whole or part("pointing").is_in(said) or clause.rest[:1] == ("that",):
        return False
    if part("unsure").is_in(whole) or part("transient").is_in(whole):
        return False
    if clause.subject == "we" and not (life(clause.rest) or names_someone(said)):
        return False
    other = next(part("person").found_in(said), None)
    return other is None or bool(clause.owned) or names_someone(said[: other.start()])


def _is_described(clause: PlainClause) -> bool:
    """Return whether the subject is a person, a pet, or a thing that is told in hard words."""
    kind = owned_kind(clause.owned)
    if kind is Kind.RELATION:
        return True
    if kind is None or clause.owned[-1] not in {*nouns(), *listed("described")}:
        return False
    first = clause.rest[0] if clause.rest else ""
    by = first in ("with", "from", "by") and len(clause.rest) > 1
    named = first[:1].isupper() or first[:1].isdigit() or first[:1] in tuple("$€£")
    return by or named or first.lower() in _HARD or life(clause.rest[:6]) is not None


def _told(clause: PlainClause) -> Kind | None:
    """Return the kind of a statement with a full verb."""
    verb = verbs().get(clause.verb)
    if verb is None or verb.tense is Tense.ONGOING or not _has_what_it_needs(clause, verb):
        return None
    dated = part("date").is_in(clause.about)
    past = verb.tense is Tense.PAST
    if part("task").is_in(clause.about) and not (past and dated):
        return Kind.ENVIRONMENT if verb.base == "use" and is_tool(clause.rest) else None
    if verb.base == "have" and clause.rest[:1] == ("to",):
        return Kind.EVENT if past and dated else None
    needed = NEEDED.get(verb.base)
    if needed is not None:
        fits = needed(clause.rest, clause.about, verb)
        return _kind_of(verb, clause) if fits and _is_worth(verb, clause) else None
    return _kind_of(verb, clause) if _is_worth(verb, clause) else _anchored_kind(verb, clause)


def _has_what_it_needs(clause: PlainClause, verb: Verb) -> bool:
    """Return whether a verb has its object, and whether its negation says something."""
    if verb.base == "want" and not clause.owned:
        return False
    if clause.is_negated and verb.base not in listed("negated"):
        return False
    return bool(clause.rest) or verb.base in listed("intransitive")


def _is_worth(verb: Verb, clause: PlainClause) -> bool:
    """Return whether a verb tells enough by itself; in the past, an event of a life does."""
    if not (verb.telling or verb.base in NEEDED):
        return False
    if verb.tense is not Tense.PAST or not verb.telling or verb.base in listed("events"):
        return True
    return bool(life(head(clause.rest)) or _is_dated(clause) or _is_regular(clause))


def _kind_of(verb: Verb, clause: PlainClause) -> Kind:
    if verb.base in listed("liking"):
        return Kind.PREFERENCE
    of_kin = clause.owned and owned_kind(clause.owned) is Kind.RELATION
    if of_kin or (verb.base == "have" and life(head(clause.rest)) is Kind.RELATION):
        return Kind.RELATION
    return Kind.EVENT if verb.tense is Tense.PAST else Kind.PROFILE


def _anchored_kind(verb: Verb, clause: PlainClause) -> Kind | None:
    """Return the kind of a statement that a regular time, a noun of life or a date makes."""
    light = verb.base in listed("light")
    if _is_regular(clause) and not light:
        return Kind.PROFILE
    noun, past = life(head(clause.rest)), verb.tense is Tense.PAST
    if clause.rest[0].lower() in _TIMES and not (clause.owned or life(clause.rest[:6])):
        return None
    if light and not (past and noun and _is_dated(clause)):
        return None
    if noun is not None:
        return Kind.EVENT if past else noun
    if past and _is_dated(clause):
        return Kind.EVENT
    named = _is_dated(clause) or part("proper").is_in(clause.about)
    return Kind.RELATION if clause.owned and verb.tense is Tense.THIRD and named else None


def _is_regular(clause: PlainClause) -> bool:
    often = not listed("habits").isdisjoint(clause.before)
    return often or part("frequency").is_in(clause.about)


def _is_dated(clause: PlainClause) -> bool:
    """Return whether a clause has a date, or an amount and a name."""
    said = clause.about
    exact = part("amount").is_in(said) and part("proper").is_in(said)
    return bool(part("date").is_in(said) or exact)
