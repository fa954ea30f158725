"""`erstwhile install` in a coding agent, and `uninstall`: files that belong to other programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from erstwhile.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from erstwhile.integrations.coding_agents.examine import examine
from erstwhile.integrations.coding_agents.install import (
    Host,
    host,
    hosts,
    install,
    plan_install,
    plan_uninstall,
    uninstall,
)

OPTIONS = ["--db", "/memory/agent.db", "--user", "ana", "--project", "."]
WITH_FILES = [name for name, each in hosts().items() if each.files]
WITH_PLUGIN = [name for name, each in hosts().items() if each.add]


def tree(folder: Path) -> dict[str, bytes]:
    """Return the content of every file in a folder."""
    files = (each for each in folder.rglob("*") if each.is_file())
    return {str(each.relative_to(folder)): each.read_bytes() for each in files}


def settings_files(agent: Host) -> list[Path]:
    return [each.path for each in plan_install(agent, OPTIONS).changes]


@pytest.mark.parametrize("name", hosts())
def test_what_is_installed_is_taken_back_to_the_byte(home: Path, name: str) -> None:
    agent, before = host(name), tree(home)
    install(plan_install(agent, OPTIONS))
    assert tree(home) != before
    with pytest.raises(ConflictError, match="already"):
        plan_install(agent, OPTIONS)
    uninstall(plan_uninstall(agent))
    assert tree(home) == before
    with pytest.raises(NotFoundError, match="not installed"):
        plan_uninstall(agent)


@pytest.mark.parametrize("name", WITH_FILES)
def test_settings_of_the_user_stay(home: Path, name: str) -> None:
    """Also its strange formatting, if nobody changed the file meanwhile."""
    agent = host(name)
    for path in settings_files(agent):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"theme":   "dark",\n\n "hooks": {"other": []}}', "utf-8")
    before = tree(home)
    install(plan_install(agent, OPTIONS))
    for path in settings_files_of(agent):
        changed = json.loads(path.read_text("utf-8"))
        assert (changed["theme"], changed["hooks"]["other"]) == ("dark", [])
        assert "erstwhile" in path.read_text("utf-8")
    uninstall(plan_uninstall(agent))
    assert tree(home) == before


def settings_files_of(agent: Host) -> list[Path]:
    """Return the files of an installation."""
    return [each.path for each in plan_uninstall(agent).changes]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("name", WITH_FILES)
def test_changes_after_the_installation_stay(name: str) -> None:
    agent = host(name)
    install(plan_install(agent, OPTIONS))
    for path in settings_files_of(agent):
        changed = json.loads(path.read_text("utf-8"))
        changed["theme"] = "dark"
        for entries in changed.get("hooks", {}).values():
            entries.append({"command": "lint"})
        path.write_text(json.dumps(changed), "utf-8")
    paths = settings_files_of(agent)
    uninstall(plan_uninstall(agent))
    for path in paths:
        left = json.loads(path.read_text("utf-8"))
        assert left["theme"] == "dark"
        assert "erstwhile" not in path.read_text("utf-8")
        assert all(each == [{"command": "lint"}] for each in left.get("hooks", {}).values())


@pytest.mark.usefixtures("home")
def test_comments_stay() -> None:
    """Zed and VS Code allow them, and a last comma."""
    agent = host("zed")
    [path] = settings_files(agent)
    path.parent.mkdir(parents=True)
    text = '// Zed settings\n{\n  "theme": "One", // dark\n  "url": "http://x", /* more */\n}\n'
    path.write_text(text, "utf-8")
    install(plan_install(agent, OPTIONS))
    changed = path.read_text("utf-8")
    assert all(part in changed for part in ("// Zed settings", "// dark", "context_servers"))
    assert examine(agent).ok
    uninstall(plan_uninstall(agent))
    assert path.read_text("utf-8") == text


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", InvalidInputError),
        ("[]", InvalidInputError),
        ('{"context_servers": {"erstwhile": {"command": "other"}}}', ConflictError),
        ('// mine\n{"context_servers": {"other": {}}}', ConflictError),
    ],
)
def test_a_file_that_cannot_be_changed_safely_stays(text: str, error: type[Exception]) -> None:
    agent = host("zed")
    [path] = settings_files(agent)
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    with pytest.raises(error):
        plan_install(agent, OPTIONS)
    assert path.read_text("utf-8") == text


@pytest.mark.usefixtures("home")
def test_links_and_line_ends_of_settings_stay(tmp_path: Path) -> None:
    """Many people keep their settings in a repository, and link to them."""
    agent, kept = host("gemini"), tmp_path / "dotfiles.json"
    [path] = settings_files(agent)
    kept.write_bytes(b'{\r\n  "theme": "dark"\r\n}\r\n')
    kept.chmod(0o600)
    path.parent.mkdir(parents=True)
    path.symlink_to(kept)
    before = kept.read_bytes()
    install(plan_install(agent, OPTIONS))
    assert path.is_symlink()
    assert b"erstwhile" in kept.read_bytes()
    assert kept.stat().st_mode & 0o777 == 0o600
    uninstall(plan_uninstall(agent))
    assert path.is_symlink()
    assert kept.read_bytes() == before


@pytest.mark.parametrize("listed", ["", "erstwhile@erstwhile"])
def test_a_plugin_that_is_gone_already_stops_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, listed: str
) -> None:
    """The program of the agent fails then, but an uninstallation must reach its end."""
    agent, programs = host("claude-code"), home / "bin"
    install(plan_install(agent, OPTIONS))
    programs.mkdir()
    program = programs / agent.program
    program.write_text(f'#!/bin/sh\n[ "$2" = list ] && echo "{listed}" || exit 1\n', "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    if listed:
        with pytest.raises(UnavailableError, match="uninstall"):
            uninstall(plan_uninstall(agent))
    else:
        uninstall(plan_uninstall(agent))
    assert agent.folder.exists() is bool(listed)


@pytest.mark.parametrize("name", WITH_PLUGIN)
def test_one_plugin_folder_serves_all(home: Path, name: str) -> None:
    """Each layout is there, and the commands have full paths: an agent has another PATH."""
    agent = host(name)
    install(plan_install(agent, OPTIONS))
    files = {each: json.loads((agent.plugin / each).read_text("utf-8")) for each in (
        ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json",
        ".codex-plugin/plugin.json", "plugin.json", "mcp.json", "hooks/hooks.json",
    )}  # fmt: skip
    server = files["mcp.json"]["mcpServers"]["erstwhile"]
    assert server == files[".claude-plugin/plugin.json"]["mcpServers"]["erstwhile"]
    assert Path(server["command"]).is_absolute()
    assert server["args"][-7:] == [*OPTIONS, "mcp"]
    commands = [
        hook["command"]
        for entries in files["hooks/hooks.json"]["hooks"].values()
        for entry in entries
        for hook in entry["hooks"]
    ]
    assert all(each.startswith("/") and " hook " in each for each in commands)
    assert "{{" not in json.dumps(files)
    assert str(home) in str(agent.plugin)


def test_the_doctor_says_what_is_wrong(home: Path) -> None:
    agent = host("gemini")
    [missing] = examine(agent).checks
    assert "erstwhile install gemini" in missing.remedy
    install(plan_install(agent, ["--db", str(home / "no.db"), "--user", "ana"]))
    checks = {each.name: each for each in examine(agent).checks}
    assert checks["files"].health == "ok"
    assert checks["program"].health == "warning"
    assert "no.db" in checks["hook"].detail
    [path] = settings_files_of(agent)
    path.write_text("{}", "utf-8")
    assert {each.name: each.health for each in examine(agent).checks}["files"] == "problem"


@pytest.mark.usefixtures("home")
def test_the_doctor_names_a_missing_package_of_the_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = host("gemini")
    install(plan_install(agent, OPTIONS))
    monkeypatch.setitem(sys.modules, "mcp", None)
    [tools] = [each for each in examine(agent).checks if each.name == "tools"]
    assert (tools.health, "mcp" in tools.remedy) == ("problem", True)


def test_an_unknown_agent_is_named() -> None:
    with pytest.raises(InvalidInputError, match="notepad") as told:
        host("notepad")
    assert "claude-code" in str(told.value)
