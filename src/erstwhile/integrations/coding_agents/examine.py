"""Examine an installation in a coding agent: `erstwhile doctor claude-code`."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from tempfile import TemporaryDirectory

from erstwhile.core.installing import install_extra
from erstwhile.integrations.coding_agents.install import (
    Host,
    is_installed,
    lists_plugin,
    recorded_files,
)
from erstwhile.integrations.coding_agents.settings_files import read_settings
from erstwhile.operations.doctor import Finding, run_check
from erstwhile.operations.results import Diagnosis, Health

_SECONDS = 30


def examine(agent: Host) -> Diagnosis:
    """Return the results of all checks; after the first problem of the files, no more are made."""
    checks = [run_check("installed", lambda: _check_installed(agent))]
    if checks[0].health is Health.OK:
        checks += [
            run_check("files", lambda: _check_files(agent)),
            run_check("program", lambda: _check_program(agent)),
            run_check("hook", lambda: _check_hook(agent)),
            run_check("tools", _check_tools),
        ]
    return Diagnosis(checks=tuple(checks), location=agent.title)


def _check_installed(agent: Host) -> str:
    if not is_installed(agent):
        raise Finding("it is not installed", f"run `erstwhile install {agent.name}`")
    return f"recorded in {agent.folder}"


def _check_files(agent: Host) -> str:
    missing = [path for path, is_whole in recorded_files(agent) if not is_whole]
    if missing:
        raise Finding(
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
        raise Finding(
            f"{agent.program} is not on the PATH", f"install {agent.title}", Health.WARNING
        )
    if not agent.listing:
        return program
    if not lists_plugin(agent):
        commands = "; ".join(" ".join(call) for call in agent.calls(agent.add))
        raise Finding(f"{agent.title} does not list the plugin", f"run: {commands}")
    return "the plugin is installed"


def _check_hook(agent: Host) -> str:
    """Run the hook as the agent does, with an event that nothing is stored from."""
    commands = list(_hook_commands(agent))
    if not commands:
        return "this agent has no hooks of ours"
    start = next((each for each in commands if each.endswith(" session-start")), commands[0])
    with TemporaryDirectory() as folder:
        event = {"hook_event_name": "SessionStart", "session_id": "doctor", "cwd": folder}
        try:
            done = subprocess.run(  # noqa: S602 - the agent runs this command in a shell, too
                start, shell=True, input=json.dumps(event), capture_output=True, text=True,
                timeout=_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Finding("the hook does not answer in time", f"run it by hand: {start}") from None
    if done.returncode or done.stderr.strip():
        reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise Finding(f"the hook fails: {reason[0]}", f"run it by hand: {start}")
    return "the hook answers"


def _check_tools() -> str:
    if find_spec("mcp") is None:
        raise Finding("the package mcp is missing, so the tools do not start", install_extra("mcp"))
    return "the MCP server can start"


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
