"""Checks of English values, to which the rules in `english.toml` refer by name."""

from __future__ import annotations

import re

from erstwhile.learning.patterns.english_words import first_word, is_concrete, listed, words_of
from erstwhile.learning.patterns.english_words import proper_names as proper_names
from erstwhile.learning.patterns.plain.words import Tense, verbs
from erstwhile.learning.patterns.plain.words import listed as plain_words
from erstwhile.learning.patterns.statement_rule import Values
from erstwhile.learning.patterns.third_person import third_person

_NAME = re.compile(r"[^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,3}")
_SETTLEMENT = re.compile(r"(?:an? |the )(?:[\w-]+ )*(?i:town|city|village)\b.*\b[A-Z]")
_DATE = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b\d{4}\b|\d[-/.]\d", re.IGNORECASE
)
_NO_PLACE = re.compile(r"\d|(?<!\bMc)(?<!\bMac)[a-z][A-Z]| land$")
_FOR_A_WHILE = re.compile(
    r"\b(?:until|till|during|this|next|for (?:an?|now|the (?:next|time)|two|three|\d+))\b",
    re.IGNORECASE,
)
_TWO_WORDS = re.compile(
    r"(?:new|san|los|las|tel|hong|cape|rio|abu|kuala|buenos) \w+$", re.IGNORECASE
)
_EMPLOYING = re.compile(
    r"(?:an?|the) (?:[\w-]+ ){0,3}(?:hospital|school|bank|startup|start-up|company|university"
    r"|clinic|agency|firm|bakery|library|museum|law firm|bookshop|restaurant|lab|laboratory"
    r"|charity|ngo|nonprofit|ministry|council|hotel|studio)\b",
    re.IGNORECASE,
)
_OCCUPATION = re.compile(
    r"\b(?:\w+(?:er|or|ist|ian|eer|ant)|nurse|chef|cook|pilot|vet|judge|coach|guide|clerk|student"
    r"|postman|fireman|policeman|midwife|surgeon|physician|scientist|analyst|architect|freelance"
    r"|technician|diplomat|monk|priest|sysadmin|admin|dev|carpenter|barista|paralegal|mechanic"
    r"|smith|journalist|intern|postdoc|researcher|musician|psychologist)$",
    re.IGNORECASE,
)
_DAY_OR_TIME = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|next|(?:jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec)\w* \d|\d{1,2}(?::\d\d)? ?(?:am|pm)\b|\d",
    re.IGNORECASE,
)


def is_date(values: Values) -> bool:
    """Return whether a value is a date with its month, or a year; "in 3 days" is not."""
    return _DATE.search(values["value"]) is not None


def is_year(values: Values) -> bool:
    return re.fullmatch(r"\d{4}", values["value"]) is not None


def is_name(values: Values) -> bool:
    value = values["value"]
    words = words_of(value)
    return bool(_NAME.fullmatch(value)) and len(words) <= 4 and words[0] not in listed("not_names")


def is_capitalised_name(values: Values) -> bool:
    return is_name(values) and values["value"][0].isupper()


def is_introduced(values: Values) -> bool:
    """Return whether "I'm X, a …" gives a name, and not an origin: "I'm German, a nurse"."""
    first = first_word(values["value"])
    return is_capitalised_name(values) and first not in plain_words("states")


def are_names(values: Values) -> bool:
    words = [word for word in re.findall(r"[\w'-]+", values["list"]) if word not in ("and", "or")]
    return 0 < len(words) <= 8 and all(word[0].isupper() for word in words)


def is_place(values: Values) -> bool:
    value = values["value"]
    words = words_of(value)
    if (
        not listed("tools").isdisjoint(words)
        or _NO_PLACE.search(value)
        or _FOR_A_WHILE.search(value)
    ):
        return False
    if _SETTLEMENT.match(value):
        return True
    if value.removeprefix("the ")[0].isupper():
        return _is_named_throughout(value)
    short = len(words) == 1 or _TWO_WORDS.match(value) is not None
    return short and not any(word in listed("not_places") | listed("pointing") for word in words)


def _is_named_throughout(value: str) -> bool:
    """Return whether a name has capitals: "Frankfurt am Main", not "Berlin half the year"."""
    words = value.removeprefix("the ").split()
    return all(not word[0].islower() or word in listed("joining") for word in words)


def is_employer(values: Values) -> bool:
    value = values["value"]
    if re.search(r"\bin (?:my|a|our)\b|\byou\b|\bon \w+(?:day|end)s\b", value, re.IGNORECASE):
        return False
    bare = re.sub(r"^the ", "", value, flags=re.IGNORECASE)
    named = bare[:1].isupper() or not bare[:1].isascii()
    return (named or bool(_EMPLOYING.match(value))) and not _FOR_A_WHILE.search(value)


def is_joined(values: Values) -> bool:
    return is_capitalised_name(values) and listed("tools").isdisjoint(words_of(values["value"]))


def is_occupation(values: Values) -> bool:
    words = words_of(values["value"])[1:]  # without its article
    return (
        0 < len(words) <= 5
        and words[-1] not in listed("no_occupation")
        and words[0] not in listed("pointing")
        and bool(_OCCUPATION.search(values["value"]))
        and values["value"].split()[-1].islower()
    )


def is_occupation_somewhere(values: Values) -> bool:
    """Return whether a value is an occupation and an employer; a student has no employer."""
    occupied = is_occupation({"value": values["what"]}) and not values["what"].endswith("student")
    return occupied and is_employer(values)


def are_languages(values: Values) -> bool:
    return any(
        word in listed("languages")
        for word in words_of(values.get("list", values.get("value", "")))
    )


def is_tool(values: Values) -> bool:
    """Return whether a value looks like the name of a tool, or names its purpose."""
    value = values["value"]
    if not is_concrete(values) or re.match(r"(?:an?|our|my|lots?|many|much|only)\b", value, re.I):
        return False
    purpose = re.search(r"\b(?:for|as|to|with|in|on)\b", value)
    return bool(purpose) or len(value.split()) == 1 or value[0].isupper() or value[0] == "`"


def is_named_tool(values: Values) -> bool:
    value = values["value"]
    purpose = re.search(r"\b(?:for|as)\b", value)
    return is_tool(values) and (bool(purpose) or value[0].isupper() or value[0] == "`")


def is_rule(values: Values) -> bool:
    words = words_of(values["value"])
    pointing = listed("pointing_anywhere") - {"you", "your"}  # the assistant
    imperative = (
        len(words) >= 2
        and words[0] in listed("imperatives")
        and " ".join(words[:2]) not in listed("sayings")
    )
    return imperative and pointing.isdisjoint(words) and words[-1] != "that"


def are_short(values: Values) -> bool:
    """Return whether the new and the old value are short."""
    texts = [values[name] for name in ("value", "old") if name in values]
    return is_concrete(values) and all(len(text.split()) <= 6 for text in texts)


def is_decision(values: Values) -> bool:
    words = values["value"].lower().split()
    return len(words) >= 3 and not {
        "this",
        "these",
        "it",
        "first",
        "second",
        "same",
        "following",
    } & set(words)


def is_brief(values: Values) -> bool:
    return len(values["value"].split()) <= 8 and is_concrete({"other": values["value"].split()[-1]})


def is_new_tool(values: Values) -> bool:
    return are_short(values) and is_named_tool(values)


def is_new_tool_for_part(values: Values) -> bool:
    """Return whether a part has a new tool. A meeting that moves to Friday has no new tool."""
    return is_new_tool(values) and not _DAY_OR_TIME.match(values["value"])


def is_food(values: Values) -> bool:
    return is_concrete(values) and values["list"].split()[0] not in ("enough", "much", "anything")


def is_allergen(values: Values) -> bool:
    """Return whether a value can cause an allergy. Some people use the word for a dislike."""
    jokes = ("bullshit", "mornings", "mondays", "nonsense", "meetings", "work", "people", "drama")
    return is_concrete(values) and not values["list"].lower().startswith(jokes)


def is_preferred_over(values: Values) -> bool:
    """Return whether a value has an alternative; "to do it well" after a value is a purpose."""
    first = first_word(values["other"])
    known = verbs().get(first)
    purpose = first.endswith("ly") or (known is not None and known.tense is Tense.PRESENT)
    return is_preferred(values) and not purpose and first != "be"


def is_liked(values: Values) -> bool:
    """Return whether a value is liked for good; "I'd love to help" is a courtesy."""
    courtesy = re.match(r"to (?:help|hear|see|know|chat|meet|assist)\b|it\b", values["list"])
    return is_concrete(values) and not courtesy


def is_preferred(values: Values) -> bool:
    return is_concrete(values) and not values["value"].lower().startswith("option")


def is_habit(values: Values) -> bool:
    regular = re.search(
        r"\b(?:on|to|with|in|every|from|at|via|through|twice|once|daily)\b", values["value"]
    )
    return bool(regular) and is_concrete({"other": values["value"].removeprefix("the ")})


def is_command(values: Values) -> bool:
    trouble = ("error", "warning", "issue", "problem", "no ", "out")
    return is_concrete_part(values) and not values["value"].startswith(trouble)


def is_concrete_part(values: Values) -> bool:
    return is_concrete({name: text for name, text in values.items() if name != "what"}) and (
        first_word(values["what"]) not in ("this", "that", "your", "his", "her", "their", "a", "an")
    )


def is_capitalised(values: Values) -> bool:
    return values["value"][0].isupper()


def is_capitalised_place(values: Values) -> bool:
    return is_place(values) and is_capitalised(values)


def is_pronouns(values: Values) -> bool:
    return values["value"].split("/")[0].lower() in ("she", "he", "they", "xe", "ze", "it")


def is_day(values: Values) -> bool:
    return is_date(values) and not is_year(values)


def is_team_tool(values: Values) -> bool:
    value = values["value"]
    first = first_word(value)
    return (
        is_concrete(values)
        and len(value.split()) <= 5
        and not first.endswith(("ing", "ed", "ly", "n't"))
        and (value[0].isupper() or first in ("at", "on", "every", "`"))
    )


def are_short_without_article(values: Values) -> bool:
    return are_short(values) and first_word(values["value"]) not in ("a", "an", "my")


def is_concrete_deed(values: Values) -> bool:
    return is_concrete({"other": values["what"]})


def ends_well(values: Values) -> bool:
    """Return whether a value does not end in a word that leaves something open."""
    last = words_of(values["what"])[-1]
    return last not in ("from", "to", "for", "by", "at", "in", "on", "with", "meet")


def stands_alone(text: str) -> bool:
    """Return whether a text can be understood without the messages before it."""
    pointing = re.search(r"\b(?:this|these|those|above|below)\b", text, re.IGNORECASE)
    return len(text.split()) >= 3 and first_word(text) not in listed("dependent") and not pointing


def set_in(value: str) -> str:
    return value


def as_sentence(text: str) -> str:
    """Return a statement about the user as a sentence."""
    text = " ".join(third_person(text).split())
    return text[:1].upper() + text[1:]
