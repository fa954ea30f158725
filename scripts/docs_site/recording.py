"""Record commands in a terminal as a picture: `python -m scripts.docs_site.recording`.

The commands really run, in an empty folder, and print what a person sees: tables and colours.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

TARGET = Path(__file__).resolve().parents[2] / "docs" / "images" / "terminal.svg"
WIDTH = 88
COMMANDS = (
    'erstwhile remember "Ana prefers pnpm over npm" --kind preference',
    "erstwhile facts set city Porto --valid-from 2019-05-01",
    "erstwhile facts set city Lisbon --valid-from 2024-09-01",
    'erstwhile recall "which package manager does Ana like?"',
    "erstwhile facts value city",
    "erstwhile facts value city --as-of 2022-01-01",
)
STYLE = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
"""Rich's form of the picture, without the fonts that it fetches."""


def main() -> None:
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            console.print(Text.from_ansi(shown(command, Path(folder)).rstrip()))
    TARGET.write_text(console.export_svg(title="agent.db", theme=MONOKAI, code_format=STYLE))


def shown(command: str, folder: Path) -> str:
    """Return what a command prints on a terminal."""
    ours, theirs = pty.openpty()
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    told = {"ERSTWHILE_DB": "agent.db", "ERSTWHILE_USER": "ana", "XDG_CACHE_HOME": cache}
    size = {"COLUMNS": str(WIDTH), "LINES": "40", "TERM": "xterm-256color", "HOME": str(folder)}
    _, *arguments = shlex.split(command)
    with subprocess.Popen(
        [sys.executable, "-m", "erstwhile", *arguments],
        cwd=folder, env={**os.environ, **told, **size}, stdin=theirs, stdout=theirs, stderr=theirs,
    ) as running:  # fmt: skip
        os.close(theirs)
        text = b""
        while part := _read(ours):
            text += part
    os.close(ours)
    if running.returncode:
        sys.exit(f"{command}: {text.decode()}")
    lines = text.decode().replace("\r\n", "\n").splitlines()
    return "\n".join(line for line in lines if "Searching…" not in line)  # it moves on a terminal


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # the program has ended
        return b""


if __name__ == "__main__":
    main()
