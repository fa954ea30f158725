"""What statements such as those of SQL do, and to what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from erstwhile.decisions.program_table import families, listed, words_of
from erstwhile.decisions.shell_expansion import MANY

_STRING = re.compile(r"'[^']*'")
_PART = re.compile(r"[A-Z]?[a-z][a-z0-9]*|[A-Z]+(?![a-z])|\d+|[A-Z]")
_METHOD = re.compile(r"\.(\w+)\s*\(")
_COLLECTION = re.compile(r"db\W+(\w+)\W*\.")
_WHOLE = frozenset(("schema", "database", "owned"))
_WORD = re.compile(r"\w+")


def split_word(word: str) -> list[str]:
    """Return the parts of a word: `drop`, `database` for `dropDatabase`."""
    parts = [each.casefold() for each in _PART.findall(word)]
    return [each for each in parts if len(each) > 1 or len(parts) == 1 or each.isdigit()]


def tells(text: str) -> bool:
    """Return whether statements only tell something; what a function is given may be run."""
    if MANY in text or "/*" in text:
        return False
    plain = text.casefold()
    plain = plain if "(" in _STRING.sub("", plain) else _STRING.sub("", plain)
    if methods := _METHOD.findall(text):
        return words_of("reading").issuperset(split_word(each)[0] for each in methods)
    words = _WORD.findall(plain)
    if words[:1] == ["explain"] and ";" not in plain and "analyze" not in words:
        return True
    verbs = [each.split()[0] for each in plain.split(";") if each.strip()]
    reads = bool(verbs) and words_of("reading_statements").issuperset(verbs)
    return reads and words_of("changing_statements").isdisjoint(words)


def is_statement(text: str) -> bool:
    """Return whether a text is a statement that changes something."""
    return text.partition(" ")[0].casefold() in words_of("changing_statements")


def may_be_statement(text: str) -> bool:
    """Return whether a text begins as a statement does, or calls a method of a collection."""
    reads = text.partition(" ")[0].casefold() in words_of("reading_statements")
    return reads or is_statement(text) or bool(_METHOD.search(text))


def statement_verbs(text: str) -> Iterator[str]:
    """Yield the words of a statement that say what it does."""
    known = words_of("changing_statements") | words_of("reading_statements")
    known |= families("same_verbs").keys()
    for word in _WORD.findall(text):
        yield from (each for each in (word.casefold(), *split_word(word)) if each in known)


def names_all(text: str) -> bool:
    """Return whether a statement is about a whole database."""
    return not _WHOLE.isdisjoint(_WORD.findall(text.casefold()))


def statement_targets(text: str) -> set[str]:
    """Return what a statement that changes something names, such as a table."""
    if collection := _COLLECTION.match(text):
        return {collection[1].casefold()}
    words = _WORD.findall(re.split(r"\bwhere\b|\bset\b|\bvalues\b", text.casefold())[0])
    verbs = words_of("changing_statements") | words_of("reading_statements")
    if not words or words[0] not in verbs | families("same_verbs").keys():
        return set()
    return set(words) - verbs - families("same_verbs").keys() - listed("statement_fillers")
