"""`erstwhile backup` and `restore` on the command line."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.shell import COMMAND


def test_backup_and_restore(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "Ana drinks tea")
    made = cli("backup", str(tmp_path / "backups"), "--keep", "1").data
    cli("remember", "Ana drinks coffee")
    refused = cli("restore", made["path"])
    assert (refused.code, "saved first" in refused.err) == (4, True)
    assert cli("restore", made["path"], "--overwrite").data["saved"]
    assert [fact["text"] for fact in cli("facts", "list").data["items"]] == ["Ana drinks tea"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_goes_on_until_a_signal(
    cli: Cli, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    cli("remember", "Ana drinks tea")
    words = ("backup", str(tmp_path / "backups"), "--every", "1s", "--keep", "1")
    with subprocess.Popen((*COMMAND, *words), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        made = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.send_signal(number)
        assert process.wait(60) == code
    assert made[1]["removed"] == [made[0]["path"]]


def test_a_failure_is_shown_and_the_next_backup_is_tried(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "Ana drinks tea")
    folder = tmp_path / "backups"
    folder.write_text("in the way")
    words = ("backup", str(folder), "--every", "1s")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen((*COMMAND, *words), **pipes) as process:  # type: ignore[call-overload]
        assert json.loads(process.stderr.readline())["error"] == "storage"
        folder.unlink()
        assert json.loads(process.stdout.readline())["rows"]["facts"] == 1
        process.terminate()
        assert process.wait(60) == 0
