"""Whose words a turn has: those of the user, of the assistant, and of tools and pasted texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Origin, Trust
from erstwhile.learning.grounding.said import SaidText
from erstwhile.learning.moods import mood_of
from erstwhile.learning.moods.sentences import sentences
from erstwhile.learning.turn import Turn, TurnLine
from erstwhile.recall.paraphrases import Paraphrases
from erstwhile.search.own_words import own_part, own_words


@dataclass(frozen=True)
class Speakers:
    """The words of a turn and its context, by speaker."""

    context: SaidText
    """The user's own words, the exchange before, and the known facts."""
    stated: SaidText
    """The same, without the user's questions, suppositions and requests."""
    assistant: SaidText
    outside: SaidText
    """The words of tools, and texts that the user pasted."""

    @classmethod
    def of(
        cls, turn: Turn, known: Sequence[str], paraphrases: Paraphrases | None = None
    ) -> Speakers:
        """Return the words of a turn; `known` are the facts that a model was shown."""

        def said(texts: Iterable[str]) -> SaidText:
            return SaidText("\n".join(texts), turn.said_at, _scope_names(turn), paraphrases)

        own = [own_text(line) for line in turn.lines if line.role is Role.USER]
        before = [own_text(line) for line in turn.before if is_inside(line)]
        around = (*before, *known)
        return cls(
            context=said((*own, *around)),
            stated=said((*map(_statements, own), *around)),
            assistant=said(line.text for line in turn.lines if line.origin is Origin.AGENT),
            outside=said(_outside(turn)),
        )

    @property
    def inside(self) -> SaidText:
        """The words of the context and of the assistant."""
        return _joined(self.context, self.assistant)

    @property
    def everything(self) -> SaidText:
        """The words of all speakers."""
        return _joined(self.context, self.assistant, self.outside)


def _joined(*said: SaidText) -> SaidText:
    return replace(said[0], text="\n".join(each.text for each in said))


def own_text(line: TurnLine) -> str:
    """Return the text of a line; of a user's line, with spaces in place of pasted text."""
    return _own(line.text) if line.role is Role.USER else line.text


def _outside(turn: Turn) -> Iterator[str]:
    for line in (*turn.before, *turn.lines):
        if not is_inside(line):
            yield line.text
        elif line.role is Role.USER:
            yield _pasted(line.text)


def is_inside(line: TurnLine) -> bool:
    """Return whether a line is the user's, or the assistant's before any tool spoke."""
    return line.origin.trust is not Trust.QUARANTINED


@lru_cache(maxsize=16)
def _own(text: str) -> str:
    """Return the user's own words at their places. Quotations inside a sentence are kept."""
    start, end = own_part(text, sure=True)
    kept = zip(text[start:end], own_words(text)[start:end], strict=True)
    own = "".join(char if left != " " or left == char else " " for char, left in kept)
    return " " * start + own + " " * (len(text) - end)


def _statements(text: str) -> str:
    """Return the sentences that state something."""
    found = (each for each in sentences(text) if mood_of(text, each.start, each.end) is None)
    return "\n".join(each.text for each in found)


def _pasted(text: str) -> str:
    """Return what is not in the user's own words."""
    pairs = zip(text, _own(text), strict=True)
    return "".join(char if left != char else " " for char, left in pairs).strip()


def _scope_names(turn: Turn) -> str:
    """Return the names of the scope, which need not be in the turn."""
    scope = turn.scope
    return "\n".join(name for name in (scope.user, scope.agent, scope.project) if name)
