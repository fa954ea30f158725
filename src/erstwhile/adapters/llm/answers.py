"""Structured answers of language models: the schema sent to a server, and the parsed answer.

Models wrap the object in prose, in fences, in thoughts and in other objects, and add extra commas.
All of this is accepted. An answer that is cut off or ambiguous is an error: nothing that the
model wrote is ever dropped to make an answer valid.

Schemas use the keywords type, properties, required, items and enum. Error messages name the path in
the value, but never quote the value.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from erstwhile.core.errors import LlmError

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
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}
_SENT_KEYWORDS = ("description", "enum", "type")
_ANY = "any value"
_JSON_INSTRUCTIONS = (Path(__file__).parent / "answer_in_json.md").read_text("utf-8")


def parse(text: str, schema: Mapping[str, Any], *, list_key: str | None = None) -> dict[str, Any]:
    """Return the object in a text that fits the schema. Raise LlmError if there is none.

    An object around it is removed. A list instead of an object becomes its field `list_key`.
    """
    rest = _THOUGHTS.sub("", text.removeprefix("\ufeff"), count=1)
    if _OPEN_THOUGHTS.match(rest):
        raise unusable("the answer ends before the model stopped thinking")
    try:
        found = _single_value(list(_json_values(rest)))
        answer: dict[str, Any] = validated(_unwrap(found, schema, list_key), schema)
    except RecursionError:
        raise unusable("the answer is nested too deeply") from None
    return answer


def _single_value(values: list[Any]) -> Any:
    # A list such as [1] or [ ] also occurs in prose.
    answers = [
        value
        for value in values
        if not isinstance(value, list) or not all(isinstance(each, int) for each in value)
    ] or values
    if not answers:
        raise unusable("the answer holds no JSON")
    if any(each != answers[0] for each in answers):
        raise unusable("the answer holds several JSON values")
    return answers[0]


def _json_values(text: str) -> Iterator[Any]:
    """Yield every JSON value that is not inside another one."""
    end = 0
    while opening := _OPENING.search(text, end):
        end = _closing_bracket(text, opening.start())
        part = text[opening.start() : end]
        try:
            yield _decode(part)
        except ValueError:
            if _LOOKS_LIKE_JSON.search(part):
                raise unusable("the answer is not valid JSON") from None


def _closing_bracket(text: str, start: int) -> int:
    depth = 0
    for mark in _MARK.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(mark[0], 0)
        if depth == 0:
            return mark.end()
    raise unusable("the answer is cut off")


def _decode(part: str) -> Any:
    # Models put plain line breaks into strings: not strict JSON, but unambiguous.
    decoder = json.JSONDecoder(
        strict=False,
        parse_float=_finite_number,
        parse_constant=_finite_number,
        object_pairs_hook=_unique_fields,
    )
    try:
        return decoder.decode(part)
    except ValueError:
        return decoder.decode(_COMMA.sub(r"\1", part))


def _finite_number(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written} is not a number")
    return number


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields as a dict. Raise ValueError if a name occurs twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field occurs twice")
    return fields


def _unwrap(value: Any, schema: Mapping[str, Any], list_key: str | None) -> Any:
    """Remove outer objects that have no field of the schema."""
    known = schema.get("properties", {}).keys()
    while known and isinstance(value, dict) and value and not value.keys() & known:
        inner = [each for each in value.values() if isinstance(each, dict | list)]
        if len(inner) != 1:
            raise unusable("the answer has none of the requested fields")
        value = inner[0]
    return {list_key: value} if isinstance(value, list) and list_key is not None else value


def validated(value: Any, schema: Mapping[str, Any], place: str = "the answer") -> Any:
    """Return the value without unknown fields. Raise LlmError if it does not fit the schema.

    An optional field that is null counts as missing.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # in JSON, 3.0 is an integer
    types = types_of(schema)
    # In Python a bool is an int; in JSON it is not.
    if types and type(value) not in {each for name in types for each in _TYPES[name]}:
        raise unusable(f"{place} is not of the type {' or '.join(types)}")
    if "enum" in schema and value not in schema["enum"]:
        raise unusable(f"{place} is not one of {', '.join(map(str, schema['enum']))}")
    if isinstance(value, dict) and "properties" in schema:
        required = schema.get("required", ())
        if missing := [name for name in required if name not in value]:
            raise unusable(f"{place} has no {missing[0]}")
        return {
            name: validated(value[name], below, f"{place}.{name}")
            for name, below in schema["properties"].items()
            if name in value and (name in required or value[name] is not None)
        }
    if isinstance(value, list) and "items" in schema:
        items = schema["items"]
        return [validated(each, items, f"{place}[{nth}]") for nth, each in enumerate(value)]
    return value


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types that a schema allows; none means any type."""
    types = schema.get("type", ())
    return (types,) if isinstance(types, str) else tuple(types)


def unusable(message: str) -> LlmError:
    """Return the error for an answer that cannot be used."""
    return LlmError(message, remedy="try a more capable model", retryable=False)


def closed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema without further fields, and without keywords that servers may not know."""
    kept = {name: schema[name] for name in _SENT_KEYWORDS if name in schema}
    if "items" in schema:
        kept["items"] = closed(schema["items"])
    if "properties" in schema:
        below = {name: closed(each) for name, each in schema["properties"].items()}
        required = list(schema.get("required", ()))
        kept |= {"properties": below, "required": required, "additionalProperties": False}
    return kept


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the closed schema with every field required; an optional field may be null."""
    form = closed(schema)
    if "items" in form:
        form["items"] = strict(form["items"])
    if "properties" in form:
        fields = {name: strict(each) for name, each in form["properties"].items()}
        optional = fields.keys() - form["required"]
        form["properties"] = {
            name: _nullable(each) if name in optional else each for name, each in fields.items()
        }
        form["required"] = list(fields)
    return form


def in_words(schema: Mapping[str, Any]) -> str:
    """Return the schema as a form for the prompt. It takes less than half of the tokens.

    Small models sometimes repeat a schema instead of filling it in.
    """
    return _JSON_INSTRUCTIONS.replace("{{form}}", _outline(schema))


def _outline(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(json.dumps(each, ensure_ascii=False) for each in schema["enum"])
    if "items" in schema:
        return f"[{_outline(schema['items'])}, ...]"
    if "properties" in schema:
        required = schema.get("required", ())
        fields = (
            f'"{name}"{"" if name in required else "?"}: {_outline(below)}'
            for name, below in schema["properties"].items()
        )
        return f"{{{', '.join(fields)}}}"
    return " | ".join(types_of(schema)) or _ANY


def _nullable(form: dict[str, Any]) -> dict[str, Any]:
    types = types_of(form)
    if types and "null" not in types:
        form = form | {"type": [*types, "null"]}
    if "enum" in form and None not in form["enum"]:
        form = form | {"enum": [*form["enum"], None]}
    return form
