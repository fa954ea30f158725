"""Claude Code and Codex end to end: their real programs, and a model server on loopback.

`scripts/coding-agents` installs the programs and runs these tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import erstwhile
from tests.coding_agents.model_server import ModelServer, model_server

PROGRAMS = {"claude-code": "CLAUDE_FOR_TESTS", "codex": "CODEX_FOR_TESTS"}
SCOPE = {"user": "ana", "project": "shop"}
SECONDS = 120


class Agent:
    """A coding agent in a home of its own, with a memory installed."""

    def __init__(self, name: str, home: Path, server: ModelServer) -> None:
        self.name, self.home, self.server = name, home, server
        self.db, self.folder = home / "agent.db", home / "shop"
        programs = home / "bin"
        for folder in (self.folder / ".git", programs):
            folder.mkdir(parents=True)
        program = "claude" if name == "claude-code" else "codex"
        (programs / program).symlink_to(os.environ[PROGRAMS[name]])
        self.program = programs / program
        self.environment = {
            "HOME": str(home),
            "PATH": f"{programs}:{os.environ['PATH']}",
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": server.address,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def run(self, *words: str | Path) -> str:
        """Run a program in the folder of the project."""
        done = subprocess.run(
            list(map(str, words)), env=self.environment, cwd=self.folder, capture_output=True,
            text=True, stdin=subprocess.DEVNULL, timeout=SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def erstwhile(self, *words: str) -> str:
        return self.run(sys.executable, "-m", "erstwhile", "--db", self.db, "--user", "ana", *words)

    def ask(self, text: str) -> str:
        """Ask in a new session, and return everything that the model was sent."""
        self.server.requests.clear()
        if self.name == "claude-code":
            self.run(self.program, "-p", text, "--allowedTools", "Bash")
        else:
            provider = f'{{name="t",base_url="{self.server.address}/v1",wire_api="responses",'
            self.run(
                self.program, "exec", "--dangerously-bypass-hook-trust",
                "--dangerously-bypass-approvals-and-sandbox", "--model", "gpt-5",
                "-c", 'model_provider="t"',
                "-c", f'model_providers.t={provider}env_key="ANTHROPIC_API_KEY"}}', text,
            )  # fmt: skip
        return self.server.texts()


@pytest.fixture(params=PROGRAMS)
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Agent]:
    if not os.environ.get(PROGRAMS[request.param]):
        pytest.skip(f"{PROGRAMS[request.param]} is not set: run scripts/coding-agents")
    with model_server() as server:
        yield Agent(request.param, tmp_path / "home", server)


def test_taught_on_monday_right_on_tuesday(agent: Agent) -> None:
    """A denied command is not run, an allowed one is, and nothing is left in the end."""
    agent.erstwhile("install", agent.name)
    assert json.loads(agent.erstwhile("doctor", agent.name))["ok"]

    agent.ask("We use npm for the shop.")
    agent.ask("We switched from npm to pnpm for the shop.")
    with erstwhile.open(agent.db, embedder="none", learners=0) as memory:
        ana, end = memory.scoped(**SCOPE), time.monotonic() + SECONDS
        while not any("pnpm" in each.text for each in ana.facts.list()):
            assert time.monotonic() < end, ana.facts.list()
            time.sleep(0.5)
        denied = {"tool": "Bash", "input": {"command": "touch denied"}, "goal": "ship"}
        ana.decisions.record(erstwhile.Decision(choice="deny", decided_by="person", **denied))  # type: ignore[arg-type]

    tuesday = agent.ask("Which package manager installs a package for the shop?")
    assert "The team uses pnpm for the shop" in tuesday
    assert "erstwhile-memory" in tuesday

    told = agent.ask("RUN: touch denied")
    assert "Erstwhile: " in told
    assert not (agent.folder / "denied").exists()
    agent.ask("RUN: touch allowed")
    assert (agent.folder / "allowed").exists()

    agent.erstwhile("uninstall", agent.name)
    left = [each for each in agent.home.rglob("*erstwhile*") if each.is_file()]
    assert not [each for each in left if "sessions" not in each.parts and "logs" not in each.parts]
    assert "erstwhile-memory" not in agent.ask("Which package manager installs a package?")
