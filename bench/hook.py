"""What a call of the hook costs: processor time, the start of Python included.

An agent waits for it before each tool. Run it with the Python of `.venv-test`:

    python bench/hook.py
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import recollect

RUNS = 15
SIZES = (10, 1_000, 10_000)
EVENT = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"}


def main() -> None:
    print(f"{'python -c pass':>28}: {cpu(['-c', 'pass']):4.0f} ms")
    for size in SIZES:
        with TemporaryDirectory() as folder:
            file = Path(folder, "memory.db")
            fill(file, size)
            took = cpu(["-m", "recollect", "--db", str(file), "hook", "pre-tool-use"])
            print(f"{f'hook, {size:,} decisions':>28}: {took:4.0f} ms")


def fill(file: Path, size: int) -> None:
    with recollect.open(file, embedder="none", settings=_quick()) as memory:
        for number in range(size):
            command = {"command": f"make target{number % 97} --jobs {number % 13} in dir{number}"}
            memory.decisions.record(
                recollect.Decision(
                    goal=f"g{number % 50}", tool="Bash", input=command, choice="deny"
                )
            )


def cpu(words: list[str]) -> float:
    """Milliseconds, the least of several runs."""
    event = json.dumps({**EVENT, "tool_input": {"command": "make target5 --jobs 2 in dir8"}})
    took = []
    for _ in range(RUNS):
        before = _spent()
        line = [sys.executable, *words]
        ended = subprocess.run(line, input=event.encode(), capture_output=True, check=True)
        assert not ended.stderr, ended.stderr
        took.append(_spent() - before)
    return min(took) * 1_000


def _quick() -> recollect.Settings:
    return recollect.Settings(synchronous="NORMAL", embedder="none")


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
