"""`erstwhile demo`: a short tour that runs in a temporary file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

import erstwhile
from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.demo.script import SCRIPT, Scene
from erstwhile.cli.plain_values import plain
from erstwhile.core.errors import RefusedError
from erstwhile.core.json_values import written_time
from erstwhile.core.time import EPOCH, parse_moment
from erstwhile.decisions.decision import Decision, DecisionRequest

WIDTH = 100
SECOND = timedelta(seconds=1)


class StoryClock:
    """A clock that the script sets, because the tour spans months."""

    def __init__(self) -> None:
        self.moment = EPOCH

    def now(self) -> datetime:
        self.moment += SECOND
        return self.moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A scene and its result."""

    scene: Scene
    at: datetime
    about: datetime
    result: Any


def play(path: Path) -> Iterator[Played]:
    """Run the script on a new file, and yield each scene with its result."""
    clock = StoryClock()
    with erstwhile.open(path, clock=clock) as memory:
        stage: dict[str, Any] = {
            "memory": memory, "sqlite": lambda sql: _tamper(path, sql),
            "Decision": Decision, "DecisionRequest": DecisionRequest,
        }  # fmt: skip
        for scene in SCRIPT:
            clock.moment = _moment(scene.on, clock)
            result = eval(scene.call, {}, stage)  # noqa: S307 - only the script of this package
            stage[scene.name or "_"] = result
            yield Played(
                scene=scene, at=clock.moment, about=_moment(scene.about, clock), result=result
            )


def _moment(text: str, clock: StoryClock) -> datetime:
    return parse_moment(text or "now", now=clock.moment, name="scene")


def _tamper(path: Path, sql: str) -> str:
    import apsw

    other = apsw.Connection(str(path))
    other.set_busy_timeout(10_000)  # the embedding thread may be writing
    other.execute(sql)
    changed = other.changes()
    other.close()
    return f"{changed} row changed without Erstwhile"


@click.command()
@click.option("--keep", type=click.Path(path_type=Path), metavar="FILE", help="Keep the file here.")
@click.pass_obj
def demo(call: Call, keep: Path | None) -> None:
    """Take a short tour in a temporary file.

    \b
    Examples:
      erstwhile demo
      erstwhile demo --keep tour.db
    """
    if keep is not None and keep.exists():
        raise RefusedError(f"{keep} exists already", remedy="choose another file")
    with TemporaryDirectory(prefix="erstwhile-") as folder:
        scenes = play(keep or Path(folder) / "tour.db")
        if call.data_asked:
            steps = [_in_json(played) for played in scenes]
            call.out.record({"steps": steps, "kept": keep and str(keep)})
        else:
            _show(scenes, keep)


def _in_json(played: Played) -> dict[str, Any]:
    # Loaded here, so that `erstwhile --help` does not wait for all collections.
    from erstwhile.memory import Memory

    result = played.result
    shown = str(result) if isinstance(result, Memory) else plain(result, played.about)
    scene = {"at": written_time(played.at), "say": played.scene.say, "code": played.scene.code}
    return {**scene, "result": shown}


def _show(scenes: Iterator[Played], keep: Path | None) -> None:
    # Loaded here, so that `erstwhile --help` does not wait for rich.
    from rich.padding import Padding
    from rich.text import Text

    from erstwhile.cli.demo.views import outcome
    from erstwhile.cli.terminal import console

    out = console(sys.stdout, width=None if is_terminal(sys.stdout) else WIDTH)
    for number, played in enumerate(scenes, 1):
        out.print(Text.assemble((f"{number:2}  ", "bold magenta"), (played.scene.say, "bold")))
        out.print(Text(f"    >>> {played.scene.code}".replace("\n", "\n    ... "), "cyan"))
        for line in outcome(played.result, played.about):
            out.print(Padding.indent(line, 4))
    out.print(Text(_farewell(keep), "dim"))


def _farewell(keep: Path | None) -> str:
    if keep is None:
        return "The file of this tour is deleted. Start your own: erstwhile remember …"
    file = shlex.quote(str(keep))
    return f"Look around: erstwhile --db {file} --user ana --project shop facts list --state any"
