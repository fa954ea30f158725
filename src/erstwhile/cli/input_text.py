"""Texts that a command reads: from a file, or from standard input."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from erstwhile.core.errors import InvalidInputError


class InputText(click.types.StringParamType):
    """An argument that is a text, or `-` for the text of standard input.

    Commands read it when they run: parsing the arguments must not wait for input.
    """


def read_text(file: Path) -> str:
    """Return the text of a file, or of standard input if the file is `-`."""
    if file == Path("-"):
        return read_standard_input()
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem, remedy = f"byte {error.start} is not UTF-8", "save it as text in UTF-8"
    except OSError as error:
        problem, remedy = error.strerror or str(error), "check the path and its permissions"
    raise InvalidInputError(f"{file} cannot be read ({problem})", remedy=remedy)


def read_standard_input() -> str:
    """Return the text of standard input."""
    try:
        return (sys.stdin.buffer.read() if sys.stdin else b"").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"byte {error.start} of the input is not UTF-8", remedy="convert the input to UTF-8"
        ) from None
