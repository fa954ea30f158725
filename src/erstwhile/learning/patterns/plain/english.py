"""Turn plain statements into candidates: in the third person where that is safe, else quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from erstwhile.core.kinds import Kind
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.moods import Mood, mood_of
from erstwhile.learning.patterns.dates import in_dates, since
from erstwhile.learning.patterns.languages import ENGLISH
from erstwhile.learning.patterns.plain.kinds import plain_kind
from erstwhile.learning.patterns.plain.pieces import MainClause, is_jest, pieces
from erstwhile.learning.patterns.plain.tools import tools_apart
from erstwhile.learning.patterns.plain.words import Tense, part, verbs
from erstwhile.learning.patterns.third_person import has_known_verbs, third_person

LONGEST = 180
"""The longest statement. A longer one is cut at a comma."""
SHORTEST = 30
"""A statement is not cut below this length."""
LEAST_READ = 0.4
"""The share of a clause that rules must have read, so that it is not read as a plain one, too."""
MOST_CUTS = 3
_LEAD = re.compile(
    r"(?:(?:and|but|so|because|cause|cuz|cos|since|as|although|though|while|that|plus|also|now|then"
    r"|especially|particularly|considering|given|that|even|however|hence|well|yet|or|which is why"
    r"|for me|in general|in my case|after|ever since)\b,? ?)*",
    re.IGNORECASE,
)
_FILLERS = re.compile(r"\b(?:just|also|actually|finally|really|kinda|even) (?=\w)", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|or|but|then) (?:also |never |always |now |still )?([a-z]+)\b")
_INTENT = re.compile(r"\b(?:going to|will|want|hop(?:e|ing)|wish)\b", re.IGNORECASE)
_NUMERAL = re.compile(r"(?<=\w )I(?! ?[\w'])")
"""The number in "Book I"."""
_KEYED = re.compile(r"\b(?:live|work|living|working|based|employed)\b", re.IGNORECASE)
_AND = re.compile(r",? and (?!\d)|, (?!(?:said|says|wrote|if|unless|or|not|except|like|as)\b)")
_GOES_ON = re.compile(r",? and (?:(?:also|usually|often|currently|still) )?(?P<verb>[a-z]+)\b")
_SINCE = re.compile(r"\bsince $", re.IGNORECASE)
_JOINT_I = re.compile(r"^(?:[\w'-]+,? ){1,6}and I ")
_PLURAL = re.compile(r"\b(?:we|us|our|ours|ourselves|we're|we've|let's|i'd|i'll)\b", re.IGNORECASE)


def plain_candidates(
    sentence: str, taken: Sequence[tuple[int, int]], now: datetime
) -> Iterator[Candidate]:
    """Yield the plain statements of a sentence, except at the places that are taken."""
    for whole in pieces(sentence):
        piece = _not_taken(whole, taken)
        if piece is None or _is_second_value(piece.text):
            continue
        for found in _wordings(piece):
            kind = plain_kind(_JOINT_I.sub("I ", found.text))
            if kind and not is_jest(sentence) and _is_meant(sentence, found, kind):
                began = since(piece.text, now) if kind is Kind.EVENT else None
                for said in tools_apart(found.text) if kind is Kind.ENVIRONMENT else (found.text,):
                    yield replace(_candidate(said, kind, now), valid_from=began, sentence=sentence)
                break


def _wordings(piece: MainClause) -> Iterator[MainClause]:
    """Yield a clause, then its beginnings: what follows "and" may depend on something else."""
    found = _stated(piece)
    if found is None:
        return
    yield found
    for cut in islice(reversed(list(_AND.finditer(found.text))), MOST_CUTS):
        text = found.text[: cut.start()]
        yield MainClause(found.start, found.start + len(text), text)


def _is_second_value(text: str) -> bool:
    """Return whether a clause names another home or job: without its "also" it would be the one."""
    return bool(_KEYED.search(text) and ENGLISH.also.is_in(text))


def _not_taken(piece: MainClause, taken: Sequence[tuple[int, int]]) -> MainClause | None:
    """Return a clause, or what goes on after the part that rules have read; None if nothing does.

    Of "I'm Mel, a nurse" the name is little, and of "I live in Rome and teach" the rest has a verb.
    """
    read = [(start, end) for start, end in taken if start < piece.end and end > piece.start]
    if not read:
        return piece
    goes_on = _GOES_ON.match(piece.text, max(0, max(end for _, end in read) - piece.start))
    if goes_on and goes_on["verb"].lower() in verbs():
        start = goes_on.start("verb")
        return MainClause(piece.start + start, piece.end, f"I {piece.text[start:]}")
    share = sum(min(end, piece.end) - max(start, piece.start) for start, end in read)
    return piece if share <= LEAST_READ * len(piece.text.strip()) else None


def _stated(piece: MainClause) -> MainClause | None:
    """Return the words of a clause without those before its subject and behind its end."""
    text = piece.text.lstrip()
    for before in (ENGLISH.opening, _LEAD):
        if opening := before.match(text):
            text = text[opening.end() :]
    start = max(piece.start, piece.end - len(text))
    text = _shortened(text.rstrip(" .,!?"))
    return MainClause(start, start + len(text), text) if text else None


def _shortened(text: str) -> str:
    before = ""
    while text != before:
        before, text = text, ENGLISH.tail.sub("", text.rstrip(" .,!"))
    if len(text) <= LONGEST:
        return text
    cut = max(text.rfind(mark, SHORTEST, LONGEST) for mark in (", ", " which ", " including "))
    return text[:cut] if cut > 0 else ""


def _is_meant(sentence: str, found: MainClause, kind: Kind) -> bool:
    """Return whether the clause states what is so; a plan with a date is one."""
    mood = mood_of(sentence, found.start, found.end)
    dated = part("date").is_in(found.text)
    if mood is Mood.PLAN:
        return dated or (kind is Kind.FACT and not _INTENT.search(found.text))
    if kind is Kind.EVENT and _SINCE.search(sentence[: found.start]):
        return False
    if mood is Mood.PAST:
        return dated and kind in (Kind.EVENT, Kind.FACT)
    return mood is None and not ENGLISH.doubt.is_in(found.text)


def _candidate(text: str, kind: Kind, now: datetime) -> Candidate:
    told = _third_person(text) if _is_safe(text) else None
    written = in_dates(told, now) if told else f'The user said: "{text}"'
    return Candidate(
        text=written,
        kind=kind,
        entities=tuple(dict.fromkeys(ENGLISH.proper_names(text))),
        quote=text,
        found_by=f"en/plain-{kind}",
    )


def _is_safe(text: str) -> bool:
    """Return whether each "I" has a verb whose third person is known, and nobody else speaks."""
    if _PLURAL.search(text) or _NUMERAL.search(text) or _JOINT_I.match(text):
        return False
    joined = any(map(_is_present, _JOINED.findall(text)))
    return not joined and has_known_verbs(text, verbs())


def _is_present(verb: str) -> bool:
    """Return whether a verb would have to be conjugated, too: "I am divorced and have a son"."""
    known = verbs().get(verb.lower())
    return verb in ("am", "was") or (known is not None and known.tense is Tense.PRESENT)


def _third_person(text: str) -> str:
    rewritten = " ".join(third_person(_FILLERS.sub("", text)).split())
    return rewritten[:1].upper() + rewritten[1:]
