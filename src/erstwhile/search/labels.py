"""Labels: words before a colon that name a sender, a source or a task."""

from __future__ import annotations

import re
from collections.abc import Iterator

from erstwhile.search.dates import names_of_days_and_months
from erstwhile.search.marked_text import (
    TERM_WORDS,
    Span,
    begins_list_item,
    is_blanked,
    quotation_at,
)
from erstwhile.search.passages import sentence_spans
from erstwhile.search.speech import (
    Grade,
    asks_for_work,
    is_first_person,
    names_text,
    passes_on,
    speaks_of_user,
    words_in,
    words_of,
)
from erstwhile.search.terms import is_unspaced

_NAME_SIGNS = 5
"""The most characters of a name in an unspaced script."""
_MAX_LABEL = 100
COLON = re.compile(
    r"(?<=[^\s:：])[ \u00a0]?(?::(?=\s|[\"'“„«‹「『‘\u3040-\u9fff])(?! ?[)(])|：|\s->(?=\s)"
    r"|\s(?:--|–|—|-)(?= [A-ZÀ-ÞА-Я])|(?<=[\u3040-\u9fff]):(?=\S))"
)
_NEXT = re.compile(r"\n(?=\n|[^\n:：]{1,30}[:：]\s)")
"""The end of a paragraph, or a line with a label."""
_SENTENCE_ENDS = tuple(".!?…。！？।؟")
_DASHES = ("-", "--", "–", "—")
_HEADER = re.compile(r"(?:re|fwd?|aw|wg|tr|rv|sv|vs)$", re.IGNORECASE)


def labelled(text: str, *, grade: Grade, weak: bool = False) -> Iterator[Span]:
    """Yield what stands behind the name of a sender, a source or a task, such as "Eve:".

    A clause is foreign there; a name, a short term and what follows a longer label are doubtful.
    Other labels are the user's. `weak` is whether the label may also be the user's own field.
    """
    behind = 0
    for found in COLON.finditer(text):
        start = _sentence_start(text, found.start())
        label = text[start : found.start()].strip(" \t\n-*•>")
        if found.start() < behind or not label or len(label) > _MAX_LABEL:
            continue
        end = _end_of_labelled(text, found.end(), label)
        said = text[found.end() : min(end, found.end() + _MAX_LABEL)].strip()
        if _is_own_label(label, found[0], said.partition("\n")[0]):
            continue
        first = said if _is_header(label) else said.partition("\n")[0]
        nested = text.startswith(("\n  ", "\n\t"), found.end())
        if _grade(label, first, nested=nested, weak=weak) == grade:
            behind = end
            yield found.end(), end


def _grade(label: str, said: str, *, nested: bool, weak: bool) -> Grade | None:
    """Return how likely it is that labelled words are somebody else's; None if they are not."""
    clause = _is_clause(said) or quotation_at(said, 0) > 0
    if _passes_on_by(label, said):
        return None if weak else Grade.FOREIGN if clause else Grade.DOUBTFUL
    if not weak or (said[:1].islower() and not nested):
        return None
    if _is_name(label, said):
        return Grade.FOREIGN if nested or _is_sentence(said) else Grade.DOUBTFUL
    return Grade.DOUBTFUL if clause else None


def _is_clause(labelled: str) -> bool:
    """Return whether some labelled words are more than a name."""
    said = labelled.strip()
    return len(said) > _NAME_SIGNS if is_unspaced(said) else len(words_in(said)) > 2


def _is_sentence(labelled: str) -> bool:
    """Return whether some labelled words are a sentence, not an entry of a form or of a list."""
    return labelled[-1:] in _SENTENCE_ENDS and not begins_list_item(labelled)


def _sentence_start(text: str, place: int) -> int:
    """Return the start of the sentence or line before a place, not far before it."""
    start = max(text.rfind("\n", 0, place) + 1, place - 2 * _MAX_LABEL)
    return max([start, *(first for first, _ in sentence_spans(text, start, place))])


def _end_of_labelled(text: str, start: int, label: str) -> int:
    """Return the end of a labelled text: the paragraph; of a mail, the message."""
    if is_blanked(text, start):  # it is marked, which tells its end
        return start
    if quoted := quotation_at(text, start):
        return quoted
    line = text.find("\n", start)
    if line < 0:
        return len(text)
    headed = not text[start:line].strip() or _is_header(label) or text[line : line + 2] == "\n\n"
    if headed:
        return len(text)
    following = _NEXT.search(text, start)
    return following.start() if following else len(text)


def _is_header(label: str) -> bool:
    return label.casefold() in words_of("headers") or _HEADER.match(label) is not None


def _is_own_label(label: str, colon: str, said: str) -> bool:
    """Return whether a label introduces the user's own words.

    It has only words such as "note", "update" and "Monday", or speaks of the user, tells of
    nobody's words, and introduces no sentence: "I have two children: …", "My new dentist: …".
    """
    words = words_in(label)
    if _is_header(label):
        return False
    own = words_of("own_labels") | names_of_days_and_months()
    if all(word in own or word.isdigit() for word in words):
        return True
    if colon.strip() in _DASHES:  # it separates all kinds of clauses
        text = passes_on(words) or names_text(words)
        return len(words) > 3 or not (text or words_of("own_labels").isdisjoint(words))
    if is_unspaced(label) and any(label.endswith(each) for each in words_of("own_labels")):
        return True
    owned = is_first_person(word for word in words if word not in words_of("objects"))
    return owned and not (_is_sentence(said) or passes_on(words) or asks_for_work(label))


def _passes_on_by(label: str, said: str) -> bool:
    """Return whether a label, which is not the user's own, names a sender, a source or a task."""
    words = words_in(label)
    if passes_on(words) or names_text(words) or _is_header(label) or asks_for_work(label):
        return True
    return _is_name(label, said) and speaks_of_user(said)


def _is_name(label: str, said: str) -> bool:
    """Return whether a label may be a name.

    A clause such as "my mistake" or "it is decided" goes on in small letters, and is longer.
    """
    words = words_in(label)
    short = len(words) <= TERM_WORDS or any(map(str.isdigit, label))
    return short and not (said[:1].islower() or is_first_person(words))
