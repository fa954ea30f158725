"""The command line with a memory on a server: --db http://…"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from erstwhile import Memory, Scope
from erstwhile.cli.app import app
from erstwhile.cli.exit_codes import REFUSED, USAGE
from erstwhile.servers.tokens import Right
from tests.cli.shell import Ended
from tests.servers.http_server import HttpServers


@pytest.fixture
def memory(whole_memory: Memory) -> Memory:
    return whole_memory


Run: TypeAlias = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command line in this process: the server is here, too."""

    def called(*words: str) -> Ended:
        with pytest.raises(SystemExit) as end:
            app.main(list(words))
        out, err = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Ended(end.value.code, out, err)

    return called


@pytest.fixture
def address(
    servers: HttpServers, memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> str:
    """Serve a memory. Its token is in a file that the environment names."""
    file = tmp_path / "token"
    file.write_text(f"{servers.token(memory)}\n", "utf-8")
    monkeypatch.setenv("ERSTWHILE_TOKEN_FILE", str(file))
    return servers.address


def test_commands_work_on_a_server(run: Run, address: str, memory: Memory) -> None:

    def ask(*words: str) -> Ended:
        return run("--db", address, "--user", "ana", *words)

    ana = memory.scoped(user="ana")
    stored = ask("remember", "Ana prefers pnpm over npm", "--kind", "preference").data
    assert ana.facts.get(stored["id"]).text == "Ana prefers pnpm over npm"
    [hit] = ask("recall", "does Ana like pnpm?").data["hits"]
    assert hit["record"] == stored
    assert "pnpm" in ask("context", "pnpm").out
    assert ask("blocks", "add", "notes", "Ask first.").data["version"] == 1
    assert ask("learn").items == []
    assert ask("maintain").data["preview"] is False
    assert ask("facts", "erase", stored["id"], "--yes").data["facts"] == 1
    assert ask("erase-user", "ana", "--yes").data["collections"] == {"blocks": 1}
    assert memory.everything().facts.count() == 0


def test_a_token_of_the_environment_goes_first_and_limits_the_scope(
    run: Run,
    servers: HttpServers,
    address: str,
    memory: Memory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = servers.token(memory, scope=Scope(user="ana"), right=Right.READ)
    monkeypatch.setenv("ERSTWHILE_TOKEN", reader)
    memory.scoped(user="ana").remember("Ana likes tea")
    assert len(run("--db", address, "recall", "tea").data["hits"]) == 1
    for words in (["--user", "ana", "remember", "x"], ["--user", "bo", "facts", "list"]):
        assert run("--db", address, *words).code == REFUSED


@pytest.mark.parametrize(
    "words",
    [
        ["doctor"],
        ["repair"],
        ["backup", "b.db"],
        ["restore", "b.db"],
        ["export", "b.jsonl"],
        ["import", "b.jsonl"],
        ["copy", "ADDRESS", "b.db"],
        ["encrypt"],
        ["decrypt"],
        ["rekey", "file:new.key"],
        ["learn", "--watch"],
        ["serve", "--port", "0", "--tokens", "t"],
    ],
    ids=lambda words: str(words[0]),
)
def test_what_needs_the_store_itself_is_refused(
    run: Run, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.db", "b.jsonl"):
        (tmp_path / name).touch()
    given = [address if word == "ADDRESS" else word for word in words]
    told = run("--db", address, *given)
    assert (told.code, told.error["error"]) == (REFUSED, "refused")
    assert "on the machine of the memory" in told.error["remedy"]
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("words", [["--embedder", "none", "stats"], ["learn", "--learners", "2"]])
def test_what_belongs_to_the_server_cannot_be_chosen(
    run: Run, address: str, words: list[str]
) -> None:
    told = run("--db", address, *words)
    assert (told.code, told.error["error"]) == (USAGE, "invalid_input")


def test_a_token_is_needed_and_never_shown(
    run: Run, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERSTWHILE_TOKEN", "erstwhile_wrong-and-secret")
    wrong = run("--db", address, "stats")
    assert (wrong.code, "secret" in wrong.err) == (REFUSED, False)
    monkeypatch.delenv("ERSTWHILE_TOKEN")
    for value, told in (("", "set ERSTWHILE_TOKEN"), ("/nowhere", "correct the variable")):
        monkeypatch.setenv("ERSTWHILE_TOKEN_FILE", value)
        assert json.loads(run("--db", address, "stats").err)["remedy"].startswith(told)
