"""Cut an English clause in the first person into subject, adverbs, verb and the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.plain.words import Tense, listed, nouns, verbs

COPULAS = frozenset(("am", "are", "is", "was", "were"))
_WORD = re.compile(r"[^\s,;:!?\"]+")
_CONTRACTED = {"i'm": "am", "we're": "are", "i've": "have", "we've": "have"}
_LONGEST_SUBJECT = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainClause:
    """A clause in the first person, cut into its parts."""

    text: str
    subject: str
    """The first word: "i", "we", "my" or "our"."""
    owned: tuple[str, ...] = ()
    """The words after "my" or "our", up to the verb."""
    before: tuple[str, ...] = ()
    """Adverbs and negations before the verb."""
    verb: str = ""
    rest: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        return " ".join(self.rest)

    @property
    def is_negated(self) -> bool:
        words = (*self.before, *self.rest[:1])
        return "not" in words or not listed("negations").isdisjoint(self.before)


def parsed(text: str) -> PlainClause | None:
    """Return the parts of a clause; None if its subject is not the speaker, or theirs."""
    words = [found[0].strip(".()*_") for found in _WORD.finditer(text.replace("’", "'"))]
    first = words[0].lower() if words else ""
    clause = PlainClause(text=text, subject=first.split("'")[0])
    if first in _CONTRACTED:
        return _with_verb(clause, [_CONTRACTED[first], *words[1:]])
    if first in ("i", "we"):
        return _with_verb(clause, words[1:])
    return _with_owned_subject(clause, words) if first in ("my", "our") else None


def _with_owned_subject(clause: PlainClause, words: Sequence[str]) -> PlainClause | None:
    """Return a clause about something of the speaker: "my older sister lives in Oslo"."""
    low = [word.lower() for word in words]
    for at in range(2, min(len(low), _LONGEST_SUBJECT + 1)):
        if low[at] == "i" and low[at - 1] == "and":
            return _with_verb(replace(clause, subject="we"), words[at + 1 :])
        if _ends_subject(low, at):
            return _with_verb(replace(clause, owned=tuple(low[1:at])), words[at:])
    return None


def _ends_subject(low: Sequence[str], at: int) -> bool:
    """Return whether the verb, or an adverb before it, is at a place."""
    word, known = low[at], verbs().get(low[at])
    if word in COPULAS or word in ("has", "have"):
        return True
    if word in listed("adverbs") or word in listed("negations"):
        return True
    if known is None or known.tense is Tense.ONGOING or owned_kind(low[1:at]) is None:
        return False
    return known.tense is not Tense.PRESENT or low[at - 1].endswith("s")


def owned_kind(owned: Sequence[str]) -> Kind | None:
    """Return the kind of what is owned, by its last noun: "my older sister", "my boss Ann"."""
    for word in reversed(owned):
        bare = word.removesuffix("'s")
        if bare in nouns() or bare in listed("described"):
            return nouns().get(bare, Kind.PROFILE)
    return None


def _with_verb(clause: PlainClause, words: Sequence[str]) -> PlainClause | None:
    """Return the clause with its verb, which comes after any adverbs and negations."""
    low = [word.lower() for word in words]
    at = _after_adverbs(low, 0)
    if at >= len(low):
        return None
    verb, rest = low[at], at + 1
    if verb in ("have", "has", "had"):
        verb, rest = _perfect(low, verb, rest)
    before = (*low[:at], *low[at + 1 : rest])
    return replace(clause, before=tuple(before), verb=verb, rest=tuple(words[rest:]))


def _after_adverbs(low: Sequence[str], at: int) -> int:
    while at < len(low) and _is_before_verb(low, at):
        at += 1
    return at


def _is_before_verb(low: Sequence[str], at: int) -> bool:
    if low[at] in ("do", "does", "did", "can") and low[at + 1 : at + 2] == ["not"]:
        return True
    return low[at] in listed("adverbs") or low[at] in listed("negations")


def _perfect(low: Sequence[str], verb: str, at: int) -> tuple[str, int]:
    """Return the verb and the place of the rest: with a participle after "have", that one."""
    after = _after_adverbs(low, at)
    word = low[after] if after < len(low) else ""
    known = verbs().get(word)
    if word == "been":
        return "am", after + 1
    if word == "got":
        return "have", after + 1
    return (word, after + 1) if known and known.tense is Tense.PAST else (verb, after)
