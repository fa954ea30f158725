"""Install the memory in a coding agent, and remove exactly what was written.

An agent gets the MCP server and, where it has hooks, the commands of `erstwhile hook`. A record of
each installation is in the folder of the user's data, with a copy of every file before the change.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from erstwhile import __version__
from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError, UnavailableError
from erstwhile.core.folders import make_private, user_folder
from erstwhile.integrations.coding_agents.settings_files import contains, merged, without

_HERE = Path(__file__).parent
_SECONDS = 60
_RECORD = "installed.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A coding agent: its own program, the settings files to change, the calls of its program."""

    name: str
    title: str
    program: str = ""
    files: Mapping[str, str]
    add: Sequence[Sequence[str]] = ()
    remove: Sequence[Sequence[str]] = ()
    listing: Sequence[str] = ()
    leftovers: Sequence[str] = ()
    then: str = ""

    @property
    def folder(self) -> Path:
        """The folder with the record of the installation, copies of files, and the plugin."""
        return user_folder("data") / "agents" / self.name

    @property
    def plugin(self) -> Path:
        """The folder of the plugin."""
        return self.folder / "plugin"

    def calls(self, listed: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return calls of the program of the agent, with its path if it is installed."""
        program = shutil.which(self.program) or self.program
        return [[program, *(word.format(folder=self.plugin) for word in call)] for call in listed]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file, and its content before and after; None if there is no such file."""

    path: Path
    before: str | None
    after: str | None
    added: Any = None
    """The entries that are added to a settings file of the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The changes of an installation: files, and calls of the program of the agent."""

    host: Host
    changes: tuple[FileChange, ...]
    calls: tuple[tuple[str, ...], ...]


def hosts() -> Mapping[str, Host]:
    """Return the coding agents by name."""
    described = tomllib.loads((_HERE / "hosts.toml").read_text("utf-8"))
    return {name: Host(name=name, **{"files": {}, **each}) for name, each in described.items()}


def host(name: str) -> Host:
    """Return the coding agent with a name."""
    known = hosts()
    if name not in known:
        raise InvalidInputError(
            f"unknown coding agent {name!r}", remedy=f"use one of {', '.join(known)}"
        )
    return known[name]


def plan_install(agent: Host, options: Sequence[str]) -> Plan:
    """Return what an installation would change. `options` are global options of `erstwhile`."""
    if is_installed(agent):
        raise ConflictError(
            f"the memory is already installed in {agent.title}",
            remedy=f"run `erstwhile uninstall {agent.name}` first",
        )
    values = _placeholder_values(options)
    changes = [_change_of_settings(*each, values) for each in agent.files.items()]
    if agent.add:
        changes += _plugin_files(agent, values)
    return Plan(host=agent, changes=tuple(changes), calls=tuple(map(tuple, agent.calls(agent.add))))


def install(plan: Plan) -> None:
    """Make the changes of a plan: first the record and the copies, then the files and the calls."""
    agent = plan.host
    make_private(agent.folder)
    for number, change in enumerate(plan.changes):
        if change.before is not None:
            _write_atomically(agent.folder / f"{number}.backup", change.before)
    record = {
        "version": __version__,
        "files": [
            {"path": str(each.path), "hash": _hash(each.after), "added": each.added}
            for each in plan.changes
        ],
    }
    _write_atomically(agent.folder / _RECORD, json.dumps(record, indent=2))
    for change in plan.changes:
        _write_atomically(change.path, change.after or "")
    _run_calls(agent, plan.calls)


def plan_uninstall(agent: Host) -> Plan:
    """Return the changes that undo an installation. Later changes by others are kept."""
    file = agent.folder / _RECORD
    if not file.exists():
        raise NotFoundError(
            f"the memory is not installed in {agent.title}",
            remedy=f"`erstwhile install {agent.name}` installs it",
        )
    record = json.loads(file.read_text("utf-8"))
    changes = [
        FileChange(
            path=Path(each["path"]), before=now, after=_without_additions(agent, number, each, now)
        )
        for number, each in enumerate(record["files"])
        if (now := _read_text(Path(each["path"]))) is not None
    ]
    return Plan(
        host=agent, changes=tuple(changes), calls=tuple(map(tuple, agent.calls(agent.remove)))
    )


def uninstall(plan: Plan) -> None:
    """Undo an installation: first the calls, then the files, then the record.

    A call may fail if the plugin was removed already; that is an error only if the agent lists it.
    """
    for call in plan.calls:
        try:
            _run_calls(plan.host, [call])
        except UnavailableError:
            if lists_plugin(plan.host):
                raise
    for change in plan.changes:
        if change.after is None:
            change.path.unlink(missing_ok=True)
        elif change.after != change.before:
            _write_atomically(change.path, change.after)
    for folder in (*map(Path.expanduser, map(Path, plan.host.leftovers)), plan.host.folder):
        shutil.rmtree(folder, ignore_errors=True)


def is_installed(agent: Host) -> bool:
    return (agent.folder / _RECORD).exists()


def recorded_files(agent: Host) -> list[tuple[Path, bool]]:
    """Return each file of an installation, and whether it still has all of its entries."""
    record = json.loads((agent.folder / _RECORD).read_text("utf-8"))
    return [(Path(each["path"]), _is_whole(each)) for each in record["files"]]


def _is_whole(entry: Mapping[str, Any]) -> bool:
    path, added = Path(entry["path"]), entry["added"]
    now = _read_text(path)
    if now is None or added is None:
        return now is not None and _hash(now) == entry["hash"]
    return contains(path, now, added)


def own_command() -> list[str]:
    """Return the command that runs this program, with full paths: an agent has another PATH."""
    beside = Path(sys.executable).with_name("erstwhile.exe" if os.name == "nt" else "erstwhile")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "erstwhile"]


def _placeholder_values(options: Sequence[str]) -> Mapping[str, Any]:
    program, *words = own_command()
    joined = subprocess.list2cmdline if os.name == "nt" else shlex.join
    return {
        "version": __version__,
        "program": program,
        "mcp_arguments": [*words, *options, "mcp"],
        "hook": joined([program, *words, *options, "hook"]),
    }


def _fill_placeholders(value: Any, values: Mapping[str, Any]) -> Any:
    """Return a JSON value with its placeholders filled. A whole text may become a list."""
    if isinstance(value, dict):
        return {name: _fill_placeholders(each, values) for name, each in value.items()}
    if isinstance(value, list):
        return [_fill_placeholders(each, values) for each in value]
    if not isinstance(value, str):
        return value
    for name, filling in values.items():
        if value == f"{{{{{name}}}}}":
            return filling
        value = value.replace(f"{{{{{name}}}}}", str(filling))
    return value


def _change_of_settings(place: str, name: str, values: Mapping[str, Any]) -> FileChange:
    """Return the change of a settings file. `{config}` is the folder of settings of this user."""
    path = Path(place.format(config=user_folder("config").parent)).expanduser()
    added = _fill_placeholders(json.loads((_HERE / "settings" / name).read_text("utf-8")), values)
    before = _read_text(path)
    return FileChange(path=path, before=before, after=merged(path, before, added), added=added)


def _plugin_files(agent: Host, values: Mapping[str, Any]) -> Iterator[FileChange]:
    """Yield the files of the plugin, which serves Claude Code, Codex and Agent Plugins."""
    template = _HERE / "plugin"
    for file in sorted(each for each in template.rglob("*") if each.is_file()):
        text = file.read_text("utf-8")
        if file.suffix == ".json":
            filled = _fill_placeholders(json.loads(text), values)
            text = json.dumps(filled, indent=2, ensure_ascii=False) + "\n"
        yield FileChange(path=agent.plugin / file.relative_to(template), before=None, after=text)


def _without_additions(agent: Host, number: int, entry: Mapping[str, Any], now: str) -> str | None:
    """Return a file without its additions, or None if it is to be removed."""
    backup = _read_text(agent.folder / f"{number}.backup")
    if _hash(now) == entry["hash"] or entry["added"] is None:
        return backup
    return without(Path(entry["path"]), now, backup, entry["added"])


def lists_plugin(agent: Host) -> bool:
    """Return whether the program of the agent lists the plugin as installed."""
    [call] = agent.calls([agent.listing])
    return "erstwhile" in _run_call(agent, call)


def _run_calls(agent: Host, calls: Sequence[Sequence[str]]) -> None:
    """Run the program of the agent, if it is installed."""
    if shutil.which(agent.program):
        for call in calls:
            _run_call(agent, call)


def _run_call(agent: Host, call: Sequence[str]) -> str:
    """Return what a call of the program of the agent prints. Raise UnavailableError if it fails."""
    try:
        done = subprocess.run(  # noqa: S603 - the calls are those of hosts.toml
            call, capture_output=True, text=True, timeout=_SECONDS, check=True
        )
    except subprocess.CalledProcessError as error:
        reason = (error.stderr or error.stdout).strip().splitlines()[-1:] or ["no reason given"]
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = [str(error)]
    else:
        return done.stdout
    raise UnavailableError(
        f"{shlex.join(call)} failed: {reason[0]}",
        remedy=f"run it by hand, or `erstwhile uninstall {agent.name}`",
    )


def _read_text(path: Path) -> str | None:
    """Return the content of a file with its line ends, or None if there is no file."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None


def _write_atomically(path: Path, text: str) -> None:
    """Write a file atomically: another program reads the old or the new content.

    A link stays a link. Nobody else may read what the owner alone may read.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.erstwhile")
    if path.exists():
        beside.touch(mode=0o600)
        shutil.copymode(path, beside)
    beside.write_bytes(text.encode())
    beside.replace(path)


def _hash(text: str | None) -> str:
    return sha256((text or "").encode()).hexdigest()
