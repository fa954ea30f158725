"""Find the prose in a text: remove code, quotations and recalled memory.

A removed part leaves a line break, so that the text before and after it is not one sentence.
"""

from __future__ import annotations

import re

from erstwhile.core.memory_markers import without_memory

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*+>[^\n]*", re.MULTILINE)
# It contains no opening mark: many opening marks in a row would take quadratic time.
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|「[^「」\n]*」|『[^『』\n]*』"
    r"|《[^《》\n]*》"
)
_MACHINE = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL"
    r"|TRACE|CRITICAL)[\]:| ]|Traceback \(most recent|File \"|at [\w.$<>]+\(|Caused by:"
    r"|[\w.]*(?:Error|Exception):|[$%] \S|>>> |\.\.\. |diff --git |@@ |\+\+\+ |--- \S|[+-] "
    r"?\w.*[;{(]$|import [\w.{*]+;?$|from [\w.]+ import |#include|(?:const|let|var) \w+ ?="
    r"|(?:async )?def \w+\(|func \w+\(|class \w+ ?[:({]|.*[;{}]$|[\])}]+[,;]?$"
)
_LONGEST = 300
"""The number of characters of a line that are examined."""


def without_code(text: str) -> str:
    """Return the text without blocks of code and recalled memory."""
    return _CODE.sub("\n", without_memory(text))


def prose(text: str) -> str:
    """Return the text without code, recalled memory, quoted lines and quotations."""
    return _QUOTED.sub("\n", _QUOTED_LINE.sub("", without_code(text)))


def is_machine_text(line: str) -> bool:
    """Return whether a line looks like a log, a stack trace or a program."""
    return _MACHINE.match(line.strip()[:_LONGEST]) is not None
