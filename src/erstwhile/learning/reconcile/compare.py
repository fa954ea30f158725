"""Compare two statements.

Each rule covers one relation and returns a result only if it applies. The first result counts.
Without any, the statements are independent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from erstwhile.core.text import folded
from erstwhile.learning.reconcile.comparison import (
    APART,
    Comparison,
    Sense,
    apart,
    changed,
    contradicts,
    same,
)
from erstwhile.learning.reconcile.statement import (
    Statement,
    StatementPart,
    names_in,
    read,
    words_of,
)
from erstwhile.learning.reconcile.values import (
    is_time,
    other_number,
    other_preference,
    other_value,
    slot_of,
)

_OPINIONS = ("⟨like⟩", "⟨prefer⟩")
_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")
_BESIDES = "it names the old value, but the rest of its content differs"


@dataclass(frozen=True, slots=True)
class StatementPair:
    """Two statements, and the parts of each that the other does not have."""

    new: Statement
    known: Statement
    more: tuple[StatementPart, ...]
    """The parts that only the new statement has."""
    less: tuple[StatementPart, ...]
    """The parts that only the known statement has."""
    instead: tuple[tuple[str, ...], ...]
    """The values that the new statement replaces."""


ComparisonRule: TypeAlias = Callable[[StatementPair], Comparison | None]


def compare(new: str, known: str, instead_of: Sequence[str] = ()) -> Comparison:
    """Return the relation of a new text to a known one."""
    if folded(new) == folded(known):
        return same("the same text")
    pair = _paired(new, known, instead_of)
    answers = (rule(pair) for rule in RULES)
    return next((answer for answer in answers if answer is not None), APART)


def says_it_is_current(text: str) -> bool:
    """Return whether a text says that it is true now."""
    return read(text, names_in(text)).current


def other_number_only(new: str, known: str) -> bool:
    """Return whether two texts differ in one number only, in any language."""
    one, two = _NUMBERS.split(folded(new)), _NUMBERS.split(folded(known))
    values = zip(_NUMBERS.findall(new), _NUMBERS.findall(known), strict=False)
    return len(one) > 1 and one == two and sum(a != b for a, b in values) == 1


def _paired(new: str, known: str, instead_of: Sequence[str]) -> StatementPair:
    names = names_in(new, known)
    one, two = read(new, names), read(known, names)
    dropped = tuple(words_of(value, names) for value in instead_of)
    more, less = _without(one.parts, two.parts), _without(two.parts, one.parts)
    return StatementPair(one, two, more, less, tuple(filter(None, (*one.instead, *dropped))))


def _without(
    parts: Sequence[StatementPart], others: Sequence[StatementPart]
) -> tuple[StatementPart, ...]:
    left, rest = list(others), []
    for part in parts:
        if part in left:
            left.remove(part)
        else:
            rest.append(part)
    return tuple(rest)


def _same_content(pair: StatementPair) -> Comparison | None:
    if pair.more or pair.less or pair.new.manner != pair.known.manner or not pair.new.parts:
        return None
    alike = set(pair.new.instead) == set(pair.known.instead)
    return same("the same content") if alike else None


def _other_manner(pair: StatementPair) -> Comparison | None:
    """Keep statements apart if one is about the past, the future, a possibility or a short time."""
    return apart("another time or mood") if pair.new.manner or pair.known.manner else None


def _named_as_old(pair: StatementPair) -> Comparison | None:
    """Find a known value that the new statement names as replaced."""
    for value in pair.instead:
        for old in pair.known.parts:
            for new in pair.new.parts:
                if _replaces(new, old, value):
                    return _in_place(pair, new, old)
    return None


def _replaces(new: StatementPart, old: StatementPart, value: tuple[str, ...]) -> bool:
    """Return whether two parts differ only in the value."""
    places = range(1, len(old.words) - len(value) + 1)
    for at in places:
        after = old.words[at + len(value) :]
        fits = old.words[at : at + len(value)] == value and new.words[:at] == old.words[:at]
        tail = new.words[len(new.words) - len(after) :]
        if fits and tail == after and len(new.words) > at + len(after):
            return new.negated == old.negated and new.words != old.words
    return False


def _in_place(pair: StatementPair, new: StatementPart, old: StatementPart) -> Comparison:
    more = [part for part in pair.more if part is not new and not part.harmless]
    less = [part for part in pair.less if part is not old]
    if more or less:
        return contradicts(_BESIDES)
    return changed("it names the old value")


def _begins_with_old(pair: StatementPair) -> Comparison | None:
    """Find a known statement with more words after the old value: 用npm管理依赖."""
    for value in pair.instead:
        for old in pair.known.parts:
            for new in pair.new.parts:
                if _begin_alike(new, old, value) and new.negated == old.negated:
                    return contradicts(_BESIDES)
    return None


def _begin_alike(new: StatementPart, old: StatementPart, value: tuple[str, ...]) -> bool:
    """Return whether the parts are equal up to the place of the old value."""
    pairs = enumerate(zip(new.words, old.words, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), 0)
    return at > 0 and old.words[at : at + len(value)] == value


def _negated(pair: StatementPair) -> Comparison | None:
    if len(pair.more) != 1 or len(pair.less) != 1:
        return None
    new, old = pair.more[0], pair.less[0]
    if new.words != old.words or pair.new.manner != pair.known.manner:
        return None
    if pair.new.manner:
        return contradicts("the opposite")
    if pair.new.current:
        return changed("it says that this changed")
    if any(mark in new.words for mark in _OPINIONS):
        return changed("the opposite opinion")
    return contradicts("the opposite")


def _other_value(pair: StatementPair) -> Comparison | None:
    """Find another value of the same attribute of the same subject."""
    for new in pair.more:
        for old in pair.less:
            one, two = slot_of(new), slot_of(old)
            if one and two and one[:2] == two[:2] and not (new.negated or old.negated):
                result = other_value(one, two, pair.new.names)
                return _as_far_as_qualified(result, pair, new, old)
    return None


def _as_far_as_qualified(
    result: Comparison, pair: StatementPair, new: StatementPart, old: StatementPart
) -> Comparison:
    """Weaken a change if qualifiers may make both true: "in winter", "in summer"."""
    more = [part for part in pair.more if part is not new and not part.harmless]
    less = [part for part in pair.less if part is not old]
    if not more and not less:
        return _doubted(result) if pair.instead else result
    timed = (any(is_time(word) for part in parts for word in part.words) for parts in (more, less))
    return apart("each is true at its own time") if all(timed) else _doubted(result)


def _doubted(result: Comparison) -> Comparison:
    if result.sense is not Sense.CHANGED:
        return result
    return contradicts("another value, but perhaps of another attribute")


def _one_part_differs(pair: StatementPair) -> Comparison | None:
    if len(pair.more) != 1 or len(pair.less) != 1:
        return None
    new, old = pair.more[0], pair.less[0]
    if new.negated or old.negated:
        return None  # two negations do not exclude each other
    return other_preference(new, old) or other_number(new, old, pair.new.current)


def _same_purpose(pair: StatementPair) -> Comparison | None:
    """Find two tools for the same purpose."""
    if len(pair.more) != 1 or len(pair.less) != 1:
        return None
    new, old = pair.more[0].words, pair.less[0].words
    purposes = [part for part in pair.new.parts if part.words[0] in ("for", "as")]
    used = (
        new[:2] == old[:2] and new[1:2] == ("use",) and pair.more[0].negated == pair.less[0].negated
    )
    return contradicts("another tool for the same purpose") if purposes and used else None


def _other_order(pair: StatementPair) -> Comparison | None:
    """Find the same words in another order: subject and object may be exchanged."""
    if sorted(pair.new.content) != sorted(pair.known.content):
        return None
    return contradicts("the same words in another order") if pair.more else None


RULES: tuple[ComparisonRule, ...] = (
    _same_content,
    _negated,
    _other_manner,
    _named_as_old,
    _begins_with_old,
    _other_value,
    _one_part_differs,
    _same_purpose,
    _other_order,
)
