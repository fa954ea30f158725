"""What follows an English verb: nouns of life, names, tools, and what some verbs need."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from erstwhile.core.kinds import Kind
from erstwhile.learning.moods import is_temporary
from erstwhile.learning.patterns.english_words import listed as english_words
from erstwhile.learning.patterns.plain.complements import complement_kind
from erstwhile.learning.patterns.plain.words import Tense, Verb, listed, nouns, part, verbs

Rest: TypeAlias = Sequence[str]
"""The words after a verb."""
_EXPERIENCE = re.compile(r"years? (?:of )?(?:\w+ )?experience")
_STRANGE = re.compile(r"\b(?:times?|world|fear|moment|era|age of|hope)\b", re.IGNORECASE)
_NO_WORKPLACE = re.compile(r"\b(?:me|us|progress|vain|parallel|scratch|at night|dreams)\b")
_HOME = re.compile(r"\b(?:house|home|flat|apartment|here|abroad|out|in with)\b")
_PLACE = re.compile(r"\b(?:to|from|into) (?:the )?[A-Z]")
_PEOPLE = re.compile(r"\b(?:team|people|staff|department|store|shop|company|group)\b")
_YEARS = re.compile(r"(?:\d{2}|\w+ty(?:-\w+)?|eighteen)\b")
_LONGEST_OBJECT = 8


def life(words: Rest) -> Kind | None:
    """Return the kind of a statement about the nouns of life among the words."""
    found = [nouns()[low] for word in words if (low := _bare(word)) in nouns()]
    return Kind.RELATION if Kind.RELATION in found else (found[0] if found else None)


def head(rest: Rest) -> Rest:
    """Return the words of an object: up to a preposition behind its noun."""
    for at, word in enumerate(rest):
        if at and word.lower() in listed("prepositions"):
            return rest[:at] if life(rest[:at]) else rest[: at + 5]
    return rest[:_LONGEST_OBJECT]


def names_someone(text: str) -> bool:
    """Return whether a text has a name, or a word such as "sister"."""
    words = text.split()
    kin = any(nouns().get(_bare(word)) is Kind.RELATION for word in words)
    return kin or any(word[:1].isupper() and word != "I" for word in words)


def is_tool(rest: Rest) -> bool:
    return bool(rest) and part("tool").begins(" ".join(rest))


def _bare(word: str) -> str:
    return word.lower().strip(",.")


def _has_any(rest: Rest, *names: str) -> bool:
    """Return whether one of the words is in one of the lists."""
    return any(_bare(word) in listed(name) for word in rest for name in names)


def _is_about_tools(rest: Rest) -> bool:
    return not english_words("tools").isdisjoint(map(_bare, rest))


def _is_had(rest: Rest, text: str, verb: Verb) -> bool:
    """Return whether "have" is followed by something one has for long."""
    low = [word.lower() for word in rest]
    if not low or low[0].endswith("ed"):
        return False
    place = next((at for at, word in enumerate(low) if at and word in listed("prepositions")), 8)
    noun = rest[: min(place, _LONGEST_OBJECT)]
    close = _has_any(noun, "kin", "pets", "health") or part("date").is_in(text)
    if verb.tense is Tense.PAST and not close:
        return False
    if life(noun) or _EXPERIENCE.search(text):
        return True
    article = low[0] in ("a", "an", "my", "two", "three", "our")
    return article and len(noun) > 1 and noun[-1][:1].isupper() and noun[-1].isalpha()


def _is_got(rest: Rest, _text: str, verb: Verb) -> bool:
    if verb.tense is not Tense.PAST:
        return _has_any(rest[:3], "health")
    return _has_any(rest[:1], "changed") or life(head(rest)[:6]) is not None


def _is_liked(rest: Rest, _text: str, _verb: Verb) -> bool:
    low = [word.lower() for word in rest]
    if low[:1] == ["to"]:
        return len(low) > 1 and low[1] in verbs() and verbs()[low[1]].telling
    if low[:1] == ["the"]:
        return len(rest) > 1 and rest[1][:1].isupper()
    return bool(low) and low[0] not in listed("empty")


def _is_lived_in(rest: Rest, text: str, _verb: Verb) -> bool:
    known = _has_any(rest[:1], "lived_in") and not _STRANGE.search(text)
    return known and not _is_about_tools(rest) and not is_temporary(text)


def _is_worked_at(rest: Rest, text: str, _verb: Verb) -> bool:
    placed = _has_any(rest[:1], "worked_at") and (len(rest) > 1 or rest[0] not in ("at", "for"))
    return placed and not _NO_WORKPLACE.search(text) and not is_temporary(text)


def _is_moved_to(rest: Rest, text: str, _verb: Verb) -> bool:
    somewhere = _HOME.search(text) or _PLACE.search(text)
    return bool(somewhere) and not _is_about_tools(rest) and not is_temporary(text)


def _is_joined(rest: Rest, _text: str, _verb: Verb) -> bool:
    known = rest[0][:1].isupper() or life(rest[:6]) is not None
    return known and not _is_about_tools(rest)


def _is_turned(_rest: Rest, text: str, verb: Verb) -> bool:
    return verb.tense is Tense.PAST and _YEARS.match(text) is not None


def _is_stopped(rest: Rest, text: str, _verb: Verb) -> bool:
    known = life(rest[:4]) is not None or part("date").is_in(text)
    return rest[0].lower().endswith("ing") and known


Needed: TypeAlias = Callable[[Rest, str, Verb], bool]
NEEDED: dict[str, Needed] = {
    "have": _is_had,
    "get": _is_got,
    "live": _is_lived_in,
    "work": _is_worked_at,
    "move": _is_moved_to,
    "join": _is_joined,
    "turn": _is_turned,
    "stop": _is_stopped,
    "speak": lambda rest, _text, _verb: _has_any(rest[:6], "languages"),
    "support": lambda rest, _text, _verb: rest[0][:1].isupper(),
    "need": lambda rest, _text, _verb: _has_any(rest[:4], "health"),
    "keep": lambda rest, _text, _verb: _has_any(rest[:3], "pets"),
    "believe": lambda rest, _text, _verb: rest[0] == "in" and len(rest) > 1,
    "become": lambda rest, text, _verb: complement_kind(rest, text) is not None,
    "use": lambda rest, _text, _verb: is_tool(rest),
    **dict.fromkeys(("manage", "lead"), lambda _rest, text, _verb: bool(_PEOPLE.search(text))),
    **dict.fromkeys(sorted(listed("liking")), _is_liked),
}
"""What verbs with many senses need after them."""
