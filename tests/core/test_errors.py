"""The errors are one tree, which a page of the documentation draws."""

from __future__ import annotations

import inspect
import re

import pytest

from erstwhile import AmbiguousIdError, ErstwhileError
from erstwhile.core import errors
from tests.docs.pages import PROJECT

CLASSES = [
    member
    for _, member in inspect.getmembers(errors, inspect.isclass)
    if issubclass(member, ErstwhileError)
]
_LINE = re.compile(r"^([│├└─ ]*)(\w+Error)(?: {2}|$)", re.MULTILINE)


def drawn() -> dict[str, str | None]:
    """Return each class of the drawing with its parent."""
    parents: dict[str, str | None] = {}
    path: list[str] = []
    for indent, name in _LINE.findall((PROJECT / "docs/reference/errors.md").read_text("utf-8")):
        del path[len(indent) // 4 :]
        parents[name] = path[-1] if path else None
        path.append(name)
    return parents


def test_the_drawing_is_the_tree() -> None:
    classes = inspect.getmembers(errors, inspect.isclass)
    bases = {name: each.__bases__[0].__name__ for name, each in classes}
    assert drawn() == {**bases, "ErstwhileError": None}


@pytest.mark.parametrize("error", CLASSES)
def test_an_error_says_what_it_means(error: type[ErstwhileError]) -> None:
    assert inspect.getdoc(error)
    assert re.fullmatch(r"[a-z_]+", error.code)
    assert [each for each in CLASSES if each.code == error.code] == [error]


def test_a_message_carries_its_remedy() -> None:
    error = ErstwhileError("it broke", remedy="mend it")
    assert (str(error), error.message, error.remedy) == ("it broke: mend it", "it broke", "mend it")
    assert str(ErstwhileError("it broke")) == "it broke"


def test_only_what_passes_is_worth_another_try() -> None:
    assert [each.__name__ for each in CLASSES if each.retryable] == [
        "BusyError", "EmbedderError", "UnavailableError",
    ]  # fmt: skip


def test_an_ambiguous_id_names_what_it_could_be() -> None:
    error = AmbiguousIdError("01", ("0123", "0145"))
    assert error.candidates == ("0123", "0145")
    assert "0145" in str(error)
