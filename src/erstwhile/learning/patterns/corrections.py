"""Find what users take back or correct in what they said just before: "Typo, it's Baxter".

No language is parsed here. The corrected word is the one that was not said before, the wrong word
the one that is beside it or looks alike, and what was said before is read again with the right one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TypeAlias

from erstwhile.learning.candidate import Candidate
from erstwhile.learning.moods import Mood, corrects, is_about_others, mood_of
from erstwhile.learning.moods.signs import Sign
from erstwhile.learning.patterns.english_words import has_sign, is_english
from erstwhile.learning.reconcile.compare import compare
from erstwhile.learning.reconcile.comparison import Sense
from erstwhile.learning.reconcile.naming import content, shared

Reader: TypeAlias = Callable[[str], Sequence[Candidate]]
"""Reads the statements in a text."""
LONGEST = 2_000
"""How many characters of what was said before are read again."""
LONGEST_CORRECTION = 160
_ALIKE = 0.7
"""How much of a word stays the same when its spelling is corrected."""
_NAME = re.compile(r"\d+(?:[.:/-]\d+)*|[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ][\w'’-]*")
"""A number, or a word with a capital letter."""
_INSTEAD = re.compile(
    r"(?P<old>[^\s、。，]{1,10}?)(?:じゃなくて|ではなくて|ではなく|じゃなく)、?(?P<new>[^\s、。，]{1,10}?)"
    r"(?:の間違い)?(?:です|だ|でした|$)|(?P<slip>[^\s、。，]{1,10}?)は(?P<meant>[^\s、。，]{1,10}?)の間違い|不是(?P<was>[^\s，。]{1,10})，?(?:而)?是(?P<now>[^\s，。]{1,10})"
)
"""One value in place of another, in scripts without spaces and capitals."""
_INSTEAD_GROUPS = (("old", "slip", "was"), ("new", "meant", "now"))
_INSIDE = re.compile(r"(?<=[^\s.!?…] )(?-i:[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ])[\w'’-]*")
"""A word with a capital letter that does not begin a sentence."""
_MEANT = re.compile(
    r"\b(?:i meant|meant to (?:say|write|type)|ich meinte|quería decir|quise decir|voulais dire"
    r"|volevo dire|queria dizer|quis dizer|ik bedoelde|имел[аи]? в виду)"
    r" (?:(?:in|à|en|em|a|в) )?(?P<name>(?-i:[A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ])[\w'’-]{0,40}+)\W{0,9}$",
    re.IGNORECASE,
)
"""The right name at the end of a correction, without the wrong one."""


def corrected_candidates(sentence: str, before: str, read: Reader) -> Iterator[Candidate]:
    """Yield what a sentence corrects or takes back in the text before it."""
    before = before[-LONGEST:]
    if not before or len(sentence) > LONGEST_CORRECTION:
        return
    if is_english(sentence) and not has_sign(sentence, "correcting"):
        return
    if not corrects(sentence) or is_about_others(sentence, 0, len(sentence)):
        return
    wrong = list(read(before))
    if not wrong:
        return
    for old, new in _exchanged(sentence, before):
        right = read(_with(before, old, new))
        if len(right) == len(wrong) and right != wrong:
            for mistaken, meant in zip(wrong, right, strict=True):
                yield from _replaced(mistaken, meant, old, sentence)
            return
    yield from _taken_back(sentence, wrong)


def _exchanged(sentence: str, before: str) -> Iterator[tuple[str, str]]:
    """Yield the wrong and the right word: both named, or one that looks alike or has its place."""
    if found := _INSTEAD.search(sentence):
        old, right = (next(filter(None, found.group(*names))) for names in _INSTEAD_GROUPS)
        yield old, right
    marked = Sign.CORRECTS.taken_from(sentence)
    names = dict.fromkeys(_NAME.findall(marked))
    named = [each for each in names if each[0].isdecimal() or content(each)]
    said = list(dict.fromkeys(_NAME.findall(before)))
    new = [each for each in named if each not in said]
    repeated = [each for each in named if each in said and not each.isdecimal()]
    yield from ((old, right) for old in repeated for right in new if old != right)
    yield from ((old, right) for right in new for old in said if _is_respelt(old, right))
    numbers = [each for each in said if each[0].isdecimal() and each not in named]
    counted = [each for each in new if each[0].isdecimal()]
    if len(numbers) == 1 == len(counted):
        yield numbers[0], counted[0]
    inside, meant = list(dict.fromkeys(_INSIDE.findall(before))), _MEANT.search(sentence)
    if meant and len(inside) == 1:  # of the only name that was said
        yield inside[0], meant["name"]


def _is_respelt(old: str, new: str) -> bool:
    is_name = not old[0].isdecimal() and not new[0].isdecimal()
    return is_name and SequenceMatcher(None, old.lower(), new.lower()).ratio() >= _ALIKE


def _with(before: str, old: str, new: str) -> str:
    """Return the text with a word replaced, not inside of other words."""
    inside = r"(?!\d)" if old[0].isdecimal() else r"(?!\w)" if old.isascii() else ""
    return re.sub(rf"(?<!\d){re.escape(old)}{inside}", lambda _: new, before)


def _replaced(wrong: Candidate, right: Candidate, old: str, sentence: str) -> Iterator[Candidate]:
    """Yield the right statement in place of the wrong one; if they look unrelated, its end, too."""
    if wrong.text == right.text:
        return
    meant = replace(right, instead_of=(old,), quote=sentence, sentence=sentence, valid_from=None)
    if meant.key is None and compare(right.text, wrong.text, (old,)).sense is not Sense.CHANGED:
        yield _ended(wrong, sentence)
    yield meant


def _taken_back(sentence: str, wrong: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield the one statement that was a joke or a mistake: by its words, or as the only one."""
    if mood_of(sentence, 0, len(sentence)) not in (None, Mood.JEST, Mood.PAST):
        return
    stated = [each for each in wrong if not each.ends]
    named = [each for each in stated if shared(each.text, sentence)]
    bare = not content(Sign.JEST_BEFORE.taken_from(Sign.CORRECTS.taken_from(sentence)))
    meant = named or (stated if bare else [])
    if len(meant) == 1:
        yield _ended(meant[0], sentence)


def _ended(wrong: Candidate, sentence: str) -> Candidate:
    over = replace(wrong, ends=True, instead_of=(), valid_from=None, expires_at=None)
    return replace(over, quote=sentence, sentence=sentence)
