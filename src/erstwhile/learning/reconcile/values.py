"""When two values are two values of one thing, of which it has one at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from erstwhile.learning.reconcile.comparison import Comparison, apart, changed, contradicts
from erstwhile.learning.reconcile.statement import StatementPart, is_unspaced, words_of
from erstwhile.learning.reconcile.words import as_set, listed, words

_MAX_WORDS = 6
_MAX_SIGNS = 6
"""Longer values are sentences, in which much may differ; signs are those of unspaced scripts."""
_LONGEST_NAME = 3
"""Of a person, in Chinese."""
_PIECE = re.compile(r"\w+")
_ROLES = ("is", "one", "only", "main")


class Slot(NamedTuple):
    """Of whom, what is said, and the value."""

    subject: tuple[str, ...]
    mark: str
    value: tuple[str, ...]


def slot_of(part: StatementPart) -> Slot | None:
    """The place for a value behind the last mark of a part."""
    marks = [at for at, word in enumerate(part.words) if word in _open_marks()]
    if not marks or marks[-1] == 0:
        return None
    at = marks[-1]
    value = part.words[at + 1 :]
    return Slot(part.words[:at], part.words[at], value) if value else None


def is_time(word: str) -> bool:
    return word.startswith("@") or word in as_set("calendar", "seasons")


def other_value(said: Slot, known: Slot, names: frozenset[str]) -> Comparison:
    """Whether one value takes the place of the other; whatever leaves a doubt comes first."""
    if _pieces(said.value) <= _pieces(known.value) or _pieces(known.value) <= _pieces(said.value):
        return apart("more or less exact")
    if not _is_one_thing(said, names) or not _is_one_thing(known, names):
        describes = said.mark in _marks(_ROLES)
        return apart("how it is, not which") if describes else contradicts("hardly a value")
    if _look(said.value) != _look(known.value):
        return contradicts("another kind of value")
    if not (_fits(said, names) and _fits(known, names)):
        return apart("not quite the same is said")
    if not (_is_named(said) and _is_named(known)):
        return contradicts("perhaps no name")
    if _several(said.subject) or said.mark in _marks(words()["doubtful"]):
        return contradicts("there may be several of them")
    if _wide(said.value) is not _wide(known.value):
        return contradicts("one place may lie in the other")
    if _abbreviates(said.value, known.value) or _abbreviates(known.value, said.value):
        return contradicts("one may be short for the other")
    return changed("another value of what has one at a time")


def other_number(said: StatementPart, known: StatementPart, current: bool) -> Comparison | None:
    """The same words, but for one number or time."""
    at = _single_difference(said.words, known.words)
    if at is None:
        return None
    if _is_measured(said.words, at) or (current and _is_what_is_said(said, at)):
        return changed("another number or time of what has one at a time")
    if said.words[at][0] == "#":
        named = not said.qualifies and at <= (2 if is_unspaced(said.words[0]) else 1)
        return apart("another subject") if named else contradicts("another number")
    on_a_day = ":" not in said.words[at] and not _measures().intersection(said.words[:at])
    return apart("another time") if on_a_day else contradicts("another time")


def _is_measured(found: Sequence[str], at: int) -> bool:
    """Whether a mark before the number says that there is one of it."""
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


def _is_what_is_said(part: StatementPart, at: int) -> bool:
    """Whether the number is what the sentence is about, and not in the name of its subject."""
    return at == 1 if part.qualifies else 1 < at == len(part.words) - 1


def other_preference(said: StatementPart, known: StatementPart) -> Comparison | None:
    """Of two things of one sort, the other is preferred."""
    if "⟨prefer⟩" not in said.words or "⟨prefer⟩" not in known.words:
        return None
    at, other = said.words.index("⟨prefer⟩"), known.words.index("⟨prefer⟩")
    if said.words[:at] != known.words[:other]:
        return None
    one, two = said.words[at + 1 :], known.words[other + 1 :]
    if _opposite(one, two):
        return changed("the opposite is preferred")
    narrower = set(one) <= set(two) or set(two) <= set(one)
    if _head(one) and _head(one) == _head(two) and not narrower:
        return contradicts("another of the same sort is preferred")
    return None


def _head(value: Sequence[str]) -> tuple[str, ...]:
    """What sort of thing it is: the last word of several, the last two signs."""
    tail = 2 if len(value) > 3 and is_unspaced(value[-1]) else 1
    return tuple(value[-tail:]) if len(value) > tail else ()


def _opposite(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether they differ in words that exclude each other, and in nothing else."""
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
    """Whether the value can be the name, number or date of one thing, and no description."""
    if len(slot.value) > (_MAX_SIGNS if is_unspaced(slot.value[0]) else _MAX_WORDS):
        return False
    if _look(slot.value) != "name" or slot.mark in _plain_marks() or is_unspaced(slot.subject[-1]):
        return True
    return any(word in names or not (word[0] in "#@" or word.isalpha()) for word in slot.value)


def _fits(slot: Slot, names: frozenset[str]) -> bool:
    """Whether the mark means what it seems to: nobody lives in a team, no fix has an employer."""
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
    """Chinese has no capitals: 住在酒店 names no town, and 妻子是医生 nobody."""
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
    """在上海工作 names no employer."""
    known = as_set("place", "wide") | as_set("place", "towns")
    return value in known or value.endswith(tuple(listed("place", "endings")))


def _wide(value: Sequence[str]) -> bool:
    return _joined(value) in as_set("place", "wide")


def _abbreviates(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether one word begins with the first letters of several: NYC, New York."""
    initials = "".join(word[0] for word in long)
    return len(short) == 1 < len(long) and short[0].startswith(initials)


def _several(subject: Sequence[str]) -> bool:
    """Whether somebody has one of them, and so may have another; or nobody knows which it is."""
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
    """Those whose values need not be names: a product may be called "orbit"."""
    return _marks(("name", "branch", "one", "only"))


@cache
def _measures() -> frozenset[str]:
    return _marks(words()["measure"]) | _open_marks()


def _marks(names: Sequence[str]) -> frozenset[str]:
    return frozenset(f"⟨{name}⟩" for name in names)


@cache
def _stems(*path: str) -> frozenset[str]:
    """A list as its words stand in statements."""
    return frozenset(_joined(words_of(word, frozenset())) for word in listed(*path))


@cache
def _opposites() -> tuple[tuple[str, str], ...]:
    """As they stand between words: Chinese ones sign by sign."""
    pairs = listed("opposite", "pairs")
    one_way = [tuple(" ".join(words_of(word, frozenset())) for word in pair) for pair in pairs]
    return tuple((one, two) for one, two in one_way)
