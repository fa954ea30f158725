"""Whether a statement can be the one value of something that the user has, such as a home.

A key alone retires the value before it, so what a model calls the value of one is looked at: it
must be about the user and nobody else, be so now, and not speak plainly of another matter.
"""

from __future__ import annotations

import re
from functools import cache

from erstwhile.learning.reconcile.statement import names_in, read
from erstwhile.learning.reconcile.words import any_of, listed, phrases, words

_TOLD_APART = ("home", "employer")
"""Keys that statements are marked for: who works somewhere does not live there."""
_UNSURE = frozenset(("ahead", "also"))
_DAY = re.compile(
    r"[^\W\d_]{3,}\.? \d{1,2}\b|\b\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?[^\W\d_]{3,}|\d[-/.]\d|\d月"
)
"""A day of some month, however it is written."""
_EVER_SINCE = re.compile(r"\bha(?:s|ve) (?:lived|worked)\b")


def can_be_value(key: str, text: str, user: str | None = None) -> bool:
    """`user` is a name under which the user may be spoken of."""
    if key == "birthday" and not _DAY.search(text):
        return False  # of a birthday the year is no other value
    return _is_of_user(key, text, user) and _is_so_now(text) and not _is_of_another(key, text)


def _is_of_user(key: str, text: str, user: str | None) -> bool:
    """Also "the user's name", but not "the user's cat"."""
    about = _subject(user).match(text)
    if about is None:
        return False
    owned = _owned().match(text, about.end())
    return owned is None or _nouns(key).match(text, owned.end()) is not None


def _is_so_now(text: str) -> bool:
    said = read(text, names_in(text))
    negated = any(part.negated for part in said.parts)
    former = phrases("key", "former").search(_EVER_SINCE.sub("", text.lower()))
    return not (negated or former or said.manner & _UNSURE)


def _is_of_another(key: str, text: str) -> bool:
    content = read(text, names_in(text)).content
    marked = {name for name in _TOLD_APART if f"⟨{name}⟩" in content}
    return bool(marked) and key in _TOLD_APART and key not in marked


@cache
def _subject(user: str | None) -> re.Pattern[str]:
    names = "|".join(map(re.escape, [*listed("key", "user"), *([user] if user else [])]))
    return re.compile(rf"(?:the |el |la |le |l['’]|der |die |de |o |a )?(?:{names})", re.IGNORECASE)


@cache
def _owned() -> re.Pattern[str]:
    """In the languages in which it is known what may follow."""
    described = any_of(listed("key", "describing"))
    return re.compile(rf"['’]s? (?:{described} )*|的(?:{described})*", re.IGNORECASE)


@cache
def _nouns(key: str) -> re.Pattern[str]:
    return re.compile(any_of(words()["key"]["nouns"].get(key, [key])), re.IGNORECASE)
