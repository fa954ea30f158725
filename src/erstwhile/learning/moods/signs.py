"""The signs in `languages`: each is a pattern for the words of one idea, in all languages at once.

Nobody needs to tell which language a sentence is in: a sign of any language counts, and a file may
leave out a sign. The patterns are bounded, and search a clause or a sentence in any letter case.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

from erstwhile.letter_case import AnyCase
from erstwhile.rule_files import RuleFile, read_rules

LONGEST = 1_000
"""The number of characters of a sentence that are read. A longer one is no prose."""
_NOTHING = r"(?!)"


class Sign(StrEnum):
    """The ideas that have words of their own in each language."""

    OPENS_CLAUSE = "opens_clause"
    """A clause begins here, without a comma before it."""
    CLOSES_CLAUSE = "closes_clause"
    """A clause ends here, without a comma after it."""
    JOINS = "joins"
    """A word between two parts, of which the second may be in another mood: "and want to"."""
    SPEAKER = "speaker"
    """A word for a person, so that a short clause has a subject of its own."""

    ASKS = "asks"
    """The beginning of a question that ends with a mark."""
    ASKS_UNMARKED = "asks_unmarked"
    """The beginning of a question, even without a mark."""
    ENDS_QUESTION = "ends_question"
    """The end of a question without a mark: 吗."""
    TAG = "tag"
    """It makes a question of what comes before: ", right?"."""
    TOLD_IN_QUESTION = "told_in_question"
    """A question that tells something all the same: "Did you know that I …?"."""
    PRESUPPOSED = "presupposed"
    """The beginning of what a question takes for granted: "for my wife"."""
    REASON = "reason"
    """The beginning of a clause that tells something after a question has begun: "because"."""

    CONDITION = "condition"
    SUPPOSES = "supposes"
    """A word that makes a supposition of its whole sentence: "hypothetically"."""
    COURTESY = "courtesy"
    """A condition that is none: "if it helps"."""
    TURNS_BACK = "turns_back"
    """The beginning of a clause that states something after a condition: "but"."""
    PLAN = "plan"
    GUESS = "guess"
    PAST = "past"
    REPORT = "report"
    JEST = "jest"
    IRONY = "irony"
    """Praise of a trouble, over several clauses: "Great, again an hour of traffic"."""
    LOVES_TROUBLE = "loves_trouble"
    """Love of what nobody loves: "I adore strikes"."""
    LAUGHS = "laughs"
    """Loud laughter, after which nothing is certain: "I'm filing for divorce lmao"."""
    JEST_BEFORE = "jest_before"
    """The beginning of a sentence that makes a joke of the one before."""
    STORY = "story"
    STORY_FOLLOWS = "story_follows"
    """After such a sentence the message is role play, or a text to work on."""
    STORY_BEFORE = "story_before"
    """Before such a sentence the message is a text to work on: "continue this dialogue"."""
    REQUEST = "request"

    CORRECTS = "corrects"
    ENDS = "ends"
    BESIDE = "beside"
    TEMPORARY = "temporary"
    PASSING = "passing"
    """A day or a week, in which something is so or in which it changed: "today"."""
    RESIDES = "resides"
    """Somebody lives or settles somewhere."""
    BEGINS = "begins"
    """Something begins: "I start on June 8"."""
    IS_SOMEWHERE = "is_somewhere"
    """The speaker is or stays somewhere, and nothing happens: "I'm in"."""
    CHANGES = "changes"
    """The new takes the place of the old: "now", "instead". What only begins may be one more."""

    SELF = "self"
    """The speaker, as the subject of a clause: "I", 我."""
    OTHERS = "others"
    """Somebody else as the subject of a clause: "my brother", "she"."""
    DENIES = "denies"
    """A negation of what follows it."""
    GOES_ON = "goes_on"
    """Something is as before: "still"."""
    NOT_OVER = "not_over"
    """A denial that something ended: "I haven't quit"."""

    def is_in(self, text: str) -> bool:
        """Return whether the sign is anywhere in a text."""
        return _is_in(self.value, text[:LONGEST].strip())

    def begins(self, text: str) -> bool:
        """Return whether a text begins with the sign."""
        return self._pattern.begins(_read(text.strip()))

    def fills(self, text: str) -> bool:
        """Return whether a text is nothing but the sign."""
        return self._pattern.fills(_read(text.strip()))

    def taken_from(self, text: str) -> str:
        """Return a text with spaces in place of the sign."""
        kept, at = list[str](), 0
        for start, end in self.spans(text):
            kept += text[at:start], " " * (end - start)
            at = end
        return "".join((*kept, text[at:]))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the places of the sign in a text."""
        return [found.span() for found in self._pattern.found_in(_read(text))]

    @property
    def _pattern(self) -> AnyCase:
        return _joined(self.value)


@lru_cache(maxsize=512)
def _is_in(name: str, text: str) -> bool:
    """Search a text once for a sign; the clauses around one are asked for again and again."""
    return _joined(name).is_in(_read(text))


def _read(text: str) -> str:
    """Return the part of a text that is read, with straight apostrophes."""
    return text[:LONGEST].replace("’", "'")


@cache
def _joined(name: str) -> AnyCase:
    """Return the pattern of a sign, joined from all languages that have it."""
    found = [file.parts[name] for file in _files() if name in file.parts]
    return AnyCase("|".join(f"(?:{part})" for part in found) or _NOTHING)


@cache
def _files() -> tuple[RuleFile, ...]:
    folder = Path(__file__).with_name("languages")
    return tuple(read_rules(file) for file in sorted(folder.glob("*.toml")))
