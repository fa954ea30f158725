"""What somebody says in their own words: not code, not quotations, not recalled memory.

What is left out leaves a line break behind, so that what stood before and after it is not read as
one sentence.
"""

from __future__ import annotations

import re

from erstwhile.core.memory_markers import without_memory

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^[ \t]*+>[^\n]*", re.MULTILINE)
# No opening mark inside: otherwise a row of them would each be followed to the end.
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
"""More of a line tells no more of what it is."""


def without_code(text: str) -> str:
    """The text without blocks of code, and without recalled memory."""
    return _CODE.sub("\n", without_memory(text))


def prose(text: str) -> str:
    """The text without code, recalled memory, quoted lines and what is in quotation marks."""
    return _QUOTED.sub("\n", _QUOTED_LINE.sub("", without_code(text)))


def is_machine_text(line: str) -> bool:
    """Whether a line looks like one of a log, a stack trace or a program."""
    return _MACHINE.match(line.strip()[:_LONGEST]) is not None
