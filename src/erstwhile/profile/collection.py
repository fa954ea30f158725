"""The collection `memory.profile`: the values under keys, as text, and the language."""

from __future__ import annotations

import builtins
from collections.abc import Iterable

from erstwhile.core.kinds import Kind, Origin, State
from erstwhile.core.language import LANGUAGE_KEY, LanguageGuess, checked_language
from erstwhile.core.text import checked_text
from erstwhile.core.time import Moment
from erstwhile.facts import remembering
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.search.language import detect
from erstwhile.storage.collection import Collection
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_MAX_TEXT = 100_000
_LANGUAGE = {"key": LANGUAGE_KEY}
_FIRST_KEYS = (
    "name", "preferred name", "preferred_name", "pronouns", "language", "birthday",
    "timezone", "time zone", "time_zone", "location", "city", "country",
    "role", "occupation", "company", "team",
)  # fmt: skip
"""The keys at the beginning of a profile: identity first, then place and work."""
_POSITIONS = {key: position for position, key in enumerate(_FIRST_KEYS)}


class Profile(Collection):
    """The facts that have a key and describe a person; `facts.set` writes them."""

    def values(
        self, *, as_of: Moment | None = None, known_at: Moment | None = None
    ) -> builtins.list[Fact]:
        """Return the live value of each key from the narrowest visible scope, in a fixed order."""
        return sort_values(self._access.ask(live_values, as_of, known_at))

    def text(self, *, as_of: Moment | None = None, known_at: Moment | None = None) -> str:
        """Return the values as text for a prompt: one line for each key, or an empty text.

        The same values give the same text, so that prompts can be cached.
        """
        values = self.values(as_of=as_of, known_at=known_at)
        return "\n".join(" ".join(value_line(fact).split()) for fact in values)

    def language(self) -> str | None:
        """Return the language to answer in: the value of the key `language`, or None."""
        rows = self._access.ask(lambda view: view.rows("find_value", _LANGUAGE, State.LIVE))
        return to_fact(rows[0]).text if rows else None

    def set_language(self, code: str) -> Fact:
        """Set the language to answer in by its code, such as "de" or "pt-br"."""
        value = draft(
            checked_language(code),
            key=LANGUAGE_KEY,
            kind=Kind.PROFILE,
            now=self._access.clock.now(),
        )
        return self._access.change(lambda unit: remembering.remember(unit, value))

    def detect_language(self, text: str) -> LanguageGuess:
        """Return the most likely language of a text. Nothing is stored."""
        return detect(checked_text(text, name="text", limit=_MAX_TEXT))

    def notice_language(self, text: str) -> LanguageGuess:
        """Store the language of a text if it is certain and this scope has no language yet.

        A stored language stays; `set_language` changes it.
        """
        guess = self.detect_language(text)
        if guess.settled and not self._access.ask(_has_language):
            self._access.change(lambda unit: _keep_language(unit, guess))
        return guess


def live_values(view: View) -> builtins.list[Fact]:
    """Return the live value of each key from the narrowest visible scope."""
    first: dict[str | None, Fact] = {}
    for fact in map(to_fact, view.rows("list_values", {}, State.LIVE)):
        first.setdefault(fact.key, fact)
    return list(first.values())


def sort_values(values: Iterable[Fact]) -> builtins.list[Fact]:
    """Sort values: identity, then place and work, then all others by key."""
    return sorted(
        values, key=lambda fact: (_POSITIONS.get(fact.key or "", len(_POSITIONS)), fact.key)
    )


def value_line(fact: Fact) -> str:
    """Return "key: value"; only the text if it is a sentence from a conversation."""
    from_conversation = fact.origin is Origin.LEARNED and fact.source is not None
    if fact.key is None or (from_conversation and fact.value is None):
        return fact.text
    return f"{fact.key}: {fact.value or fact.text}"


def _has_language(view: View) -> bool:
    """Return whether exactly this scope has a language; a wider scope does not count."""
    return bool(view.rows("find_value", _LANGUAGE, State.LIVE, "own"))


def _keep_language(unit: Unit, guess: LanguageGuess) -> None:
    if guess.language is None or _has_language(unit):
        return
    value = draft(
        guess.language,
        key=LANGUAGE_KEY,
        kind=Kind.PROFILE,
        origin=Origin.LEARNED,
        confidence=guess.confidence,
        now=unit.now,
    )
    remembering.remember(unit, value, "detected in a text")
