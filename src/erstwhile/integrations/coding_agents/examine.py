"""Examine an installation in a coding agent: `erstwhile doctor claude-code`."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from tempfile import TemporaryDirectory

from erstwhile.core.errors import ErstwhileError
from erstwhile.integrations.coding_agents.install import (
    Host,
    is_installed,
    lists_plugin,
    recorded_files,
)
from erstwhile.integrations.coding_agents.settings_files import read_settings
from erstwhile.operations.results import Diagnosis, Health, HealthCheck

_SECONDS = 30


class _FoundError(Exception):
    """What is wrong, and its remedy."""

    def __init__(self, detail: str, remedy: str, health: Health = Health.PROBLEM) -> None:
        super().__init__(detail)
        self.remedy, self.health = remedy, health


def examine(agent: Host) -> Diagnosis:
    """Return the results of all checks; after the first problem of the files, no more are made."""
    checks = [_checked("installed", lambda: _check_installed(agent))]
    if checks[0].health is Health.OK:
        checks += [
            _checked("files", lambda: _check_files(agent)),
            _checked("program", lambda: _check_program(agent)),
            _checked("hook", lambda: _check_hook(agent)),
        ]
    return Diagnosis(checks=tuple(checks), location=agent.title)


def _checked(name: str, check: Callable[[], str]) -> HealthCheck:
    try:
        return HealthCheck(name=name, health=Health.OK, detail=check())
    except _FoundError as found:
        return HealthCheck(name=name, health=found.health, detail=str(found), remedy=found.remedy)
    except (ErstwhileError, OSError, subprocess.SubprocessError) as error:
        return HealthCheck(name=name, health=Health.PROBLEM, detail=str(error))


def _check_installed(agent: Host) -> str:
    if not is_installed(agent):
        raise _FoundError("it is not installed", f"run `erstwhile install {agent.name}`")
    return f"recorded in {agent.folder}"


def _check_files(agent: Host) -> str:
    missing = [path for path, is_whole in recorded_files(agent) if not is_whole]
    if missing:
        raise _FoundError(
            f"entries are missing in {', '.join(map(str, missing))}",
            f"run `erstwhile uninstall {agent.name}`, then `erstwhile install {agent.name}`",
        )
    return "all entries are there"


def _check_program(agent: Host) -> str:
    """Ask the program of the agent whether it has the plugin."""
    if not agent.program:
        return "it reads the files"
    program = shutil.which(agent.program)
    if program is None:
        raise _FoundError(
            f"{agent.program} is not on the PATH", f"install {agent.title}", Health.WARNING
        )
    if not agent.listing:
        return program
    if not lists_plugin(agent):
        commands = "; ".join(" ".join(call) for call in agent.calls(agent.add))
        raise _FoundError(f"{agent.title} does not list the plugin", f"run: {commands}")
    return "the plugin is installed"


def _check_hook(agent: Host) -> str:
    """Run the hook as the agent does, with an event that nothing is stored from."""
    commands = list(_hook_commands(agent))
    if not commands:
        return "this agent has no hooks of ours"
    start = next((each for each in commands if each.endswith(" session-start")), commands[0])
    with TemporaryDirectory() as folder:
        event = {"hook_event_name": "SessionStart", "session_id": "doctor", "cwd": folder}
        done = subprocess.run(  # noqa: S602 - the agent runs this command in a shell, too
            start, shell=True, input=json.dumps(event), capture_output=True, text=True,
            timeout=_SECONDS, check=False,
        )  # fmt: skip
    if done.returncode or done.stderr.strip():
        told = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise _FoundError(f"the hook fails: {told[0]}", f"run it by hand: {start}")
    return "the hook answers"


def _hook_commands(agent: Host) -> Iterator[str]:
    """Yield the commands of the hooks in the files of an installation."""
    for path, _ in recorded_files(agent):
        if path.suffix == ".json":
            yield from _commands(read_settings(path, path.read_text("utf-8"))[0])


def _commands(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        command = value.get("command")
        if isinstance(command, str) and " hook " in command and "erstwhile" in command:
            yield command
        for each in value.values():
            yield from _commands(each)
    elif isinstance(value, list):
        for each in value:
            yield from _commands(each)
