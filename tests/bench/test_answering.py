"""Answers of a language model, judged by another, from a server with OpenAI's interface."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from bench.answering.__main__ import main
from click.testing import CliRunner

from tests.adapters.llm_server import chat
from tests.adapters.loopback import LoopbackServer
from tests.bench.samples import LONGMEMEVAL


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """Answer every question with "Porto", and judge that it is right."""

    def well(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        judges = "Reference:" in body["messages"][1]["content"]
        answer = {"right": True} if judges else {"answer": "Porto"}
        chat(json.dumps(answer))(handler, body)

    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with LoopbackServer(well) as running:
        yield running


def _run(server: LoopbackServer, calls: Path, *more: str) -> Any:
    line = [str(LONGMEMEVAL), "--llm", "openai:gpt-4o-mini", "--base-url", server.url]
    line += ["--calls", str(calls), "--embedder", "hashing", "--json", *more]
    done = CliRunner().invoke(main, line, catch_exceptions=False)
    return json.loads(done.stdout)


def test_the_share_of_right_answers_is_told_with_what_it_cost(
    server: LoopbackServer, tmp_path: Path
) -> None:
    verdicts = tmp_path / "verdicts.jsonl"
    scores, calls = _run(server, tmp_path / "calls.jsonl", "--verdicts", str(verdicts))
    assert scores["rows"][-1]["category"] == "all"
    assert scores["rows"][-1]["right"] == "1.0000 (1.000–1.000)"
    asked = scores["rows"][-1]["n"]
    assert [row["new_calls"] for row in calls["rows"]] == [asked, asked]
    assert all(float(row["dollars"]) > 0 for row in calls["rows"])
    told = [json.loads(line) for line in verdicts.read_text("utf-8").splitlines()]
    assert {each["answer"] for each in told} == {"Porto"}
    assert all(each["gold"] for each in told)


def test_a_repeated_run_calls_nobody(server: LoopbackServer, tmp_path: Path) -> None:
    first, _ = _run(server, tmp_path / "calls.jsonl")
    seen = len(server.seen)
    again, calls = _run(server, tmp_path / "calls.jsonl")
    assert again == first
    assert len(server.seen) == seen
    assert [row["new_calls"] for row in calls["rows"]] == [0, 0]


def test_a_prompt_has_what_was_asked_for(server: LoopbackServer, tmp_path: Path) -> None:
    sent = dict[str, int]()
    for given in ("memory", "everything", "nothing"):
        server.seen.clear()
        _run(server, tmp_path / f"{given}.jsonl", "--context", given)
        sent[given] = len(server.seen[0].body["messages"][1]["content"])
    assert sent["nothing"] < sent["memory"]
    assert sent["nothing"] < sent["everything"]


def test_prompts_are_written_without_a_model(tmp_path: Path) -> None:
    line = [str(LONGMEMEVAL), "--prompts", str(tmp_path), "--embedder", "hashing"]
    CliRunner().invoke(main, line, catch_exceptions=False)
    gold = json.loads((tmp_path / "gold.json").read_text("utf-8"))
    assert gold
    assert all(each["gold"] for each in gold)
    assert "abstention" in {each["category"] for each in gold}
    assert (tmp_path / "001.txt").read_text("utf-8").endswith("?\n")
