"""The templates of a context: headings and hints, one file per section, in English and Chinese.

A custom folder can replace single files. Each file is checked when it is read, because a mistake
in a prompt is hard to notice.
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
from erstwhile.core.text import MEMORY_CLOSING, MEMORY_OPENING

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
"""The placeholders of each file: all are required, and no other is allowed."""
_WORD = re.compile(r"^- (\w+): (.+)$", re.MULTILINE)


class Frame(NamedTuple):
    """The text before and after items."""

    opening: str
    closing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The templates and words of one language, with those of a custom folder."""

    texts: Mapping[str, str]
    words: Mapping[str, str]

    @property
    def preamble(self) -> str:
        """The sentence before the first memory."""
        return self.texts["preamble"].format()

    def frame(self, section: Section) -> Frame:
        """Return the text around the items of a section."""
        return Frame(*self.texts[section].format(items="\0").split("\0\n"))

    def group(self, name: str) -> Frame:
        """Return the text around the items of a group, such as a day."""
        return Frame(*self.texts["group"].format(name=name, items="\0").split("\0\n"))

    def hint(self, section: Section, text: str) -> str:
        """Return the hint of a section with its value."""
        [name] = _PLACEHOLDERS[section]
        return self.texts[section].format(**{name: text})

    def word(self, name: str, **values: str | int) -> str:
        """Return a word or phrase of the notes with its values."""
        return self.words[name].format(**values)


def wording(language: str | None, folder: str | PathLike[str] | None) -> Wording:
    """Return the wording of a language code; files of `folder` replace the bundled ones."""
    bundled = _bundled(_CHINESE if (language or "").split("-")[0] == _CHINESE else "en")
    if folder is None:
        return bundled
    path = _checked_folder(folder)
    own = _read_templates(path)
    words = _own_words(path / f"{_WORDS}.md", own.pop(_WORDS, ""))
    return Wording(texts={**bundled.texts, **own}, words={**bundled.words, **words})


@cache
def _bundled(language: str) -> Wording:
    texts = _read_templates(_HOME / language)
    words = dict(_WORD.findall(texts.pop(_WORDS)))
    return Wording(texts=MappingProxyType(texts), words=MappingProxyType(words))


def _read_templates(folder: Path) -> dict[str, str]:
    files = {name: folder / f"{name}.md" for name in (*_PLACEHOLDERS, _WORDS)}
    return {name: _read_template(file, name) for name, file in files.items() if file.is_file()}


def _checked_folder(folder: str | PathLike[str]) -> Path:
    named: object = folder
    try:
        named = path = Path(fspath(folder)).expanduser()
        if path.is_dir():
            return path
    except (TypeError, RuntimeError):  # an invalid path, or an unknown home folder
        pass
    raise InvalidInputError(f"there is no folder {named}", remedy="give a folder of templates")


def _read_template(file: Path, name: str) -> str:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{file} cannot be read: {error}") from None
    if MEMORY_OPENING in text or MEMORY_CLOSING in text or "\0" in text:
        raise _broken(file, f"{MEMORY_OPENING} and {MEMORY_CLOSING} are reserved for memory")
    if name != _WORDS:
        _check_placeholders(file, text, _PLACEHOLDERS[name])
    return text if text.endswith("\n") else f"{text}\n"


def _check_placeholders(file: Path, text: str, required: frozenset[str]) -> None:
    found = _placeholders(file, text)
    for name in found:
        if name not in required:
            raise _broken(file, f"the placeholder {{{name}}} is unknown here")
    for name in sorted(required):
        if name not in found:
            raise _broken(file, f"the placeholder {{{name}}} is missing")
    if "items" in required and re.findall(r"^.*\{items\}.*$", text, re.MULTILINE) != ["{items}"]:
        raise _broken(file, "the placeholder {items} must occur once, alone on its line")


def _placeholders(file: Path, text: str) -> list[str]:
    try:
        fields = [field[1:] for field in Formatter().parse(text) if field[1] is not None]
    except ValueError as error:
        raise _broken(file, f"{error}; write a literal brace twice") from None
    for name, form, conversion in fields:
        if form or conversion:
            raise _broken(file, f"the placeholder {{{name}}} cannot have a format")
    return [str(name) for name, _, _ in fields]


def _own_words(file: Path, text: str) -> dict[str, str]:
    known, words = _bundled("en").words, dict(_WORD.findall(text))
    for name, word in words.items():
        if name not in known:
            raise _broken(file, f"the word {name!r} is unknown")
        if "[" in word or "]" in word:
            raise _broken(file, f"the word {name!r} has a bracket, which would end the notes")
        allowed = _placeholders(file, known[name])
        for placeholder in _placeholders(file, word):
            if placeholder not in allowed:
                raise _broken(file, f"the placeholder {{{placeholder}}} is unknown here")
    return words


def _broken(file: Path, why: str) -> InvalidInputError:
    return InvalidInputError(
        f"the template {file} is broken: {why}", remedy="see docs/reference/context.md"
    )
