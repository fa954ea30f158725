"""Whatever a server of language models says: a completion, or an LlmError."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erstwhile.adapters.llm.anthropic import AnthropicLlm
from erstwhile.adapters.llm.openai import OpenAiLlm
from erstwhile.core.errors import LlmError
from erstwhile.core.tokens import Tokens
from tests.adapters.llm_server import GOOD, PROMPT, json_saying, llm_server

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
def test_nothing_else_comes_out(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
