"""Workers, seen from the process that measures."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import Any, NamedTuple

CHECKOUT = Path(__file__).parents[2]
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONPATH": str(CHECKOUT),
}


MINUTE = 60.0


def patience() -> float:
    """Return the seconds for a command: a minute, and on a busy machine as much as its load takes.

    A whole process may take three times as long.
    """
    return MINUTE * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class WorkError(Exception):
    """A system raised an error, ended, or took too long; the text tells what it said."""


class Spent(NamedTuple):
    """What a whole process took."""

    cpu: float
    wall: float
    answers: Sequence[dict[str, Any]]


def python(name: str) -> Path:
    return CHECKOUT / f".venv-compare-{name.replace('_', '-')}" / "bin" / "python"


def environment(home: Path) -> Mapping[str, str]:
    """Return the variables of a worker: nothing of ours, no telemetry, no downloads."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ERSTWHILE")}
    return kept | _QUIET | {"MEM0_DIR": str(home / "mem0"), "MCP_MEMORY_BASE_DIR": str(home)}


class Process:
    """A worker that waits for commands, so that systems can be measured in turns."""

    def __init__(self, name: str, home: Path) -> None:
        self.name = name
        self._log = (home / f"{name}.log").open("ab")
        self._process = subprocess.Popen(
            [python(name), "-m", "bench.compare.worker", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment(home),
            cwd=home,
        )

    def start(self, do: str, **arguments: Any) -> None:
        """Send a command without waiting for its answer."""
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise WorkError(f"the process ended: {error}") from None

    def finish(self) -> dict[str, Any]:
        """Return the answer of the last command."""
        assert self._process.stdout
        seconds = patience()
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            self.kill()
            raise WorkError(f"not done within {seconds:.0f} s")
        line = self._process.stdout.readline()
        if not line:
            raise WorkError(f"the process ended with {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise WorkError(answer["error"])
        return answer

    def do(self, do: str, **arguments: Any) -> dict[str, Any]:
        self.start(do, **arguments)
        return self.finish()

    def kill(self) -> None:
        """End it as a power cut would end it for other processes: kill -9."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._log.close()


def run(
    name: str, home: Path, commands: Sequence[Mapping[str, Any]], before: Sequence[str] = ()
) -> Spent:
    """Run all commands in a new process, and measure the process as a whole."""
    given = "".join(json.dumps(each) + "\n" for each in commands).encode()
    return _measured([*before, str(python(name)), "-m", "bench.compare.worker", name], home, given)


def run_code(name: str, home: Path, code: str) -> Spent:
    return _measured([str(python(name)), "-c", code], home, b"")


def _measured(line: Sequence[str], home: Path, given: bytes) -> Spent:
    begun, seconds = time.perf_counter(), 3 * patience()
    with (
        TemporaryFile() as stdin,
        TemporaryFile() as stdout,
        (home / "log").open("ab") as log,
    ):
        stdin.write(given)
        stdin.seek(0)
        process = subprocess.Popen(
            line, stdin=stdin, stdout=stdout, stderr=log, env=environment(home), cwd=home
        )
        timer = Timer(seconds, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        stdout.seek(0)
        answers = [json.loads(each) for each in stdout.read().splitlines()]
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if wall >= seconds:
        raise WorkError(f"not done within {seconds:.0f} s")
    errors = [each["error"] for each in answers if "error" in each]
    if errors or process.returncode:
        raise WorkError(errors[0] if errors else f"the process ended with {process.returncode}")
    return Spent(usage.ru_utime + usage.ru_stime, wall, answers)
