"""Judge what follows "I am" in English: a state, a role, an age, an origin, or a long activity."""

from __future__ import annotations

import re
from collections.abc import Sequence

from erstwhile.core.kinds import Kind
from erstwhile.learning.patterns.english_checks import is_name, is_occupation
from erstwhile.learning.patterns.plain.words import listed, nouns, part, verbs

_AGE = re.compile(
    r"(?:\d{1,3}|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|\w{1,20}ty(?:-\w{1,20})?"
    r"|(?:two|three|four|five|six|seven|eight|nine|ten|eleven)(?= (?:years|months|and)))"
    r"(?: years? old\b|-year-old| (?:and|foot|feet|ft|cm|weeks pregnant|months pregnant)\b|'|,|$)",
    re.IGNORECASE,
)
_PHASE = re.compile(
    r"(?:in|on|off|under|between) (?:(?:my|the|a|an|our|his|her) (?:[\w-]+ ){0,3}?(?:year|semester"
    r"|grade|twenties|thirties|forties|fifties|sixties|seventies|eighties|diet|band|choir|team|board|committee|army"
    r"|navy|wheelchair|relationship|waiting list|spectrum|autism spectrum|pill|medication|programme"
    r"|program|dialysis|sabbatical|industry|business)\b|therapy|remission|recovery|grad school"
    r"|high school|college|university|debt|dialysis|insulin|antidepressants|(?:maternity|paternity"
    r"|parental|sick) leave|disability)",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?(?:$|,? (?:an?|the|from)\b|,? and\b)")
_ORIGIN = re.compile(r"(?:originally )?(?:from|based in|located in) (?:the )?[A-Z]", re.IGNORECASE)
_ARTICLES = frozenset(("a", "an", "the", "one", "another"))
_NOT_A_ROLE = re.compile(r"\b(?:bit|little|tad|lot|mess|fool|\w+'s)\b", re.IGNORECASE)
_NEEDS_TIME = frozenset(("planning", "preparing", "moving", "starting", "flying", "travelling"))
_NEEDS_TIME |= frozenset(("traveling", "visiting", "launching", "applying", "leading", "managing"))
_NEEDS_TIME |= frozenset(("finalizing", "finalising", "attending", "organizing", "organising"))
_WISHING = frozenset(("looking", "struggling", "wanting", "feeling", "needing", "having"))
_WORKING = re.compile(r"working (?:at|for|as|in|from|part-time|full-time|nights|remotely)\b")


def complement_kind(words: Sequence[str], clause: str, *, past: bool = False) -> Kind | None:
    """Return the kind of a statement whose verb is "be"; None if the complement does not last."""
    rest = list(words)
    while rest and rest[0].lower() in listed("adverbs") - listed("states"):
        rest.pop(0)
    if not rest:
        return None
    said = _before_comma(clause, rest)
    if past:
        return _was(rest, said)
    return _state(rest, said) or _role(rest, said) or _activity(rest)


def _before_comma(clause: str, rest: Sequence[str]) -> str:
    """Return the complement with its punctuation."""
    found = re.search(rf"(?<!\w){re.escape(rest[0])}(?!\w)", clause)
    return clause[found.start() :].rstrip(" .!") if found else " ".join(rest)


def _was(rest: Sequence[str], said: str) -> Kind | None:
    first, dated = rest[0].lower(), part("date").is_in(said)
    lasting = ("born", "diagnosed", "raised", "promoted", "hired", "fired", "laid", "accepted")
    if first in (*lasting, "elected", "awarded", "nominated", "admitted", "invited", "adopted"):
        return Kind.EVENT
    if dated and first in listed("states"):
        return Kind.EVENT
    return Kind.FACT if dated and _role(rest, said) else None


def _state(rest: Sequence[str], said: str) -> Kind | None:
    low = [word.lower().strip(",.") for word in rest]
    if low[0] in listed("states"):
        needs = {"scared": "of", "afraid": "of", "terrified": "of", "prone": "to"}
        needs |= {
            "sensitive": "to",
            "responsible": "for",
            "passionate": "about",
            "addicted": "to",
            "allergic": "to",
        }
        needed = needs.get(low[0])
        fits = needed is None or (low[1:2] == [needed] and not part("task").is_in(said))
        if needed == "of" and re.match(r"(?:not|\w+ing \w)", " ".join(low[2:])):
            return None  # a worry of the day: "afraid of not finishing"
        return Kind.PROFILE if fits else None
    named = _NAME.match(said) and is_name({"value": rest[0]})
    if named or any(each.match(said) for each in (_AGE, _PHASE, _ORIGIN)):
        return Kind.PROFILE
    inclined = any(said.lower().startswith(f"{each} ") for each in listed("inclined"))
    return Kind.PREFERENCE if inclined and not part("task").is_in(said) else None


def _role(rest: Sequence[str], said: str) -> Kind | None:
    if rest[0].lower() not in _ARTICLES or _NOT_A_ROLE.search(said):
        return None
    phrase = list[str]()
    for word in said.split():
        phrase.append(word.strip(",."))
        if word.endswith(",") or phrase[-1].lower() in listed("prepositions"):
            break
    if phrase[-1].lower() in listed("prepositions"):
        phrase.pop()
    named = len(phrase) > 1 and phrase[-1].lower() in listed("persons")
    if phrase[-1].lower() == "fan" and " of " not in said and len(phrase) < 4:
        return None
    value = " ".join(["a", *phrase[1:]])
    return Kind.PROFILE if named or is_occupation({"value": value}) else None


def _activity(rest: Sequence[str]) -> Kind | None:
    """Return the kind of what somebody does over weeks and months."""
    first, text = rest[0].lower(), " ".join(rest)
    if first == "using":
        return Kind.ENVIRONMENT if part("tool").begins(" ".join(rest[1:])) else _regular(text)
    if part("task").is_in(text) and not part("date").is_in(text):
        return None
    life = any(word.lower().strip(",.") in nouns() for word in rest[1:8])
    dated = part("date").is_in(text)
    if first in listed("doing"):
        anchored = life or dated or part("proper").is_in(text)
        told = len(rest) > 1 and rest[1].lower() not in ("next", "in", "on", "this", "soon", "hard")
        return Kind.FACT if told and (anchored or first not in _NEEDS_TIME) else None
    if first == "working" and _WORKING.match(text):
        return Kind.PROFILE
    if first == "having":
        close = {*listed("kin"), *listed("health")} & {word.lower() for word in rest[1:5]}
        return Kind.FACT if close else None
    if first == "getting" and rest[1:] and rest[1].lower() in listed("changed"):
        return Kind.FACT
    if first in listed("doing_with_life") and (life or (dated and first == "working")):
        return Kind.FACT
    return _regular(text) if first in verbs() and first not in _WISHING else None


def _regular(text: str) -> Kind | None:
    return Kind.PROFILE if part("frequency").is_in(text) else None
