"""Tell a conclusion from a statement in other words: "I bought a stroller" tells no pregnancy.

A statement in other words shares a name, a number or stems with what was said, or means the same.
Meaning is compared by the embedder, in the languages that it was measured for. Elsewhere, and
without an embedder, nothing is taken for a conclusion: "I don't eat meat" shares no word with "is a
vegetarian". Nor is what has a name or a number: who said these is judged by `said`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from erstwhile.conversations.conversation import Role
from erstwhile.core.text import folded
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.assent import asked_before
from erstwhile.learning.grounding.dates import dates_in
from erstwhile.learning.grounding.languages import spoken_language
from erstwhile.learning.grounding.names import has_name, names_in
from erstwhile.learning.grounding.said import added_terms, content_terms
from erstwhile.learning.grounding.word_lists import any_word, listed, plain
from erstwhile.learning.turn import Turn
from erstwhile.learning.verdict import Action, Verdict
from erstwhile.recall.paraphrases import Paraphrases
from erstwhile.search.terms import is_unspaced

if TYPE_CHECKING:
    from erstwhile.learning.grounding.ground import Ground

_HALF = 0.5
"""The share of the words of a statement that were said, which makes it a paraphrase."""
_MORE = 0.05
"""How much more alike a statement must be that shares no word with words in its own language."""
_DIGIT = re.compile(r"\d")
_JOINED = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:/[^\W\d_]++)++")
"""Words that are joined by a slash, which are said as they are."""
_ENDING = re.compile(r"(?:['’]s?|[.,:;])$")
_ARTICLE = 3
"""The most letters of an article: "the user"."""


def concluded(
    candidate: Candidate, ground: Ground, turn: Turn, paraphrases: Paraphrases | None
) -> Iterator[Verdict]:
    """Yield a verdict if a proposal says something else than the words of the user it rests on."""
    sentence = ground.sentence
    if (
        candidate.ends
        or ground.line.role is not Role.USER
        or asked_before(sentence, turn) is not None
    ):
        return
    before = [line.text for line in turn.before]
    words = [ground.quote, sentence, *(f"{each} {sentence}" for each in before[-1:])]
    if is_conclusion(candidate.text, words, "\n".join((*before, ground.line.text)), paraphrases):
        reason = "it is a conclusion from what was said"
        rule = "grounding/concluded"
        yield Verdict(action=Action.HOLD, text=candidate.text, reason=reason, rule=rule)


def is_conclusion(
    statement: str, words: Sequence[str], message: str, paraphrases: Paraphrases | None
) -> bool:
    """Return whether a statement says something else than the words that it rests on.

    `words` are the quotation and its surroundings, `message` all that was said.
    """
    content = content_terms(statement) - added_terms()
    if not content or _is_specific(statement) or _share(content, message) >= _HALF:
        return False
    if any(folded(each) in folded(message) for each in _JOINED.findall(statement)):
        return False  # "they/them"
    if _about_conversation().search(plain(statement)):
        return False  # an order such as "no emoji please" is no sentence to compare with
    languages = spoken_language(statement), spoken_language(message)
    if paraphrases is None or not paraphrases.scale.languages.issuperset(languages):
        return False
    alone = languages[0] == languages[1] and not _share(content, message)
    found = paraphrases.likeness(_without_speakers(statement), words)
    return found is not None and found < paraphrases.scale.least + _MORE * alone


def _is_specific(statement: str) -> bool:
    """Return whether a statement has a name, a number or a date."""
    dates, rest = dates_in(statement)
    return bool(dates or _DIGIT.search(rest) or names_in(rest))


@cache
def _about_conversation() -> re.Pattern[str]:
    return re.compile(any_word(listed("conversation"), ending=r"\w{0,6}"))


def _share(content: Collection[str], text: str) -> float:
    return sum(has_name(text, word) for word in content) / len(content)


def _without_speakers(statement: str) -> str:
    """Return a statement without the words for the user, which nobody says about themselves."""
    for word in filter(is_unspaced, listed("speakers")):
        statement = statement.replace(word, " ")
    words = statement.split()
    named = {at for at, word in enumerate(words) if _is_speaker(word)}
    articles = {at - 1 for at in named if at and len(words[at - 1]) <= _ARTICLE}
    return " ".join(word for at, word in enumerate(words) if at not in named | articles)


def _is_speaker(word: str) -> bool:
    return plain(_ENDING.sub("", word).removeprefix("l'")) in listed("speakers")
