"""Run programs of tests as processes: those of `scripts`, or any module."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a script; it waits for its first line of input."""
    module = [script] if "." in script else ["tests.engines.scripts", script]
    command = [sys.executable, "-m", *module, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=PROJECT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def finish(process: subprocess.Popen[str]) -> list[str]:
    """Let a script go on to its end, and take the lines that it printed."""
    printed, complaints = process.communicate("\n", timeout=600)
    assert process.returncode == 0, complaints
    assert not complaints
    return printed.splitlines()


def begun_together(script: str, *each: tuple[object, ...]) -> list[subprocess.Popen[str]]:
    """Start a script several times, and let all begin at the same moment."""
    processes = [start(script, *arguments) for arguments in each]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return processes


def together(script: str, *each: tuple[object, ...]) -> list[list[str]]:
    """Run a script several times at once, to the end."""
    return [finish(process) for process in begun_together(script, *each)]


def outcome(script: str, *arguments: object) -> Any:
    """Run a script to its end, and read what it printed as JSON."""
    return json.loads("\n".join(finish(start(script, *arguments))))


def wait_for_start() -> None:
    """Wait in a script until all others are ready."""
    print("ready", flush=True)
    sys.stdin.readline()
