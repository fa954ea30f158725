"""Tests of examples/chatbot.py with a language model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from tests.adapters.llm_server import KEY, chat
from tests.adapters.loopback import LoopbackServer
from tests.docs.pages import PROJECT
from tests.learning.extraction_answers import adding, fact

LYON = json.dumps(
    adding(fact("The user lives in Lyon", "profile", key="home", quote="I live in Lyon"))
)
SAID = json.dumps({"answers": [{"n": 1, "answer": "said"}]})


def model(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Answer a request for JSON with facts, and any other request with prose."""
    if "response_format" not in body:
        chat("Nice to meet you.")(handler, body)
    else:
        chat(SAID if "<notes>" in json.dumps(body) else LYON)(handler, body)


def test_it_talks_and_learns_through_a_server(tmp_path: Path) -> None:
    """In forty lines; the second prompt has the fact that the first turn stated."""
    assert len((PROJECT / "examples/chatbot.py").read_text("utf-8").splitlines()) <= 40
    with LoopbackServer(model) as server:
        for said in ("I live in Lyon.", "Where do I live?"):
            assert "bot: Nice to meet you." in talk(tmp_path, server.url, said)
    prompts = [seen.body["messages"] for seen in server.seen if "response_format" not in seen.body]
    contents = [messages[-1]["content"] for messages in prompts]
    assert contents == ["I live in Lyon.", "Where do I live?"]
    assert "The user lives in Lyon" in prompts[1][0]["content"]


def talk(folder: Path, url: str, said: str) -> str:
    words = [sys.executable, "-W", "error", str(PROJECT / "examples/chatbot.py"), "test-model"]
    environment = {**os.environ, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url, "HOME": str(folder)}
    done = subprocess.run(
        words, input=f"{said}\n\n", env=environment, cwd=folder,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_client_is_no_model() -> None:
    """Check that a client object is refused, with a remedy that shows a model name."""
    client: Any = object()
    with pytest.raises(erstwhile.InvalidInputError) as caught:
        erstwhile.open(":memory:", llm=client)
    assert "openai:gpt-4o-mini" in caught.value.remedy
