"""Add entries to a JSON settings file of another program, and remove them again.

A file with comments keeps them: entries go after its first brace as text.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from erstwhile.core.errors import ConflictError, InvalidInputError

_COMMENT = re.compile(r'("(?:\\.|[^"\\])*+"?|/\*(?!.*?\*/).*)|//[^\n]*|/\*.*?\*/', re.DOTALL)
"""A comment; the group matches other text: a string, or a comment without an end."""
_LAST_COMMA = re.compile(r'("(?:\\.|[^"\\])*+"?)|,(?=\s*[}\]])', re.DOTALL)
_NOTHING = object()
"""No value: neither an entry nor null."""


def merged(path: Path, text: str | None, added: dict[str, Any]) -> str:
    """Return the text of a settings file with entries added."""
    if text is None or not text.strip():
        return _written(added)
    before, has_comments = read_settings(path, text)
    after = _union(path, before, added)
    if not has_comments:
        return _written(after, indent=_indent_of(text))
    if set(before) & set(added):
        raise ConflictError(
            f"{path} has comments, and entries at {', '.join(set(before) & set(added))}",
            remedy=f"add this by hand:\n{_written(added)}",
        )
    start = text.index("{") + 1
    lines = _written(added).strip()[1:-1].rstrip()
    inserted = f"{text[:start]}{lines}{',' if before else ''}{text[start:]}"
    if read_settings(path, inserted)[0] != after:
        raise InvalidInputError(
            f"{path} cannot be changed safely", remedy=f"add this by hand:\n{_written(added)}"
        )
    return inserted


def contains(path: Path, text: str, added: dict[str, Any]) -> bool:
    """Return whether a settings file has all of these entries."""
    present, _ = read_settings(path, text)
    try:
        return bool(_union(path, present, added) == present)
    except ConflictError:
        return False


def without(path: Path, now: str, backup: str | None, added: dict[str, Any]) -> str:
    """Return the text of a file that changed since, without the entries that were added.

    `backup` is the file before they were added: what it had stays.
    """
    present, has_comments = read_settings(path, now)
    before = read_settings(path, backup)[0] if backup and backup.strip() else {}
    if has_comments:
        raise ConflictError(
            f"{path} has comments, and was changed since",
            remedy=f"remove these entries by hand:\n{_written(added)}",
        )
    left = _difference(present, added, before)
    return _written(left, indent=_indent_of(now))


def _union(path: Path, before: Any, added: Any) -> Any:
    """Return a value with entries added: objects by name, lists at their end."""
    if isinstance(before, dict) and isinstance(added, dict):
        names = {**before, **added}
        both = before.keys() & added.keys()
        return {**names, **{name: _union(path, before[name], added[name]) for name in both}}
    if isinstance(before, list) and isinstance(added, list):
        return [*before, *(each for each in added if each not in before)]
    if before == added:
        return before
    raise ConflictError(
        f"{path} has another value already: {json.dumps(before)[:80]}",
        remedy="remove or rename it, and install again",
    )


def _difference(now: Any, added: Any, before: Any) -> Any:
    """Return a value without the added entries, or `_NOTHING`. Earlier entries stay."""
    if isinstance(now, dict) and isinstance(added, dict):
        known = before if isinstance(before, dict) else {}
        left = {
            name: _difference(value, added[name], known.get(name, _NOTHING))
            if name in added
            else value
            for name, value in now.items()
        }
        kept: Any = {name: value for name, value in left.items() if value is not _NOTHING}
    elif isinstance(now, list) and isinstance(added, list):
        stays = before if isinstance(before, list) else []
        kept = [each for each in now if each in stays or each not in added]
    else:
        return _NOTHING if now == added and before is _NOTHING else now
    return _NOTHING if not kept and before is _NOTHING else kept


def read_settings(path: Path, text: str) -> tuple[dict[str, Any], bool]:
    """Return the object in a file, and whether the file has comments."""
    plain = _LAST_COMMA.sub(r"\1", _COMMENT.sub(r"\1", text))
    try:
        value = json.loads(plain)
    except ValueError as error:
        raise InvalidInputError(
            f"{path} is not valid JSON ({error})", remedy="correct it, and try again"
        ) from None
    if not isinstance(value, dict):
        raise InvalidInputError(f"{path} holds no JSON object", remedy="correct it")
    return value, plain != text


def _indent_of(text: str) -> int:
    found = re.search(r"\n( +)\S", text)
    return len(found[1]) if found else 2


def _written(value: Any, *, indent: int = 2) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False) + "\n"
