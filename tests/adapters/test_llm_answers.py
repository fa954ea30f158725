"""Parsing of answers as JSON: formal mistakes are accepted, and nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from erstwhile.adapters.llm.answers import parse
from erstwhile.core.errors import LlmError
from tests.adapters.llm_server import SCHEMA
from tests.cases import cases

CASES = cases(__file__)

ANSWER: dict[str, Any] = {
    "memories": [
        {"text": 'Ana says "ok", {often}, and [likes] ```fences```, }', "kind": "preference"},
        {"text": "安娜住在里昂 🦊"},
    ]
}
SAID = json.dumps(ANSWER, ensure_ascii=False)
LIST = json.dumps(ANSWER["memories"], ensure_ascii=False)


@pytest.mark.parametrize("text", CASES["what_is_clear_is_read"])
def test_what_is_clear_is_read(text: str) -> None:
    assert parse(text, SCHEMA) == ANSWER


@pytest.mark.parametrize("text", CASES["a_list_stands_for_the_object_when_its_field_is_known"])
def test_a_list_stands_for_the_object_when_its_field_is_known(text: str) -> None:
    assert parse(text, SCHEMA, list_key="memories") == ANSWER


@pytest.mark.parametrize("text", ["[]", '{"facts": []}', '{"memories": []}'])
def test_nothing_may_be_said(text: str) -> None:
    assert parse(text, SCHEMA, list_key="memories") == {"memories": []}


def test_a_list_is_refused_when_its_field_is_not_known() -> None:
    with pytest.raises(LlmError, match="the answer is not of the type object"):
        parse(LIST, SCHEMA)


@pytest.mark.parametrize("end", range(1, len(SAID)))
def test_half_an_answer_is_never_taken_for_a_whole_one(end: int) -> None:
    """Wherever it is cut off."""
    for text in (SAID[:end], f"Here:\n```json\n{SAID[:end]}", f"{SAID[:end]}\n```"):
        with pytest.raises(LlmError):
            parse(text, SCHEMA, list_key="memories")


@pytest.mark.parametrize("end", range(1, len(LIST)))
def test_half_a_list_is_never_taken_for_a_whole_one(end: int) -> None:
    with pytest.raises(LlmError):
        parse(LIST[:end], SCHEMA, list_key="memories")


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *CASES["what_is_not_clear_is_an_error"],
        (DEEP, "nested too deeply"),
        (f'{{"memories":{DEEP}}}', "nested too deeply"),
        ('{"memories": ' + "9" * 5_000 + "}", "not valid JSON"),
    ],
)
def test_what_is_not_clear_is_an_error(text: str, said: str) -> None:
    with pytest.raises(LlmError, match=said) as caught:
        parse(text, SCHEMA, list_key="memories" if text.startswith("{") else None)
    assert not caught.value.retryable


def test_a_message_quotes_nothing_of_the_answer() -> None:
    for text in ('{"memories": [{"text": "a", "kind": "hush"}]}', '{"hush": "hush"}', '{"hush"'):
        with pytest.raises(LlmError) as caught:
            parse(text, SCHEMA)
        assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "' + '\\"' * 100_000,
        '{"a": ' + '"' * 200_001,
        "{" * 200_000 + "}" * 200_000,
        "{}" * 100_000,
        '[",' * 100_000 + "," * 100_000,
        "<think>" * 50_000,
        "a\n" * 100_000,
        '{"a": 1' + ", " * 100_000 + "}",
    ],
    ids=range(8),
)
def test_a_hostile_answer_ends_in_an_error(text: str) -> None:
    """The time grows linearly with the length; quadratic time would be minutes."""
    with pytest.raises(LlmError):
        parse(text, SCHEMA)


NUMBERS = CASES["numbers"]


@pytest.mark.parametrize(("text", "value"), CASES["each_type_is_known"])
def test_each_type_is_known(text: str, value: dict[str, Any]) -> None:
    """An optional field that is null counts as missing."""
    assert parse(text, NUMBERS) == value


@pytest.mark.parametrize("text", CASES["no_type_is_taken_for_another"])
def test_no_type_is_taken_for_another(text: str) -> None:
    with pytest.raises(LlmError):
        parse(text, NUMBERS)
