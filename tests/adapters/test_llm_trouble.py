"""Language models behind servers that are down, slow, busy, broken or somewhere else."""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import TypeAlias

import pytest

from erstwhile.adapters.llm.anthropic import AnthropicLlm
from erstwhile.adapters.llm.openai import OpenAiLlm
from erstwhile.core.errors import LlmError
from erstwhile.core.ports import Llm, Tokens
from tests.adapters.llm_server import GOOD, KEY, PROMPT, failing, json_saying, llm_server
from tests.adapters.loopback import (
    Answer,
    LoopbackServer,
    chunked,
    hanging_up,
    in_seconds,
    packed,
    saying,
    truncated,
)
from tests.docs.pages import PROJECT

Make: TypeAlias = Callable[..., Llm]


@pytest.fixture(params=["openai", "anthropic"])
def make(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return a function that creates the adapter at a server."""
    monkeypatch.setenv(f"{request.param.upper()}_API_KEY", KEY)
    if request.param == "openai":
        return lambda root, *more: OpenAiLlm("test-model", f"{root}/v1", *more)
    return lambda root, *more: AnthropicLlm("test-model", root, *more)


def _failure(make: Make, server: LoopbackServer, answer: Answer) -> LlmError:
    server.script.append(answer)
    with pytest.raises(LlmError) as caught:
        make(server.root).complete(PROMPT)
    assert len(server.seen) == 1, "retries are not the adapter's"
    return caught.value


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_said_to(make: Make, llms: LoopbackServer, status: int) -> None:
    error = _failure(make, llms, failing(status))
    assert error.retryable
    assert str(status) in error.message
    assert error.retry_after is None


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_what_will_not_pass_is_said_to(make: Make, llms: LoopbackServer, status: int) -> None:
    error = _failure(make, llms, failing(status, type="some_error"))
    assert not error.retryable
    assert f"{status} (some_error)" in error.message
    assert error.remedy.startswith("check")
    assert error.spent is None


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry_After": lambda: "7"}, 7, 7),
        ({"Retry_After": lambda: in_seconds(900)}, 300, 900),
        ({"Retry_After_Ms": lambda: "30000"}, 30, 30),
        ({"Retry_After_Ms": lambda: "1500", "Retry_After": lambda: "9"}, 1.5, 1.5),
        ({"Retry_After_Ms": lambda: "soon", "Retry_After": lambda: "9"}, 9, 9),
        ({"Retry_After_Ms": lambda: "nan", "Retry_After": lambda: "9"}, 9, 9),
        ({"Retry_After": lambda: "-5"}, 0, 0),
        ({"Retry_After": lambda: "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, 0),
        ({"Retry_After": lambda: "Fri, 31 Dec 9999 23:59:59 GMT"}, 3600, 3600),
        ({"Retry_After": lambda: "9" * 400}, 3600, 3600),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_server_says_when_to_come_back(
    make: Make,
    llms: LoopbackServer,
    status: int,
    headers: dict[str, Callable[[], str]],
    least: float,
    most: float,
) -> None:
    said = {name: value() for name, value in headers.items()}
    error = _failure(make, llms, failing(status, **said))
    assert error.retry_after is not None
    assert least <= error.retry_after <= most


@pytest.mark.parametrize(
    "answer",
    [
        failing(400, "This model's maximum context length is 8192 tokens"),
        failing(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        failing(400, "no", code="context_length_exceeded"),
        failing(400, "the request exceeds the available context size"),
        failing(413, "no"),
    ],
)
def test_a_prompt_that_is_too_long_is_named(
    make: Make, llms: LoopbackServer, answer: Answer
) -> None:
    error = _failure(make, llms, answer)
    assert "too long" in error.message
    assert not error.retryable
    assert error.spent == Tokens(), "it was looked at, so that the turn is given up one day"


@pytest.mark.parametrize("status", [400, 403])
@pytest.mark.parametrize("code", ["content_filter", "data_inspection_failed", "invalid_prompt"])
def test_a_filtered_prompt_is_declined(
    make: Make, llms: LoopbackServer, status: int, code: str
) -> None:
    """Key and model are fine: another prompt may be answered."""
    error = _failure(make, llms, failing(status, code=code))
    assert "declined" in error.message
    assert (error.retryable, error.spent) == (False, Tokens())


@pytest.mark.parametrize("answer", [truncated, hanging_up, packed(b"no gzip"), chunked(b'{"ch')])
def test_a_broken_connection_is_retryable(make: Make, llms: LoopbackServer, answer: Answer) -> None:
    error = _failure(make, llms, answer)
    assert error.retryable
    assert "does not answer" in error.message


@pytest.mark.parametrize(
    "answer",
    [
        saying("<html>a login page</html>", Content_Type="text/html"),
        saying("{", Content_Type="application/json"),
        saying("\xff\x00", Content_Type="application/json"),
        saying("", Content_Type="application/json"),
        json_saying({}),
        json_saying([]),
        json_saying(7),
        json_saying(None),
        json_saying({"choices": [], "content": None}),
        json_saying({"choices": [None], "content": [None]}),
        json_saying({"choices": {"x": 1}, "content": {"x": 1}}),
        json_saying({"error": {"message": "overloaded"}}),
        saying('data: {"choices": []}\n\ndata: [DONE]\n\n', Content_Type="text/event-stream"),
    ],
)
def test_an_unknown_form_is_an_error(make: Make, llms: LoopbackServer, answer: Answer) -> None:
    error = _failure(make, llms, answer)
    assert error.retryable
    assert llms.root in error.message


def test_an_answer_may_come_packed(make: Make, llms: LoopbackServer) -> None:
    both = {
        "choices": [{"message": {"content": GOOD}}],
        "content": [{"type": "text", "text": GOOD}],
    }
    llms.script.append(packed(gzip.compress(json.dumps(both).encode())))
    assert make(llms.root).complete(PROMPT).text == GOOD


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(make: Make, llms: LoopbackServer, status: int) -> None:
    """It could send the prompt and the key anywhere."""
    with llm_server() as other:
        error = _failure(make, llms, saying("", status=status, Location=other.url))
        assert not other.seen
    assert "redirects" in error.message
    assert not error.retryable


def test_a_server_on_this_machine_is_asked_without_a_proxy(
    make: Make, llms: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy would not find it, and the prompt would leave the machine."""
    with llm_server() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.root)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        assert make(llms.root).complete(PROMPT).text == GOOD
        assert not proxy.seen


@pytest.mark.parametrize("status", [400, 401, 422, 429, 500])
def test_no_key_and_no_text_is_in_a_message(make: Make, llms: LoopbackServer, status: int) -> None:
    """Servers quote the request."""
    words = f"bad request: {PROMPT.system} {PROMPT.user} {KEY}"
    error = _failure(make, llms, failing(status, words, type=words, code=words))
    for private in (PROMPT.system, PROMPT.user, KEY):
        assert private not in f"{error} {error!r} {error.__cause__!r}"
    assert error.__suppress_context__


@pytest.mark.parametrize("how", ["slowly", "dripping"])
def test_a_server_that_is_slow_is_an_error(make: Make, llms: LoopbackServer, how: str) -> None:
    llms.script.append(getattr(llms, how))
    with pytest.raises(LlmError, match=r"within 0\.3 seconds") as caught:
        make(llms.root, 0.3).complete(PROMPT)
    assert caught.value.retryable


def test_a_question_under_way_can_be_cancelled(make: Make, llms: LoopbackServer) -> None:
    """The server never answers; the caller returns at once."""
    llms.script.append(llms.slowly)
    with pytest.raises(LlmError, match="cancelled"):
        make(llms.root).complete(PROMPT, lambda: bool(llms.seen))


def test_a_server_that_is_down_is_an_error(make: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        root = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with pytest.raises(LlmError, match=rf"{root}.*does not answer") as caught:
        make(root).complete(PROMPT)
    assert caught.value.retryable


def test_a_key_that_is_gone_is_an_error(
    make: Make, llms: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm = make("http://10.0.0.1")
    for vendor in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{vendor}_API_KEY", "ключ")
    with pytest.raises(LlmError, match=r"no usable key for http://10\.0\.0\.1.*_API_KEY") as caught:
        llm.complete(PROMPT)
    assert not caught.value.retryable
    assert not llms.seen


FORKING = """
import os, sys
from erstwhile.adapters.registry import resolve_llm
from tests.adapters.llm_server import GOOD, PROMPT
llm = resolve_llm(sys.argv[1], base_url=sys.argv[2])
assert llm.complete(PROMPT).text == GOOD
if not (child := os.fork()):
    os._exit(llm.complete(PROMPT).text != GOOD)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert llm.complete(PROMPT).text == GOOD
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize(("spec", "path"), [("openai:test-model", "/v1"), ("anthropic:claude", "")])
def test_it_works_in_a_child_process(llms: LoopbackServer, spec: str, path: str) -> None:
    """No connection is shared with the parent."""
    command = [sys.executable, "-c", FORKING, spec, f"{llms.root}{path}"]
    done = subprocess.run(command, cwd=PROJECT, timeout=600, check=False)
    assert done.returncode == 0
    assert len(llms.seen) == 3
