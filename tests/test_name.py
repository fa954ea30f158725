"""The project has one name. Its former name belongs to another package."""

from __future__ import annotations

import os
from pathlib import Path

from tests.docs.pages import PROJECT

FORMER = b"rec" + b"ollect"
IGNORED = {".git", ".venv-test", ".venv-demo", ".venv-lock", "__pycache__", "build", "dist"}


def test_no_file_and_no_path_has_the_former_name() -> None:
    wrong = []
    for folder, folders, names in os.walk(PROJECT):
        folders[:] = [name for name in folders if name not in IGNORED and "cache" not in name]
        for file in (Path(folder, name) for name in (*names, *folders)):
            content = file.read_bytes() if file.is_file() else b""
            if FORMER in (content + bytes(file.relative_to(PROJECT))).lower():
                wrong.append(file)
    assert wrong == []
