"""Ways to call the command line as a user does: from a script, and at a terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass
from io import StringIO
from types import TracebackType
from typing import Any

from rich.console import RenderableType

from erstwhile.cli.terminal import console

COMMAND = (sys.executable, "-m", "erstwhile")
COLUMNS = 100
_PATIENCE = 60.0
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Ended:
    """The exit code and the output of a call."""

    code: int
    out: str
    err: str = ""

    @property
    def data(self) -> Any:
        """The JSON document on standard output of a successful call."""
        assert (self.code, self.err) == (0, "")
        return json.loads(self.out)

    @property
    def items(self) -> list[Any]:
        return list(self.data["items"])

    @property
    def error(self) -> dict[str, str]:
        """The line of JSON on standard error of a failed call."""
        assert self.code
        assert not self.out
        assert self.err.count("\n") == 1
        told: dict[str, str] = json.loads(self.err)
        assert set(told) == {"error", "message", "remedy"}
        return told

    @property
    def words(self) -> str:
        """The text on the terminal, without colours."""
        return _ANSI.sub("", self.out).replace("\r\n", "\n")


def run(*words: str, typed: bytes | None = None) -> Ended:
    """Call the command line in a process of its own, without a terminal."""
    ended = subprocess.run(
        [*COMMAND, *words], input=typed or b"", capture_output=True, timeout=_PATIENCE, check=False
    )
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


class AtTerminal:
    """A call at a terminal, while it runs."""

    def __init__(self, *words: str, columns: int = COLUMNS) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self._process = subprocess.Popen(
            [*COMMAND, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)},
            # A shell that starts the tests in the background lets them ignore interrupts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self._deadline = time.monotonic() + _PATIENCE
        os.close(theirs)
        self._said = b""

    def __enter__(self) -> AtTerminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(_PATIENCE)
        os.close(self._ours)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def wait_for(self, text: str) -> None:
        while text.encode() not in self._said:
            assert self._read(), f"it ended without saying {text!r}: {self._said!r}"

    @property
    def said(self) -> str:
        return self._said.decode()

    def finish(self) -> Ended:
        while self._read():
            pass
        return Ended(self._process.wait(_PATIENCE), self._said.decode())

    def _read(self) -> bool:
        left = max(self._deadline - time.monotonic(), 0.0)
        ready, _, _ = select.select([self._ours], [], [], left)
        assert ready, f"it did not end in time: {self._said!r}"
        try:
            part = os.read(self._ours, 65_536)
        except OSError:  # how Linux says that the other side is closed
            return False
        self._said += part
        return bool(part)


def at_terminal(*words: str, columns: int = COLUMNS) -> Ended:
    """Run a call at a terminal to its end."""
    with AtTerminal(*words, columns=columns) as call:
        return call.finish()


def rendered(shown: RenderableType) -> str:
    """Return the text of a view on a wide terminal without colours."""
    stream = StringIO()
    console(stream, width=200).print(shown)
    return stream.getvalue()
