"""Measure the CPU time of `erstwhile mcp` from its start to its first answers, and of its parts.

    python -m bench.mcp_start

An argument is the command of another server to compare with, such as the reference server:

    python -m bench.mcp_start "node node_modules/@modelcontextprotocol/server-memory/dist/index.js"
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO, Any

import erstwhile
from bench.process_cost import cpu

RUNS = 7
PARTS = {
    "python -c pass": "pass",
    "import erstwhile.memory": "import erstwhile.memory",
    "import mcp_types.methods": "import mcp_types.methods",
    "import mcp.server.lowlevel": "import mcp.server.lowlevel",
}
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def main(others: list[str]) -> None:
    with TemporaryDirectory() as folder:
        db = str(Path(folder, "a.db"))
        with erstwhile.open(db, embedder="none") as memory:
            memory.remember("I like tea")
        own = [sys.executable, "-m", "erstwhile", "--db", db, "--embedder", "none", "mcp"]
        recall = {"name": "recall", "arguments": {"query": "tea"}}
        graph = {"name": "read_graph", "arguments": {}}
        cases: dict[str, Any] = {
            **{name: (lambda code=code: cpu(["-c", code])) for name, code in PARTS.items()},
            "erstwhile mcp, to the list of tools": lambda: session(own, None),
            "erstwhile mcp, to the first recall": lambda: session(own, recall),
            "as server-memory, to the first graph": lambda: session(
                [*own, "--as", "server-memory"], graph
            ),
        }
        for other in others:
            line = shlex.split(other)
            cases[f"{Path(line[-1]).name}, to the first graph"] = lambda line=line: session(
                line, graph
            )
        rounds = [{name: run() for name, run in cases.items()} for _ in range(RUNS + 1)][1:]
    for name in cases:
        taken = [each[name] for each in rounds]
        print(f"{name:>40}: {min(taken):5.0f} to {median(taken):5.0f} ms CPU")


def session(line: list[str], call: dict[str, Any] | None) -> float:
    """Return the CPU milliseconds of a server that lists its tools, and answers one call."""
    before = _spent()
    quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(line, env=_environment(), **quiet) as server:  # type: ignore[call-overload]
        _ask(server, 1, "initialize", _HELLO)
        _send(server.stdin, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        _ask(server, 2, "tools/list", {})
        if call is not None:
            assert not _ask(server, 3, "tools/call", call)["result"].get("isError")
    return (_spent() - before) * 1_000


def _ask(server: Any, id: int, method: str, params: dict[str, Any]) -> Any:
    _send(server.stdin, {"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    return json.loads(server.stdout.readline())


def _send(stream: IO[bytes], message: dict[str, Any]) -> None:
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def _environment() -> dict[str, str]:
    return {name: said for name, said in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(sys.argv[1:])
