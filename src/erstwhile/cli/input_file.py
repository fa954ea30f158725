"""The text of a file that a command was given; `-` is standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from erstwhile.core.errors import InvalidInputError


def text_of(file: Path) -> str:
    """What stands in it, or why that cannot be read and what to do."""
    try:
        return _bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem, remedy = f"byte {error.start} is not UTF-8", "save it as text in UTF-8"
    except OSError as error:
        problem, remedy = error.strerror or str(error), "check the path and its rights"
    raise InvalidInputError(f"{file} cannot be read ({problem})", remedy=remedy)


def _bytes(file: Path) -> bytes:
    if file != Path("-"):
        return file.read_bytes()
    return sys.stdin.buffer.read() if sys.stdin else b""
