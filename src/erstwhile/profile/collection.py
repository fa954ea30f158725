"""The profile: what is kept under keys, as text, and the language that somebody writes in."""

from __future__ import annotations

import builtins

from erstwhile.core.kinds import Kind, Origin, State
from erstwhile.core.language import LANGUAGE_KEY, LanguageGuess, checked_language
from erstwhile.core.text import checked_text
from erstwhile.core.time import Moment
from erstwhile.facts import remembering
from erstwhile.facts.draft import draft
from erstwhile.facts.fact import Fact
from erstwhile.facts.rows import to_fact
from erstwhile.profile.text import in_order, profile_text
from erstwhile.search.language import detect
from erstwhile.storage.collection import Collection
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_MAX_SAID = 100_000
_LANGUAGE = {"key": LANGUAGE_KEY}


class Profile(Collection):
    """Who somebody is, from the facts that have a key; `facts.set` writes them."""

    def values(
        self, *, as_of: Moment | None = None, known_at: Moment | None = None
    ) -> builtins.list[Fact]:
        """The live value of each key, from the narrowest visible scope, always in one order."""
        return in_order(self._access.ask(live_values, as_of, known_at))

    def text(self, *, as_of: Moment | None = None, known_at: Moment | None = None) -> str:
        """The same as text for a prompt, a line for each key; empty if there is none."""
        return profile_text(self.values(as_of=as_of, known_at=known_at))

    def language(self) -> str | None:
        """The language to answer in, if one was set or noticed: the value of the key `language`."""
        rows = self._access.ask(lambda view: view.rows("find_value", _LANGUAGE, State.LIVE))
        return to_fact(rows[0]).text if rows else None

    def set_language(self, code: str) -> Fact:
        """Say which language to answer in, by its code: "de", "pt-br"."""
        said = draft(
            checked_language(code),
            key=LANGUAGE_KEY,
            kind=Kind.PROFILE,
            now=self._access.clock.now(),
        )
        return self._access.change(lambda unit: remembering.remember(unit, said))

    def detect_language(self, text: str) -> LanguageGuess:
        """Which language a text is in, as far as that can be told. Nothing is stored."""
        return detect(checked_text(text, name="text", limit=_MAX_SAID))

    def notice_language(self, text: str) -> LanguageGuess:
        """Keep the language of what somebody wrote, if it is settled and this scope has none.

        A language that was set or noticed before stays; `set_language` changes it.
        """
        guess = self.detect_language(text)
        if guess.settled and not self._access.ask(_has_language):
            self._access.change(lambda unit: _keep_language(unit, guess))
        return guess


def live_values(view: View) -> builtins.list[Fact]:
    """Of each key the first, which is that of the narrowest scope."""
    first: dict[str | None, Fact] = {}
    for fact in map(to_fact, view.rows("list_values", {}, State.LIVE)):
        first.setdefault(fact.key, fact)
    return list(first.values())


def _has_language(view: View) -> bool:
    """In exactly this scope: what is said for everybody does not speak for one."""
    return bool(view.rows("find_value", _LANGUAGE, State.LIVE, "own"))


def _keep_language(unit: Unit, guess: LanguageGuess) -> None:
    if guess.language is None or _has_language(unit):
        return
    said = draft(
        guess.language,
        key=LANGUAGE_KEY,
        kind=Kind.PROFILE,
        origin=Origin.LEARNED,
        confidence=guess.confidence,
        now=unit.now,
    )
    remembering.remember(unit, said, "noticed in what was written")
