"""Rewrite English in the third person: "I" becomes "the user", "we" becomes "the team"."""

from __future__ import annotations

import re
from collections.abc import Container

_SUBJECTS = {"i": "the user", "we": "the team", "you": "the assistant"}
_OTHERS = {
    "my": "the user's", "mine": "the user's", "me": "the user", "myself": "themselves",
    "our": "the team's", "ours": "the team's", "us": "the team", "ourselves": "themselves",
    "your": "the assistant's", "yours": "the assistant's", "yourself": "itself",
}  # fmt: skip
_CONTRACTED = {"m": "is", "re": "is", "ve": "has", "ll": "will", "d": "would"}
_IRREGULAR = {
    "am": "is", "are": "is", "have": "has", "do": "does", "were": "was", "don't": "doesn't",
    "aren't": "isn't", "haven't": "hasn't", "weren't": "wasn't", "go": "goes",
}  # fmt: skip
_UNCHANGED = frozenset((
    "can", "can't", "cannot", "could", "couldn't", "may", "might", "must", "mustn't", "shall",
    "should", "shouldn't", "will", "won't", "would", "wouldn't", "didn't", "had", "hadn't", "was",
    "wasn't", "did", "went", "got", "made", "took", "saw", "came", "bought", "left", "met",
    "gave", "told", "said", "found", "lost", "kept", "began", "ran", "wrote", "built", "put",
    "set", "sold", "spent", "read", "cut", "paid", "felt", "knew", "sent", "thought", "brought",
    "taught", "caught", "won", "drove", "chose", "broke", "spoke", "wore", "drew", "grew", "flew",
    "threw", "held", "stood", "understood", "sat", "slept", "heard", "led", "lent", "became",
    "fell", "rode", "sang", "swam", "woke", "quit", "hit", "hurt", "ate", "drank", "bred", "tore",
    "cost", "let", "wove", "forgot", "hid", "shot", "fought", "sought", "swore", "dealt", "dreamt",
))  # fmt: skip
_PRESENT = frozenset(("need", "feed", "speed", "proceed", "succeed", "exceed", "embed", "breed"))
_ADVERBS = (
    r"(?:(?:always|never|usually|often|sometimes|also|only|still|really|now|just|mostly|currently"
    r"|generally|normally|rarely|both|all|recently|finally|already|once|originally|primarily|mainly"
    r"|regularly|definitely|typically|occasionally|previously|personally|strongly|absolutely|even"
    r"|particularly|first|no longer|officially|legally|happily|proudly|simply|actually)\s+)*"
)
_APART = r"(?<![\w/.@'-])"
_WITH_VERB = re.compile(
    rf"{_APART}([Ii]|[Ww]e|[Yy]ou)(?:'(m|re|ve|ll|d)\b|\s+({_ADVERBS})([a-z]+?(?:n't)?)\b(?!'))"
)
# In lower case, or with one capital letter: "us" is a pronoun, US is a country.
_ANY_CASE = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in (*_OTHERS, *_SUBJECTS))
_WITHOUT = re.compile(rf"{_APART}(?:{_ANY_CASE})(?![\w/@'-]|\.\w)")
_CODE = re.compile(r"(`[^`]*`)")


def third_person(clause: str) -> str:
    """Return the clause with "the user" for I, "the team" for we and "the assistant" for you."""
    parts = _CODE.split(clause)  # every second part is code, and stays
    return "".join(part if place % 2 else _rewritten(part) for place, part in enumerate(parts))


def has_known_verbs(clause: str, known: Container[str]) -> bool:
    """Return whether the verb after each "I" can be conjugated; `known` are verbs in all forms."""
    said = [found[4].lower() for found in _WITH_VERB.finditer(clause) if found[4]]
    return all(verb in known or verb in _IRREGULAR or verb in _UNCHANGED for verb in said)


def _rewritten(words: str) -> str:
    rewritten = _WITH_VERB.sub(_subject_and_verb, words)
    return _WITHOUT.sub(lambda found: (_OTHERS | _SUBJECTS)[found[0].lower()], rewritten)


def conjugated(verb: str) -> str:
    """Return the form of a verb after he, she or it; a past form stays."""
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _UNCHANGED or (low.endswith("ed") and low not in _PRESENT):
        return verb
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", low) else verb + "s"


def _subject_and_verb(found: re.Match[str]) -> str:
    subject = _SUBJECTS[found[1].lower()]
    if found[2]:
        return f"{subject} {_CONTRACTED[found[2].lower()]}"
    return f"{subject} {found[3]}{conjugated(found[4])}"
