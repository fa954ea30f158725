"""The whole path to a real model: our adapter, its package, a server on loopback, and back.

Only when asked for: it takes ten seconds, and a model that is small enough says nothing of worth.
    ERSTWHILE_TEST_LLM=1 pytest tests/adapters/test_llm_real.py
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from erstwhile.adapters.llm.answers import parse
from erstwhile.adapters.llm.openai import OpenAiLlm
from erstwhile.adapters.llm.retrying import RetryingLlm
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Prompt
from tests.adapters.real_llm import ONLY_WHEN_ASKED_FOR, serving

pytestmark = ONLY_WHEN_ASKED_FOR

CONTEXT = 1024
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "enum": ["Lyon", "Paris", "Rome"]},
        "likes_tea": {"type": "boolean"},
        "language": {"type": "string", "enum": ["French", "Italian"]},
    },
    "required": ["city", "likes_tea"],
}
"""Nothing in it has an end that the model would have to find by itself."""
PROMPT = Prompt(
    system="You read what somebody says, and answer in JSON.",
    user="I moved to Lyon last week, and I drink tea every morning.",
    schema=SCHEMA,
    max_tokens=100,
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(CONTEXT) as url:
        yield url


@pytest.fixture
def llm(url: str) -> RetryingLlm:
    return RetryingLlm(OpenAiLlm("smollm2", url))


def test_an_answer_has_the_shape_that_was_asked_for(llm: RetryingLlm) -> None:
    """Its number of tokens, too."""
    said = llm.complete(PROMPT)
    answer = parse(said.text, SCHEMA)
    assert {"city", "likes_tea"} <= answer.keys()
    assert said.input + said.cache_read > 20
    assert 5 < said.output <= PROMPT.max_tokens


def test_a_cut_off_answer_is_an_error(llm: RetryingLlm) -> None:
    short = Prompt(system=PROMPT.system, user=PROMPT.user, schema=SCHEMA, max_tokens=3)
    with pytest.raises(LlmError, match="cut off") as caught:
        llm.complete(short)
    assert not caught.value.retryable


def test_a_prompt_that_is_too_long_is_an_error(llm: RetryingLlm) -> None:
    long = Prompt(system=PROMPT.system, user="tea and Lyon " * CONTEXT, schema=SCHEMA)
    with pytest.raises(LlmError, match="too long") as caught:
        llm.complete(long)
    assert not caught.value.retryable


def test_a_wrong_address_is_an_error(url: str) -> None:
    with pytest.raises(LlmError, match="404") as caught:
        OpenAiLlm("smollm2", f"{url}/nowhere").complete(PROMPT)
    assert not caught.value.retryable
