"""Named SQL statements. The engines share them, and override a statement where it must differ.

A file holds statements (`-- name: …`) and fragments (`-- fragment: …`). `{{slot}}` in a text is
filled with `slot.choice` when the caller makes a choice, else with the fragment of that name. So
one statement serves a viewer in a scope or an administrator, the present or the past.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from pathlib import Path

_PART = re.compile(r"^-- (name|fragment): (\S+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^--.*\n", re.MULTILINE)
SLOT = re.compile(r"\{\{(\w+)\}\}")


class Statements(dict[tuple[str, ...], str]):
    """The statements of one dialect, by name and choices; each is filled on first use."""

    def __init__(self, texts: dict[str, str], fragments: dict[str, str]) -> None:
        self.texts = texts
        self.fragments = fragments

    def __missing__(self, key: tuple[str, ...]) -> str:
        name, *choices = key
        text = self[key] = self._fill(self.texts[name], choices)
        return text

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.texts)

    def filled(self, fragments: dict[str, str]) -> Statements:
        """Return the same statements with more fragments."""
        return Statements(self.texts, {**self.fragments, **fragments})

    def _fill(self, text: str, choices: list[str]) -> str:
        while slot := SLOT.search(text):
            keys = [*(f"{slot[1]}.{choice}" for choice in choices), slot[1]]
            part = next(self.fragments[key] for key in keys if key in self.fragments)
            text = text.replace(slot[0], part)
        return text


@cache
def load(dialect: str, *folders: Path) -> Statements:
    """Read the shared files of the folders, then the files of the dialect, which override them.

    Without folders, read the folder `sql` of every package of Erstwhile.
    """
    texts: dict[str, str] = {}
    fragments: dict[str, str] = {}
    for part, folder in product((".", dialect), folders or sql_folders()):
        for file in sorted((folder / part).glob("*.sql")):
            _, *pieces = _PART.split(file.read_text("utf-8"))
            for kind, name, body in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
                text = _COMMENT.sub("", body).strip().removesuffix(";")
                (texts if kind == "name" else fragments)[name] = text
    return Statements(texts, fragments)


def sql_folders() -> tuple[Path, ...]:
    """Return the folder `sql` of every package that has one."""
    return tuple(sorted(Path(__file__).parents[1].glob("*/sql")))
