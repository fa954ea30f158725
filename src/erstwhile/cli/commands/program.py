"""`erstwhile demo` and `completion`: a tour in a temporary file, and completion in a shell."""

from __future__ import annotations

import shlex
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import click
from rich.padding import Padding
from rich.text import Text

import erstwhile
from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.completion import SHELLS
from erstwhile.cli.terminal import console
from erstwhile.cli.views.operations import result_lines
from erstwhile.core.errors import RefusedError
from erstwhile.core.json_values import written_time
from erstwhile.core.public_record import to_json
from erstwhile.core.time import EPOCH, parse_moment
from erstwhile.decisions.decision import Decision, DecisionRequest

WIDTH = 100
SCRIPT = Path(__file__).parents[1] / "demo_script.toml"
_SECOND = timedelta(seconds=1)


class ScriptClock:
    """A clock that the script sets, because the tour spans months."""

    def __init__(self) -> None:
        self.moment = EPOCH

    def now(self) -> datetime:
        self.moment += _SECOND
        return self.moment

    def set(self, text: str) -> datetime:
        self.moment = self.parse(text)
        return self.moment

    def parse(self, text: str) -> datetime:
        return parse_moment(text or "now", now=self.moment, name="scene")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedScene:
    """A scene of the tour and its result. `about` is the time that it asks about."""

    say: str
    code: str
    at: datetime
    about: datetime
    result: Any


def play(path: Path) -> Iterator[PlayedScene]:
    """Run the script on a new file, and yield each scene with its result."""
    clock = ScriptClock()
    with erstwhile.open(path, clock=clock) as memory:
        names: dict[str, Any] = {
            "memory": memory, "sqlite": lambda sql: _tamper(path, sql),
            "Decision": Decision, "DecisionRequest": DecisionRequest,
        }  # fmt: skip
        for scene in tomllib.loads(SCRIPT.read_text("utf-8"))["scene"]:
            at, call, name = clock.set(scene.get("on", "")), scene["call"], scene.get("name")
            result = eval(call, {}, names)  # noqa: S307 - only the script of this package
            names[name or "_"] = result
            yield PlayedScene(
                say=scene["say"],
                code=f"{name} = {call}" if name else call,
                at=at,
                about=clock.parse(scene.get("about", "")),
                result=result,
            )


def _tamper(path: Path, sql: str) -> str:
    other = apsw.Connection(str(path))
    other.set_busy_timeout(10_000)  # the embedding thread may be writing
    other.execute(sql)
    changed = other.changes()
    other.close()
    return f"{changed} row changed without Erstwhile"


def demo(call: Call, *, keep: Path | None = None) -> None:
    if keep is not None and keep.exists():
        raise RefusedError(f"{keep} already exists", remedy="choose another file")
    with TemporaryDirectory(prefix="erstwhile-") as folder:
        scenes = play(keep or Path(folder) / "tour.db")
        if call.data_asked:
            steps = list[dict[str, Any]]()
            for each in scenes:
                is_view = isinstance(each.result, erstwhile.Memory)
                result = str(each.result) if is_view else to_json(each.result, each.about)
                step = {"at": written_time(each.at), "say": each.say, "code": each.code}
                steps.append({**step, "result": result})
            call.out.record({"steps": steps, "kept": keep and str(keep)})
        else:
            _show(scenes, keep)


def _show(scenes: Iterator[PlayedScene], keep: Path | None) -> None:
    out = console(sys.stdout, width=None if is_terminal(sys.stdout) else WIDTH)
    for number, scene in enumerate(scenes, 1):
        out.print(Text.assemble((f"{number:2}  ", "bold magenta"), (scene.say, "bold")))
        out.print(Text(f"    >>> {scene.code}".replace("\n", "\n    ... "), "cyan"))
        for line in result_lines(scene.result, scene.about):
            out.print(Padding.indent(line, 4))
    end = "The file of this tour is deleted. Start your own: erstwhile remember …"
    if keep is not None:
        scope = f"--db {shlex.quote(str(keep))} --user ana --project shop"
        end = f"Look around: erstwhile {scope} facts list --state any"
    out.print(Text(end, "dim"))


def completion(_call: Call, *, shell: str) -> None:
    app = click.get_current_context().find_root().command
    click.echo(SHELLS[shell](app, {}, "erstwhile", "_ERSTWHILE_COMPLETE").source())
