"""Measure the CPU time of one hook call, with the start of Python.

An agent waits for the hook before each tool, and with each prompt. Run it with the Python of
`.venv-test`:

    python -m bench.hook
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import erstwhile
from bench.process_cost import cpu
from bench.speech import Speech

RUNS = 15
SIZES = (10, 1_000, 10_000)
FACTS = 500
SESSION = {
    "session-start": {"hook_event_name": "SessionStart", "session_id": "s"},
    "prompt": {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "s",
        "prompt": Speech(5).question(Speech(3).facts(1)[0]),
    },
}
EVENT = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"}


def main() -> None:
    print(f"{'python -c pass':>28}: {least(['-c', 'pass']):4.0f} ms")
    for size in SIZES:
        with TemporaryDirectory() as folder:
            file = Path(folder, "memory.db")
            fill(file, size)
            took = least(["-m", "erstwhile", "--db", str(file), "hook", "pre-tool-use"])
            print(f"{f'hook, {size:,} decisions':>28}: {took:4.0f} ms")
    with TemporaryDirectory() as folder:
        file = Path(folder, "memory.db")
        with erstwhile.open(file, embedder="none", settings=_quick()) as memory:
            memory.remember_many([{"text": text} for text in Speech(3).facts(FACTS)])
        for command, event in SESSION.items():
            line = ["-m", "erstwhile", "--db", str(file), "hook", command]
            took = min(cpu(line, json.dumps(event).encode()) for _ in range(RUNS))
            print(f"{f'hook {command}, {FACTS:,} facts':>28}: {took:4.0f} ms")


def fill(file: Path, size: int) -> None:
    with erstwhile.open(file, embedder="none", settings=_quick()) as memory:
        for number in range(size):
            command = {"command": f"make target{number % 97} --jobs {number % 13} in dir{number}"}
            memory.decisions.record(
                erstwhile.Decision(
                    goal=f"g{number % 50}", tool="Bash", input=command, choice="deny"
                )
            )


def least(words: list[str]) -> float:
    """Return the milliseconds of the fastest run."""
    event = json.dumps({**EVENT, "tool_input": {"command": "make target5 --jobs 2 in dir8"}})
    return min(cpu(words, event.encode()) for _ in range(RUNS))


def _quick() -> erstwhile.Settings:
    return erstwhile.Settings(synchronous="NORMAL", embedder="none")


if __name__ == "__main__":
    main()
