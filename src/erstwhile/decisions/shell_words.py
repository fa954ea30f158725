"""What the words of single programs say: code, files that are found, and texts that are printed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from erstwhile.decisions.program_table import PatternList
from erstwhile.decisions.shell_expansion import GLOB, HOLE, MANY, hide_patterns, unescaped
from erstwhile.decisions.shell_parser import Command


def python_module(words: Sequence[str]) -> Sequence[str]:
    """Return the module of `python -m MODULE` with its arguments."""
    for place, word in enumerate(words[1:], start=1):
        if re.fullmatch(r"-[A-Za-z]*m", word):
            return words[place + 1 :]
        if word[:1] != "-" or re.fullmatch(r"-[A-Za-z]*c", word):
            break
    return []


MARKS: dict[str, PatternList] = {
    **dict.fromkeys(("sed", "gsed"), "running_sed"),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), "running_awk"),
}


def is_hole(text: str) -> bool:
    return bool(text) and not HOLE.sub("", text).strip()


def is_standard_input(word: str) -> bool:
    return word == "-" or bool(re.fullmatch(r"/dev/stdin|/dev/fd/.*|/proc/.*/fd/.*", word))


def inline_codes(words: Sequence[str], inline: Iterable[str]) -> Iterator[str]:
    """Yield the code among the words of an interpreter's call."""
    options = set(inline)
    if "-" in options:  # each word of it may be code, as in `sed`
        yield from (word for word in words[1:] if word[:2] != "--" or "=" in word)
        return
    letters = {option[1] for option in options if len(option) == 2}
    for before, word in pairwise(words):
        cluster = re.fullmatch(r"-([A-Za-z0-9]+)", before)
        if before in options or (cluster and not letters.isdisjoint(cluster[1])):
            yield word
        name, given, value = word.partition("=")
        if given and name in options:
            yield value
        elif (word[:2] in options and len(word) > 2) or (word[:1] == "+" and "+" in options):
            yield word[2:] if word[0] == "-" else word


def replaced_mark(word: str) -> str:
    """Return the mark that `xargs -I MARK` replaces."""
    found = re.fullmatch(r"-I(.+)|--replace=(.+)", word)
    return (found[1] or found[2]) if found else "{}" if word in ("-I", "-i", "--replace") else ""


def found_files(words: Sequence[str]) -> str:
    """Return the pattern of the files that a call of `find` finds."""
    starts = []
    for word in words[1:]:
        if word[:1] in "-(!":
            break
        starts.append(word)
    names = [after for before, after in pairwise(words) if before == "-name"]
    if {"!", "-not", "-o", "-or", ","} & set(words):
        names = []
    start = starts[0] if len(starts) == 1 else GLOB if starts else "."
    if not names:
        return start
    return posixpath.join(start, GLOB + hide_patterns(names[-1]))


def printed(command: Command | None) -> str:
    """Return what a command prints, as far as it is known."""
    words = command.words if command else [""]
    match words[:1]:
        case ["echo"]:
            said = [word for word in words[1:] if not re.fullmatch(r"-[neE]+", word)]
            text = " ".join(said)
            return MANY if "\\" in text else text
        case ["printf"] if len(words) > 1:
            text = unescaped(words[1]).replace("%%", "%")
            for word in words[2:]:
                text = re.sub("%[sb]", lambda _, word=word: word, text, count=1)  # type: ignore[misc]
            return MANY if re.search(r"%[^ ]|\\", text) else text
        case ["cat" | "tee"] if command and command.texts and "-" not in words[-1]:
            return "\n".join(command.texts)
    return MANY
