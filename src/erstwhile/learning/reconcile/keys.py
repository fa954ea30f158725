"""Check whether a statement can be the value of a key of the user, such as "home".

A new value of a key retires the former value. So the value that a model gives must be only about
the user, must be true now, and must not belong to another key.
"""

from __future__ import annotations

import re
from functools import cache

from erstwhile.learning.reconcile.statement import names_in, read
from erstwhile.learning.reconcile.words import any_of, listed, phrases, words

_MARKED_KEYS = ("home", "employer")
"""Keys whose attribute is visible in a statement: a place of work is not a home."""
_UNSURE = frozenset(("ahead", "also"))
_DAY = re.compile(
    r"(?<![^\W\d_])[^\W\d_]{3,}+\.? \d{1,2}\b"
    r"|\b\d{1,2}(?:st|nd|rd|th)?\.? (?:of )?[^\W\d_]{3,}|\d[-/.]\d|\d月"
)
"""A day of a month, in any spelling."""
_EVER_SINCE = re.compile(r"\bha(?:s|ve) (?:lived|worked)\b")


def can_be_value(key: str, text: str, user: str | None = None) -> bool:
    """Return whether a text can be the value of the key; `user` is a name of the user."""
    if key == "birthday" and not _DAY.search(text):
        return False  # a year alone is not another birthday
    return _is_of_user(key, text, user) and _is_so_now(text) and not _is_of_another(key, text)


def _is_of_user(key: str, text: str, user: str | None) -> bool:
    """Return whether a text is about the user: "the user's name", not "the user's cat"."""
    about = _subject(user).match(text)
    if about is None:
        return False
    owned = _owned().match(text, about.end())
    return owned is None or _nouns(key).match(text, owned.end()) is not None


def _is_so_now(text: str) -> bool:
    statement = read(text, names_in(text))
    negated = any(part.negated for part in statement.parts)
    former = phrases("key", "former").search(_EVER_SINCE.sub("", text.lower()))
    return not (negated or former or statement.manner & _UNSURE)


def _is_of_another(key: str, text: str) -> bool:
    content = read(text, names_in(text)).content
    marked = {name for name in _MARKED_KEYS if f"⟨{name}⟩" in content}
    return bool(marked) and key in _MARKED_KEYS and key not in marked


@cache
def _subject(user: str | None) -> re.Pattern[str]:
    names = "|".join(map(re.escape, [*listed("key", "user"), *([user] if user else [])]))
    return re.compile(rf"(?:the |el |la |le |l['’]|der |die |de |o |a )?(?:{names})", re.IGNORECASE)


@cache
def _owned() -> re.Pattern[str]:
    """Return a pattern for possessives after the user, in English and Chinese."""
    described = any_of(listed("key", "describing"))
    return re.compile(rf"['’]s? (?:{described} )*|的(?:{described})*", re.IGNORECASE)


@cache
def _nouns(key: str) -> re.Pattern[str]:
    return re.compile(any_of(words()["key"]["nouns"].get(key, [key])), re.IGNORECASE)
