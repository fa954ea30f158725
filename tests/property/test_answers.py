"""Whatever a language model says: a value of the shape that was asked for, or an LlmError."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from erstwhile.adapters.llm.answers import parse
from erstwhile.adapters.llm.schema_validation import validated
from erstwhile.adapters.llm.structured import closed, in_words, strict
from erstwhile.core.errors import LlmError
from tests.adapters.llm_server import SCHEMA

pieces = st.sampled_from(
    [
        "{", "}", "[", "]", '"', "\\", ",", ":", "```", "```json", "<think>", "</think>", "\ufeff",
        '"memories"', '"text"', '{"memories":', "[]", "null", "1e999", "NaN", "\n", "\ud800",
    ]
)  # fmt: skip
noise = st.lists(pieces | st.text(max_size=5), max_size=30).map("".join)
memory = st.fixed_dictionaries(
    {"text": st.text()}, optional={"kind": st.sampled_from(["fact", "preference"])}
)
answers = st.fixed_dictionaries({"memories": st.lists(memory, max_size=4)})
prose = st.text(st.characters(exclude_characters='{}[]<>`"\ufeff'), max_size=30)


@given(st.text() | noise, st.sampled_from([None, "memories"]))
@example("{" * 5_000, None)
def test_nothing_else_comes_out(text: str, list_key: str | None) -> None:
    with suppress(LlmError):
        value = parse(text, SCHEMA, list_key=list_key)
        assert validated(value, SCHEMA) == value


@given(answers, prose, prose, st.booleans(), st.sampled_from([None, 2]))
def test_an_answer_is_found_in_prose(
    answer: dict[str, Any], before: str, after: str, ascii: bool, indent: int | None
) -> None:
    said = json.dumps(answer, ensure_ascii=ascii, indent=indent)
    assert parse(f"{before}\n```json\n{said}\n```\n{after}", SCHEMA) == answer


@given(answers, st.data())
def test_half_an_answer_is_an_error(answer: dict[str, Any], data: st.DataObject) -> None:
    said = json.dumps(answer, ensure_ascii=False)
    end = data.draw(st.integers(0, len(said) - 1))
    with pytest.raises(LlmError):
        parse(said[:end], SCHEMA, list_key="memories")


scalar = st.sampled_from(["string", "integer", "number", "boolean"]).map(lambda t: {"type": t})


def _object(fields: dict[str, Any], required: list[str]) -> dict[str, Any]:
    named = [name for name in required if name in fields]
    return {"type": "object", "properties": fields, "required": named}


names = st.sampled_from(["a", "b", "c", "d"])
schemas = st.recursive(
    scalar,
    lambda below: (
        st.builds(lambda items: {"type": "array", "items": items}, below)
        | st.builds(_object, st.dictionaries(names, below), st.lists(names, unique=True))
    ),
    max_leaves=8,
)


def _values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Whatever fits a strict form."""
    if isinstance(schema["type"], list):
        return st.none() | _values(schema | {"type": schema["type"][0]})
    match schema["type"]:
        case "array":
            return st.lists(_values(schema["items"]), max_size=3)
        case "object":
            fields = schema["properties"].items()
            return st.fixed_dictionaries({name: _values(each) for name, each in fields})
        case "string":
            return st.text(max_size=5)
        case "integer":
            return st.integers()
        case "number":
            return st.floats(allow_nan=False, allow_infinity=False)
    return st.booleans()


@given(schemas, st.data())
def test_what_fits_the_strict_form_fits_the_schema(
    schema: dict[str, Any], data: st.DataObject
) -> None:
    """A server that enforces our schema never gives an answer that we refuse."""
    form = strict(schema)
    validated(data.draw(_values(form)), schema)
    assert strict(form) == form
    assert strict(closed(schema)) == form


@given(schemas)
def test_a_form_in_words_names_every_field(schema: dict[str, Any]) -> None:
    form = in_words(schema)
    assert all(f'"{name}"' in form for name in _names(schema))


def _names(schema: dict[str, Any]) -> Iterator[str]:
    fields = schema.get("properties", {})
    yield from fields
    for below in (*fields.values(), *filter(None, [schema.get("items")])):
        yield from _names(below)
