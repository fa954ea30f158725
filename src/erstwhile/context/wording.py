"""The words of a context that are not memory: a file per section, in English and Chinese.

A folder of one's own replaces single files. Each is checked when it is read, since a mistake in it
would otherwise show in a prompt, where nobody looks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import NamedTuple

from erstwhile.context.model import Section
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.memory_markers import CLOSING, OPENING

_HOME = Path(__file__).parent / "templates"
_CHINESE = "zh"
_WORDS = "words"
_HINTS = (Section.LANGUAGE, Section.ONBOARDING)
_PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    **{section: frozenset(("items",)) for section in Section if section not in _HINTS},
    "group": frozenset(("name", "items")),
    "preamble": frozenset(),
    Section.LANGUAGE: frozenset(("language",)),
    Section.ONBOARDING: frozenset(("hint",)),
}
"""What each file must hold, and nothing else."""
_WORD = re.compile(r"^- (\w+): (.+)$", re.MULTILINE)


class Frame(NamedTuple):
    """What stands before and after items."""

    opening: str
    closing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The texts of one language, with those of a user's own folder in their place."""

    texts: Mapping[str, str]
    words: Mapping[str, str]

    @property
    def preamble(self) -> str:
        return self.texts["preamble"].format()

    def frame(self, section: Section) -> Frame:
        return _frame(self.texts[section].format(items="\0"))

    def group(self, kind: str) -> Frame:
        return _frame(self.texts["group"].format(name=self.words[kind], items="\0"))

    def hint(self, section: Section, text: str) -> str:
        [name] = _PLACEHOLDERS[section]
        return self.texts[section].format(**{name: text})

    def word(self, name: str, **values: str | int) -> str:
        return self.words[name].format(**values)


def wording(language: str | None, folder: str | PathLike[str] | None) -> Wording:
    """For a language code, with the files of a folder in the place of those that come with us."""
    usual = _usual(_CHINESE if (language or "").split("-")[0] == _CHINESE else "en")
    if folder is None:
        return usual
    own = _read(_checked_folder(folder))
    words = own.pop(_WORDS, None)
    return Wording(
        texts={**usual.texts, **{name: text for name, (_, text) in own.items()}},
        words=usual.words if words is None else {**usual.words, **_own_words(*words)},
    )


@cache
def _usual(language: str) -> Wording:
    texts = {name: text for name, (_, text) in _read(_HOME / language).items()}
    words = dict(_WORD.findall(texts.pop(_WORDS)))
    return Wording(texts=MappingProxyType(texts), words=MappingProxyType(words))


def _read(folder: Path) -> dict[str, tuple[Path, str]]:
    """The files that are there, each checked."""
    found: dict[str, tuple[Path, str]] = {}
    for name in (*_PLACEHOLDERS, _WORDS):
        file = folder / f"{name}.md"
        if file.is_file():
            found[name] = file, _checked(file, name)
    return found


def _checked_folder(folder: str | PathLike[str]) -> Path:
    try:
        path = Path(fspath(folder)).expanduser()
    except (TypeError, RuntimeError):  # no path, or one of a user who has no home
        raise _no_folder(folder) from None
    if not path.is_dir():
        raise _no_folder(path)
    return path


def _no_folder(named: object) -> InvalidInputError:
    return InvalidInputError(f"there is no folder {named}", remedy="name a folder of templates")


def _checked(file: Path, name: str) -> str:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{file} cannot be read: {error}") from None
    if OPENING in text or CLOSING in text or "\0" in text:
        raise _broken(file, f"{OPENING} and {CLOSING} are put round memory, and nowhere else")
    if name != _WORDS:
        _check_placeholders(file, text, _PLACEHOLDERS[name])
    return text if text.endswith("\n") else f"{text}\n"


def _check_placeholders(file: Path, text: str, wanted: frozenset[str]) -> None:
    found = _placeholders(file, text)
    for name in found:
        if name not in wanted:
            raise _broken(file, f"the placeholder {{{name}}} has no meaning there")
    for name in sorted(wanted):
        if name not in found:
            raise _broken(file, f"the placeholder {{{name}}} is missing")
    if "items" in wanted and re.findall(r"^.*\{items\}.*$", text, re.MULTILINE) != ["{items}"]:
        raise _broken(file, "the placeholder {items} must stand once, on a line of its own")


def _placeholders(file: Path, text: str) -> list[str]:
    try:
        fields = [field[1:] for field in Formatter().parse(text) if field[1] is not None]
    except ValueError as error:
        raise _broken(file, f"{error}; a brace that is meant as such is written twice") from None
    for name, form, conversion in fields:
        if form or conversion:
            raise _broken(file, f"the placeholder {{{name}}} cannot be given a format")
    return [str(name) for name, _, _ in fields]


def _own_words(file: Path, text: str) -> dict[str, str]:
    known, words = _usual("en").words, dict(_WORD.findall(text))
    for name, word in words.items():
        if name not in known:
            raise _broken(file, f"the word {name!r} is used nowhere")
        if "[" in word or "]" in word:
            raise _broken(file, f"the word {name!r} holds a bracket, which ends the notes")
        allowed = _placeholders(file, known[name])
        for placeholder in _placeholders(file, word):
            if placeholder not in allowed:
                raise _broken(file, f"the placeholder {{{placeholder}}} has no meaning there")
    return words


def _frame(text: str) -> Frame:
    opening, closing = text.split("\0\n")
    return Frame(opening, closing)


def _broken(file: Path, why: str) -> InvalidInputError:
    return InvalidInputError(
        f"the template {file} is broken: {why}", remedy="see docs/reference/context.md"
    )
