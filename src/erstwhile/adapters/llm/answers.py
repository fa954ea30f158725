"""What a language model said, read as one JSON object.

Models wrap it in prose, in fences, in thoughts and in further objects, and leave a comma too many.
All that is forgiven. What is cut off, doubtful or said twice is an error: no answer is ever mended
into less than was said.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from erstwhile.adapters.llm.schema_validation import fitted, unusable

_STRING = r'"(?:[^"\\]|\\.)*+'
_MARK = re.compile(rf'{_STRING}(?:"|\Z)|[{{}}\[\]]', re.DOTALL)
"""A bracket, or a string with all brackets in it, which goes on to the end if nothing closes it."""
_COMMA = re.compile(rf'({_STRING}")|,(?=\s*[}}\]])', re.DOTALL)
"""A comma before a closing bracket; or a string, so that none in it is meant."""
_MARKED = "(?:think(?:ing)?|thought|reasoning)"
_THOUGHTS = re.compile(rf"\A\s*(?:<{_MARKED}>.*?|[^{{\[`\s<].*?\n)</{_MARKED}>", re.DOTALL)
"""Of some models only the end is marked, since their beginning stands in the prompt."""
_OPEN_THOUGHTS = re.compile(rf"\A\s*<{_MARKED}>")
_OPENING = re.compile(r"[{\[]")
_MEANT = re.compile(r'"|\{[^{}]*:')
"""What tells broken JSON from words in brackets, such as {name} or [see above]."""


def parse(text: str, schema: Mapping[str, Any], *, list_key: str | None = None) -> dict[str, Any]:
    """The object in the text, of the shape that the schema asks for; LlmError if there is none.

    An object around it is taken off. A list in its place becomes its field `list_key`.
    """
    try:
        found = _only(list(_values(_spoken(text))))
        answer: dict[str, Any] = fitted(_unwrapped(found, schema, list_key), schema)
    except RecursionError:
        raise unusable("the answer is nested too deeply") from None
    return answer


def _spoken(text: str) -> str:
    """The text after what the model thought by itself."""
    spoken = _THOUGHTS.sub("", text.removeprefix("\ufeff"), count=1)
    if _OPEN_THOUGHTS.match(spoken):
        raise unusable("the answer ends before the model stopped thinking")
    return spoken


def _only(values: list[Any]) -> Any:
    wanted = [value for value in values if not _is_note(value)] or values
    if not wanted:
        raise unusable("the answer holds no JSON")
    if any(each != wanted[0] for each in wanted):
        raise unusable("the answer holds several JSON values")
    return wanted[0]


def _is_note(value: Any) -> bool:
    """Such as [1] or [ ], which stand in prose, too."""
    return isinstance(value, list) and all(isinstance(each, int) for each in value)


def _values(text: str) -> Iterator[Any]:
    """Every JSON value that stands on its own; in none of them is looked for another."""
    for part in _parts(text):
        try:
            yield _decoded(part)
        except ValueError:
            if _MEANT.search(part):
                raise unusable("the answer is not valid JSON") from None


def _parts(text: str) -> Iterator[str]:
    """What stands between an opening bracket and the one that closes it."""
    end = 0
    while opening := _OPENING.search(text, end):
        end = _end(text, opening.start())
        yield text[opening.start() : end]


def _end(text: str, start: int) -> int:
    depth = 0
    for mark in _MARK.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(mark[0], 0)
        if depth == 0:
            return mark.end()
    raise unusable("the answer is cut off")


def _decoded(part: str) -> Any:
    try:
        return _loads(part)
    except ValueError:
        return _loads(_COMMA.sub(r"\1", part))


def _loads(part: str) -> Any:
    # Models put plain line breaks into strings, which is not strict, and clear enough.
    return json.loads(
        part,
        strict=False,
        parse_float=_finite,
        parse_constant=_refuse,
        object_pairs_hook=_fields,
    )


def _finite(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _refuse(written)


def _refuse(number: str) -> NoReturn:
    raise ValueError(f"{number} is no number")


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two fields of one name, neither may be lost."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is there twice")
    return fields


def _unwrapped(value: Any, schema: Mapping[str, Any], list_key: str | None) -> Any:
    """The value inside of objects that have nothing in common with the schema."""
    known = schema.get("properties", {}).keys()
    while known and isinstance(value, dict) and value and not value.keys() & known:
        inner = [each for each in value.values() if isinstance(each, dict | list)]
        if len(inner) != 1:
            raise unusable("the answer has none of the fields that were asked for")
        value = inner[0]
    return {list_key: value} if isinstance(value, list) and list_key is not None else value
