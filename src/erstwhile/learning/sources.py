"""The words of a turn and of the conversation before it, by who wrote them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from erstwhile.conversations.conversation import Role
from erstwhile.core.kinds import Trust
from erstwhile.learning.quotation import QUESTION, SENTENCE, own_text
from erstwhile.learning.turn import Turn, TurnLine
from erstwhile.search.own_words import own_words
from erstwhile.search.speech import speaks_of_user
from erstwhile.search.terms import is_unspaced, query_terms, terms

_WHETHER = re.compile(
    r"\b(?:whether|or|oder|или|if|ob|falls|si|czy|ли|если)\b|是否|还是|如果|かどうか|もし|인지",
    re.IGNORECASE,
)
"""A word that introduces an indirect question or a condition."""
_DATE = re.compile(r"(?<!\d)(?:\d{4}(?:-\d\d){1,2}|(?:19|20)\d\d)(?!\d)")
_NUMBER = re.compile(r"\d++")
_CODE = r"\b[A-Za-z_]++\d\w*|\b\d++[A-Za-z_]\w*"
_NAME = re.compile(rf"(?<=[^\s.!?:] )[A-Z][^\W_]+|{_CODE}|\b\d\d++", re.ASCII)
"""A capitalised word that does not begin a sentence, a code or a number."""
_IDENTIFIER = re.compile(rf"\b\w++(?:[./@:\\]\w++)+|{_CODE}|\b\d{{4,}}+", re.ASCII)
"""A path, an address, a code or a long number: nobody writes it in other words."""
_SHARED = 2
"""The least terms that a statement and a doubtful sentence share by more than chance."""
_MAX_HEARD = 20_000
"""The characters of a foreign text that are compared."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The words of a turn and of the conversation before it, by who wrote them."""

    own: frozenset[str]
    """The search terms of the user's own words in the turn; beside a tool's text, without those of
    questions: "is it DE11 or XX99?" does not say what a page then answers."""
    said: tuple[frozenset[str], ...]
    """The same, by sentence."""
    context: frozenset[str]
    """The terms of these words, of the conversation before and of the known facts."""
    known: frozenset[str]
    """The terms of the known facts."""
    assistant: tuple[frozenset[str], ...]
    """The terms of each sentence of the assistant in the turn."""
    foreign: tuple[frozenset[str], ...]
    """The terms of each sentence that a tool returned, or that the user pasted or quoted."""
    heard: frozenset[str]
    """The terms that such a text used before this turn, and before the user and the known facts."""
    doubtful: tuple[frozenset[str], ...]
    """The terms of each sentence of the user that may be somebody else's."""

    @classmethod
    @lru_cache(maxsize=4)  # all proposals of a turn need the same
    def of(cls, turn: Turn, known: tuple[str, ...]) -> Sources:
        """Return the words of a turn; `known` are the texts that the model was shown as facts."""
        before = (*turn.earlier, *turn.before)
        written = [own_words(line.text) for line in turn.lines if line.role is Role.USER]
        own = "\n".join(each.own for each in written)
        sure = "\n".join(each.sure for each in written)
        if any(not is_trusted(line) for line in (*before, *turn.lines)):
            own = _without_questions(own, keep=speaks_of_user)
            named = _without_questions(sure)
        else:
            named = sure
        foreign = tuple(_terms_by_sentence(_foreign_texts((*before, *turn.lines))))
        earlier = [own_text(line) for line in before if is_trusted(line)]
        spoken = [line.text for line in turn.lines if line.role is Role.ASSISTANT]
        return cls(
            own=_numbers(named).union(terms(named)),
            said=tuple(_terms_by_sentence([own])),
            context=frozenset(terms("\n".join((own, *earlier, *known)))),
            known=frozenset(terms("\n".join(known))),
            assistant=tuple(_terms_by_sentence(spoken)),
            foreign=foreign,
            heard=_heard_first(before).difference(terms("\n".join(known))),
            doubtful=tuple(_terms_by_sentence(_cut(each.own, each.sure) for each in written)),
        )

    def drawn_from_foreign(self, text: str) -> bool:
        """Return whether foreign text, and not the user, says the names or most words of a text."""
        words, names = _content(text), names_in(text)
        unsaid, new = words - self.context, words - self.known
        for sentence in self.foreign:
            only = unsaid & sentence
            if only & names or len(only) > len(words & self.context):
                return True
            if new == unsaid and 2 * len(only) > len(new):
                return True  # all that is new, and the user says nothing of it
        heard = names & self.heard
        return bool(heard) and not any(self._claims(each, words, heard) for each in self.said)

    def _claims(self, said: frozenset[str], words: frozenset[str], heard: frozenset[str]) -> bool:
        """Return whether a sentence of the user says what was heard, or most of the rest."""
        others = words - self.heard
        most = 2 * len(said & others) > len(others) and heard <= self.own
        return most or bool(said & heard and said & (words - heard))

    def may_be_of_others(self, text: str) -> bool:
        """Return whether there is foreign text, or doubtful text with words of this one."""
        words, names = _content(text), names_in(text)
        found = (words & each for each in self.doubtful)
        return bool(self.foreign) or any(each & names or len(each) >= _SHARED for each in found)

    def drawn_from_assistant(self, text: str) -> bool:
        """Return whether only the assistant says an identifier or most words of a text."""
        words = _content(text)
        codes = frozenset(terms(" ".join(_IDENTIFIER.findall(_DATE.sub(" ", text)))))
        for sentence in self.assistant:
            if (codes - self.context) & sentence:
                return True
            if len((words - self.context) & sentence) > len(words & self.context):
                return True
        return False

    def names(self, text: str, known: Sequence[str] = ()) -> bool:
        """Return whether the user's own words name something of a text that is not known yet.

        A value that a stranger named first does not count.
        """
        old = "\n".join(known)
        dates = [date for date in _DATE.findall(text) if date not in old]
        new = frozenset(query_terms(text)).difference(terms(old)) | _numbers(" ".join(dates))
        return bool((new - self.heard) & self.own)

    def names_most(self, text: str) -> bool:
        """Return whether the user's own words name half of what a text says, or more."""
        words = frozenset(query_terms(text))
        return 2 * len(words & self.own - self.heard) >= len(words)


def is_trusted(line: TurnLine) -> bool:
    """Return whether a line is the user's, or the assistant's before any tool spoke."""
    return line.origin.trust is not Trust.QUARANTINED


def _without_questions(text: str, keep: Callable[[str], bool] = lambda _said: False) -> str:
    """Return the sentences that ask nothing, and of the questions those to keep.

    "Any theme for my Vim?" says something of the user; "is it DE11 or XX99?" says nothing.
    """
    said = (each[0] for each in SENTENCE.finditer(text))
    return "\n".join(
        each
        for each in said
        if not _WHETHER.search(each) and (not QUESTION.search(each) or keep(each))
    )


def _foreign_texts(lines: Iterable[TurnLine]) -> Iterator[str]:
    for line in lines:
        if not is_trusted(line):
            yield line.text
        elif line.role is Role.USER:
            yield _cut(line.text, own_text(line))


def _cut(text: str, left: str) -> str:
    """Return the characters of a text that another one, as long, has not."""
    pairs = zip(text, left, strict=True)
    return "".join(char if other != char else " " for char, other in pairs)


def _heard_first(lines: Sequence[TurnLine]) -> frozenset[str]:
    """Return the terms that foreign text used before the user did."""
    said, heard = set[str](), set[str]()
    for line in lines:
        if line.role is Role.USER:
            said.update(set(terms(own_text(line))) - heard)
        for text in _foreign_texts([line]):
            heard.update(set(terms(text[:_MAX_HEARD])) - said)
    return frozenset(heard)


def _terms_by_sentence(texts: Iterable[str]) -> Iterator[frozenset[str]]:
    for found in SENTENCE.finditer("\n".join(text[:_MAX_HEARD] for text in texts)):
        if words := frozenset(terms(found[0])):
            yield words


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text without leading zeros, as in dates of any form."""
    return frozenset(each.lstrip("0") for each in _NUMBER.findall(text))


def _content(text: str) -> frozenset[str]:
    """Return the terms of a text, without single signs of a script without spaces."""
    found = query_terms(_DATE.sub(" ", text))
    return frozenset(each for each in found if len(each) > 1 or not is_unspaced(each))


def names_in(text: str) -> frozenset[str]:
    """Return the terms of the capitalised words, codes and numbers of a text, without dates."""
    return frozenset(terms(" ".join(_NAME.findall(_DATE.sub(" ", text)))))
