"""Parsing of a language model's answer into one JSON object.

Models wrap the object in prose, in fences, in thoughts and in other objects, and add extra commas.
All of this is accepted. An answer that is cut off or ambiguous is an error: nothing that the
model wrote is ever dropped to make an answer valid.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from erstwhile.adapters.llm.schema_validation import unusable, validated

_STRING = r'"(?:[^"\\]|\\.)*+'
_MARK = re.compile(rf'{_STRING}(?:"|\Z)|[{{}}\[\]]', re.DOTALL)
"""A bracket; or a whole string, so that brackets in it are skipped."""
_COMMA = re.compile(rf'({_STRING}")|,(?=\s*[}}\]])', re.DOTALL)
"""A comma before a closing bracket; or a whole string, so that commas in it are skipped."""
_MARKED = "(?:think(?:ing)?|thought|reasoning)"
_THOUGHTS = re.compile(rf"\A\s*(?:<{_MARKED}>.*?|[^{{\[`\s<].*?\n)</{_MARKED}>", re.DOTALL)
"""The thoughts before an answer. Some models mark only their end."""
_OPEN_THOUGHTS = re.compile(rf"\A\s*<{_MARKED}>")
_OPENING = re.compile(r"[{\[]")
_LOOKS_LIKE_JSON = re.compile(r'"|\{[^{}]*:')
"""Distinguishes broken JSON from words in brackets, such as {name} or [see above]."""


def parse(text: str, schema: Mapping[str, Any], *, list_key: str | None = None) -> dict[str, Any]:
    """Return the object in a text that fits the schema. Raise LlmError if there is none.

    An object around it is removed. A list instead of an object becomes its field `list_key`.
    """
    try:
        found = _only(list(_values(_without_thoughts(text))))
        answer: dict[str, Any] = validated(_unwrapped(found, schema, list_key), schema)
    except RecursionError:
        raise unusable("the answer is nested too deeply") from None
    return answer


def _without_thoughts(text: str) -> str:
    """Return the text after the model's thoughts."""
    rest = _THOUGHTS.sub("", text.removeprefix("\ufeff"), count=1)
    if _OPEN_THOUGHTS.match(rest):
        raise unusable("the answer ends before the model stopped thinking")
    return rest


def _only(values: list[Any]) -> Any:
    answers = [value for value in values if not _is_note(value)] or values
    if not answers:
        raise unusable("the answer holds no JSON")
    if any(each != answers[0] for each in answers):
        raise unusable("the answer holds several JSON values")
    return answers[0]


def _is_note(value: Any) -> bool:
    """Return whether a value is a list such as [1] or [ ], which also occurs in prose."""
    return isinstance(value, list) and all(isinstance(each, int) for each in value)


def _values(text: str) -> Iterator[Any]:
    """Yield every JSON value that is not inside another one."""
    for part in _parts(text):
        try:
            yield _decoded(part)
        except ValueError:
            if _LOOKS_LIKE_JSON.search(part):
                raise unusable("the answer is not valid JSON") from None


def _parts(text: str) -> Iterator[str]:
    """Yield each part from an opening bracket to the one that closes it."""
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
    # Models put plain line breaks into strings: not strict JSON, but unambiguous.
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
    raise ValueError(f"{number} is not a number")


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields as a dict. Raise ValueError if a name occurs twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field occurs twice")
    return fields


def _unwrapped(value: Any, schema: Mapping[str, Any], list_key: str | None) -> Any:
    """Remove outer objects that have no field of the schema."""
    known = schema.get("properties", {}).keys()
    while known and isinstance(value, dict) and value and not value.keys() & known:
        inner = [each for each in value.values() if isinstance(each, dict | list)]
        if len(inner) != 1:
            raise unusable("the answer has none of the requested fields")
        value = inner[0]
    return {list_key: value} if isinstance(value, list) and list_key is not None else value
