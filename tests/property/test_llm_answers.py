"""Whatever a language model or its server says: a value of the requested shape, or an LlmError."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from erstwhile.adapters.llm.answers import closed, in_words, parse, strict, validated
from erstwhile.adapters.llm.anthropic import AnthropicLlm
from erstwhile.adapters.llm.openai import OpenAiLlm
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Tokens
from tests.adapters.llm_server import GOOD, PROMPT, SCHEMA, json_saying, llm_server

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
def test_a_text_gives_a_valid_value_or_an_error(text: str, list_key: str | None) -> None:
    with suppress(LlmError):
        value = parse(text, SCHEMA, list_key=list_key)
        assert validated(value, SCHEMA) == value


@given(answers, prose, prose, st.booleans(), st.sampled_from([None, 2]))
def test_an_answer_is_found_in_prose(
    answer: dict[str, Any], before: str, after: str, ascii: bool, indent: int | None
) -> None:
    said = json.dumps(answer, ensure_ascii=ascii, indent=indent)
    assert parse(f"{before}\n```json\n{said}\n```\n{after}", SCHEMA) == answer


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


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda below: st.lists(below, max_size=2) | st.dictionaries(st.text(max_size=5), below),
    max_leaves=4,
)


def _perhaps(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Generate an object that is often valid, or has wrong or missing fields."""
    right = st.fixed_dictionaries(fields)
    mixed = {name: value | junk for name, value in fields.items()}
    wrong = st.fixed_dictionaries({}, optional=mixed) | junk
    return st.integers(0, 9).flatmap(lambda draw: wrong if draw == 9 else right)


text = st.sampled_from([GOOD, GOOD, "好", "", " "])
tokens = st.integers(-5, 10**9)
usage = _perhaps(
    prompt_tokens=tokens,
    completion_tokens=tokens,
    prompt_tokens_details=_perhaps(cached_tokens=tokens, cache_write_tokens=tokens),
    input_tokens=tokens,
    output_tokens=tokens,
    cache_read_input_tokens=tokens,
    cache_creation_input_tokens=tokens,
)
bodies = _perhaps(
    choices=st.lists(
        _perhaps(
            message=_perhaps(content=text, refusal=st.sampled_from([None, None, "", "no"])),
            finish_reason=st.sampled_from(["stop", "stop", "length", "content_filter"]),
        ),
        min_size=1,
        max_size=2,
    ),
    content=st.lists(_perhaps(type=st.just("text"), text=text), min_size=1, max_size=2),
    stop_reason=st.sampled_from(["end_turn", "end_turn", "max_tokens", "refusal"]),
    usage=usage,
    error=_perhaps(message=text, code=text, type=text, param=text),
)


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_a_server_gives_a_completion_or_an_error(
    vendor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with llm_server() as server:
        openai, anthropic = OpenAiLlm("test", server.url), AnthropicLlm("test", server.root)
        llm = openai if vendor == "openai" else anthropic

        @settings(max_examples=40)
        @given(bodies, st.sampled_from([200, 200, 200, 200, 200, 400, 422, 429, 500]))
        def answers(body: Any, status: int) -> None:
            server.script.clear()
            server.script.append(json_saying(body, status=status))
            with suppress(LlmError):
                said = llm.complete(PROMPT)
                assert said.text.strip()
                Tokens(
                    input=said.input,
                    output=said.output,
                    cache_read=said.cache_read,
                    cache_write=said.cache_write,
                )

        answers()
