"""Decide whether two values compete for one single-valued attribute."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from erstwhile.learning.reconcile.comparison import (
    SEVERAL,
    Comparison,
    apart,
    changed,
    contradicts,
)
from erstwhile.learning.reconcile.statement import StatementPart, is_unspaced, words_of
from erstwhile.learning.reconcile.words import as_set, listed, words

_MAX_WORDS = 6
_MAX_SIGNS = 6
"""The longest value, in words or in characters of unspaced scripts. Longer ones are sentences."""
_LONGEST_NAME = 3
"""The longest name of a person in Chinese."""
_PIECE = re.compile(r"\w+")
_ROLES = ("is", "one", "only", "main")


class Slot(NamedTuple):
    """A subject, the mark of an attribute, and its value."""

    subject: tuple[str, ...]
    mark: str
    value: tuple[str, ...]


def slot_of(part: StatementPart) -> Slot | None:
    """Return the slot at the last mark of a part; None if there is no value."""
    marks = [at for at, word in enumerate(part.words) if word in _open_marks()]
    if not marks or marks[-1] == 0:
        return None
    at = marks[-1]
    value = part.words[at + 1 :]
    return Slot(part.words[:at], part.words[at], value) if value else None


def is_time(word: str) -> bool:
    """Return whether a word is a time or a season."""
    return word.startswith("@") or word in as_set("calendar", "seasons")


def other_value(new: Slot, known: Slot, names: frozenset[str]) -> Comparison:
    """Compare two values of an attribute; reasons for doubt are checked first."""
    if _pieces(new.value) <= _pieces(known.value) or _pieces(known.value) <= _pieces(new.value):
        return apart("one value is more exact than the other")
    if not _is_one_thing(new, names) or not _is_one_thing(known, names):
        describes = new.mark in _marks(_ROLES)
        return (
            apart("it describes the thing and does not name it")
            if describes
            else contradicts("probably not a value")
        )
    if _look(new.value) != _look(known.value):
        return contradicts("another kind of value")
    if not (_fits(new, names) and _fits(known, names)):
        return apart("subject and value do not fit the attribute")
    if not (_is_named(new) and _is_named(known)):
        return contradicts("perhaps not a name")
    if _several(new.subject) or new.mark in _marks(words()["doubtful"]):
        return contradicts(SEVERAL)
    if _wide(new.value) is not _wide(known.value):
        return contradicts("one place may be inside the other")
    if _abbreviates(new.value, known.value) or _abbreviates(known.value, new.value):
        return contradicts("one value may be an abbreviation of the other")
    return changed("another value of a single-valued attribute")


def other_number(new: StatementPart, known: StatementPart, current: bool) -> Comparison | None:
    """Compare two parts that differ only in one number or time."""
    at = _single_difference(new.words, known.words)
    if at is None:
        return None
    if _is_measured(new.words, at) or (current and _is_topic(new, at)):
        return changed("another number or time of a single-valued attribute")
    if new.words[at][0] == "#":
        named = not new.qualifies and at <= (2 if is_unspaced(new.words[0]) else 1)
        return apart("another subject") if named else contradicts("another number")
    on_a_day = ":" not in new.words[at] and not _measures().intersection(new.words[:at])
    return apart("another time") if on_a_day else contradicts("another time")


def _is_measured(found: Sequence[str], at: int) -> bool:
    """Return whether a mark before the number shows a single-valued attribute."""
    marks = [place for place in range(at) if found[place] in _measures()]
    if not marks or _joined(found[: marks[0]]) in _stems("role", "bare"):
        return False
    mark, between = found[marks[-1]], at - marks[-1] - 1
    if mark == "⟨runs⟩":
        # "Runs Postgres 16", not "runs 5 km"; on Tuesdays there may be another one.
        return (
            between > 0
            if found[at][0] == "#"
            else bool(_stems("calendar", "recurring") & set(found))
        )
    return True


def _is_topic(part: StatementPart, at: int) -> bool:
    """Return whether the number is the topic, and not part of the name of the subject."""
    return at == 1 if part.qualifies else 1 < at == len(part.words) - 1


def other_preference(new: StatementPart, known: StatementPart) -> Comparison | None:
    """Compare two preferences between things of one sort."""
    if "⟨prefer⟩" not in new.words or "⟨prefer⟩" not in known.words:
        return None
    at, other = new.words.index("⟨prefer⟩"), known.words.index("⟨prefer⟩")
    if new.words[:at] != known.words[:other]:
        return None
    one, two = new.words[at + 1 :], known.words[other + 1 :]
    if _opposite(one, two):
        return changed("the opposite is preferred")
    narrower = set(one) <= set(two) or set(two) <= set(one)
    if _head(one) and _head(one) == _head(two) and not narrower:
        return contradicts("another thing of the same sort is preferred")
    return None


def _head(value: Sequence[str]) -> tuple[str, ...]:
    """Return the sort of a thing: the last word of several, or the last two characters."""
    tail = 2 if len(value) > 3 and is_unspaced(value[-1]) else 1
    return tuple(value[-tail:]) if len(value) > tail else ()


def _opposite(one: Sequence[str], two: Sequence[str]) -> bool:
    """Return whether they differ only in words that exclude each other."""
    texts = " ".join(one), " ".join(two)
    for first, second in _opposites():
        for left, right in ((first, second), (second, first)):
            if left in texts[0] and texts[0].replace(left, right) == texts[1]:
                return True
    return False


def _single_difference(one: Sequence[str], two: Sequence[str]) -> int | None:
    if len(one) != len(two):
        return None
    differing = [at for at, word in enumerate(one) if word != two[at]]
    if len(differing) != 1:
        return None
    at = differing[0]
    alike = one[at][0] == two[at][0] and one[at][0] in "#@"
    return at if alike else None


def _pieces(value: Sequence[str]) -> set[str]:
    return {piece for word in value for piece in _PIECE.findall(word)}


def _look(value: Sequence[str]) -> str:
    if is_time(value[0]):
        return "time"
    return "number" if value[0][0] == "#" else "name"


def _is_one_thing(slot: Slot, names: frozenset[str]) -> bool:
    """Return whether the value is a name, number or date of one thing, and not a description."""
    if len(slot.value) > (_MAX_SIGNS if is_unspaced(slot.value[0]) else _MAX_WORDS):
        return False
    if _look(slot.value) != "name" or slot.mark in _plain_marks() or is_unspaced(slot.subject[-1]):
        return True
    return any(word in names or not (word[0] in "#@" or word.isalpha()) for word in slot.value)


def _fits(slot: Slot, names: frozenset[str]) -> bool:
    """Return whether subject and value fit the attribute: a person does not live in a team."""
    subject = slot.subject[-1]
    if slot.mark in _marks(("home", "employer")) and _is_elsewhere(slot.value):
        return False
    if slot.mark == "⟨employer⟩" and _is_place(_joined(slot.value)):
        return False
    if slot.mark in _marks(("employer", "study", "married")):
        return (
            subject in names
            or subject == "user"
            or is_unspaced(subject)
            or subject in _stems("role", "kin")
        )
    return True


def _is_named(slot: Slot) -> bool:
    """Return whether a Chinese value is a name: 住在酒店 and 妻子是医生 contain none."""
    if not is_unspaced(slot.value[0]):
        return True
    if slot.mark == "⟨home⟩":
        return _is_place(_joined(slot.value)) or _begins_with_a_place(_joined(slot.value))
    if _joined(slot.subject).endswith(tuple(listed("role", "people"))):
        return slot.value[0] in as_set("role", "surnames") and len(slot.value) <= _LONGEST_NAME
    return True


def _begins_with_a_place(value: str) -> bool:
    return value.startswith(tuple(listed("place", "wide") + listed("place", "towns")))


def _is_elsewhere(value: Sequence[str]) -> bool:
    indoors = _joined(value).endswith(tuple(listed("place", "indoors")))
    return indoors or not as_set("place", "elsewhere").isdisjoint(value)


def _is_place(value: str) -> bool:
    """Return whether a value is a place: 在上海工作 names no employer."""
    known = as_set("place", "wide") | as_set("place", "towns")
    return value in known or value.endswith(tuple(listed("place", "endings")))


def _wide(value: Sequence[str]) -> bool:
    return _joined(value) in as_set("place", "wide")


def _abbreviates(short: Sequence[str], long: Sequence[str]) -> bool:
    """Return whether a word begins with the initials of several: NYC, New York."""
    initials = "".join(word[0] for word in long)
    return len(short) == 1 < len(long) and short[0].startswith(initials)


def _several(subject: Sequence[str]) -> bool:
    """Return whether several subjects may match the words, so that the subject is unclear."""
    text = _joined(subject)
    kin = text.endswith(tuple(_stems("role", "several")))
    return kin or text in _stems("role", "bare") or bool({"has", "有", "#1"} & set(subject))


def _joined(found: Sequence[str]) -> str:
    return ("" if is_unspaced(found[-1]) else " ").join(found)


@cache
def _open_marks() -> frozenset[str]:
    return _marks(words()["attribute"]) | _marks(words()["doubtful"]) | _marks(_ROLES)


@cache
def _plain_marks() -> frozenset[str]:
    """Return the marks whose values need no capitals: a product may be called "orbit"."""
    return _marks(("name", "branch", "one", "only"))


@cache
def _measures() -> frozenset[str]:
    return _marks(words()["measure"]) | _open_marks()


def _marks(names: Sequence[str]) -> frozenset[str]:
    return frozenset(f"⟨{name}⟩" for name in names)


@cache
def _stems(*path: str) -> frozenset[str]:
    """Return a list of words in the form that they have in statements."""
    return frozenset(_joined(words_of(word, frozenset())) for word in listed(*path))


@cache
def _opposites() -> tuple[tuple[str, str], ...]:
    """Return the pairs of opposites in the form that they have in statements."""
    pairs = listed("opposite", "pairs")
    one_way = [tuple(" ".join(words_of(word, frozenset())) for word in pair) for pair in pairs]
    return tuple((one, two) for one, two in one_way)
