"""The built wheel works in a clean environment: it holds all its files, and no tests."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.docs.pages import PROJECT, blocks

QUICKSTART = PROJECT / "docs" / "tutorial" / "quickstart.md"
TIMEOUT = 600


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of this project, built from the working tree."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(PROJECT)]
    subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT)
    [built] = folder.glob("erstwhile-*.whl")
    return built


def test_the_wheel_holds_the_package_with_its_data_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    source = PROJECT / "src"
    files = {
        str(file.relative_to(source))
        for file in source.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert held == files
    assert any(name.endswith(".sql") for name in held)


def test_the_wheel_holds_no_sets_for_evaluation(wheel: Path) -> None:
    sets = {file.name for file in (PROJECT / "bench" / "sets").glob("*.json*")}
    with ZipFile(wheel) as archive:
        names = [Path(name) for name in archive.namelist()]
    assert sets
    assert not [name for name in names if name.name in sets or "evaluation" in name.parts]


def test_the_quickstart_runs_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    """Installed from the wheel, with its dependencies and without the sources."""
    environment = tmp_path / "environment"
    venv.create(environment)
    python = str(environment / "bin" / "python")
    install = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True, timeout=TIMEOUT)
    code = "\n".join(each.text for each in blocks(QUICKSTART) if each.language == "python")
    assert "erstwhile.open" in code
    run = subprocess.run(
        [python, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT
    )
    assert run.returncode == 0, run.stderr
    help_text = [str(environment / "bin" / "erstwhile"), "--help"]
    shown = subprocess.run(help_text, capture_output=True, text=True, timeout=TIMEOUT)
    assert "Usage: erstwhile" in shown.stdout
