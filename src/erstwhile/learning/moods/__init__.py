"""Tell what a sentence does: state something that is so now, or ask, suppose, plan, report, joke.

The guard, the patterns and reconciliation ask it, on the sentence that a statement rests on. Pure
functions in linear time. The words of each language are in `languages`. Begin with `mood.py`.
"""

from erstwhile.learning.moods.changes import (
    adds_beside,
    correction_after,
    corrects,
    ending_clauses,
    ends_something,
    is_left_out,
    is_temporary,
    over_clauses,
    says_change,
)
from erstwhile.learning.moods.denials import denials, denies_end, going_on, is_denied, laughs
from erstwhile.learning.moods.mood import Mood, clause_moods, mood_after, mood_of
from erstwhile.learning.moods.people import is_about_others
from erstwhile.learning.moods.sentences import clauses_around, sentence_around

__all__ = [
    "Mood",
    "adds_beside",
    "clause_moods",
    "clauses_around",
    "correction_after",
    "corrects",
    "denials",
    "denies_end",
    "ending_clauses",
    "ends_something",
    "going_on",
    "is_about_others",
    "is_denied",
    "is_left_out",
    "is_temporary",
    "laughs",
    "mood_after",
    "mood_of",
    "over_clauses",
    "says_change",
    "sentence_around",
]
