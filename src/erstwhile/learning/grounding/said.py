"""The words that a turn and its context have, and what of a proposal they lack."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from erstwhile.core.fork_safety import cached_property
from erstwhile.core.text import folded
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.dates import SaidTimes, dates_in
from erstwhile.learning.grounding.figures import missing_counts, missing_numbers, missing_numerals
from erstwhile.learning.grounding.languages import language_of, spoken_language
from erstwhile.learning.grounding.names import has_name, marked_names, name_labels, names_in
from erstwhile.learning.grounding.word_lists import listed
from erstwhile.recall.paraphrases import Paraphrases
from erstwhile.search.terms import JOINT, is_unspaced, stop_terms, terms

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class SaidText:
    """The text of some speakers, said on a day."""

    text: str
    said_at: datetime
    names: str = ""
    """Names that need not be said: those of the scope."""
    paraphrases: Paraphrases | None = None
    """Compares names with words of another language."""

    @cached_property
    def times(self) -> SaidTimes:
        return SaidTimes.of(self.text, self.said_at, spoken_language(self.text))

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(self.text))

    def lacks_names(self, candidate: Candidate) -> list[str]:
        """Return the names of the proposed statement that are not in the text."""
        _, rest = dates_in(candidate.text)
        stated = folded(candidate.text)
        labels = [each for each in name_labels(labels_of(candidate)) if folded(each) in stated]
        names = dict.fromkeys((*names_in(rest), *labels))
        marked = (name for name in marked_names(rest) if {*name}.isdisjoint(self.text))
        return [*(name for name in names if not self.has_name(name)), *marked]

    def has_name(self, name: str) -> bool:
        """Return whether the name was said, or need not be."""
        return has_name(self.text, name) or has_name(self.names, name)

    def lacks_figures(self, candidate: Candidate) -> list[str]:
        """Return the numbers and dates of the statement that the text neither has nor leads to."""
        dates, rest = dates_in(candidate.text)
        unsaid = [each.text for each in dates if not self.times.tell(each)]
        said = self.times.numbers
        words = missing_numerals(rest, language_of(candidate.text), said)
        return [*unsaid, *missing_numbers(rest, said), *missing_counts(rest, said), *words]


def labels_of(candidate: Candidate) -> tuple[str, ...]:
    """Return the names in the entities and relations of a candidate."""
    ends = (end for each in candidate.relations for end in (each.subject, each.object))
    return (*candidate.entities, *ends)


def content_terms(text: str) -> frozenset[str]:
    """Return the terms of a statement without numbers and words for the speakers."""
    for word in filter(is_unspaced, listed("speakers")):
        text = text.replace(word, " ")
    plain = (each for each in terms(text) if JOINT not in each and not _DIGIT.search(each))
    return frozenset(plain) - stop_terms() - _terms_of("speakers")


@cache
def added_terms() -> frozenset[str]:
    """Return the terms of words that extractors add, such as "prefers"."""
    return _terms_of("general")


@cache
def _terms_of(name: str) -> frozenset[str]:
    return frozenset(terms(" ".join(listed(name))))
