"""`erstwhile checkpoints`: how far runs of several phases have come."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, confirm, working
from erstwhile.cli.record_commands import REWRITING, deleted, purge, told_of
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.page import Page

NONE_HERE = "No run here fits.\nBegin one: erstwhile checkpoints plan run-1 gather write check"
ALL_DONE = "All phases are completed."


@click.group(cls=options.Commands)
def checkpoints() -> None:
    """Keep how far a run has come, and go on from there.

    RUN is a name of your own.

    \b
    Example:
      erstwhile checkpoints plan run-1 gather write check
      erstwhile checkpoints resume run-1
    """


@checkpoints.command()
@click.argument("run")
@click.argument("phases", metavar="PHASE...", nargs=-1, required=True)
@click.pass_obj
def plan(call: Call, /, run: str, phases: tuple[str, ...]) -> None:
    """Name the phases of a run in order; what is there stays.

    \b
    Example:
      erstwhile checkpoints plan run-1 gather write check
    """
    call.out.page(Page(tuple(call.memory.checkpoints.plan(run, *phases))), NONE_HERE)


@checkpoints.command()
@click.argument("run")
@click.argument("phase")
@click.pass_obj
def start(call: Call, /, run: str, phase: str) -> None:
    """Begin a phase, or begin it anew.

    \b
    Example:
      erstwhile checkpoints start run-1 gather
    """
    call.out.done("Begun", call.memory.checkpoints.start(run, phase))


@checkpoints.command()
@click.argument("run")
@click.argument("phase")
@click.argument("output")
@click.pass_obj
def save(call: Call, /, run: str, phase: str, output: str) -> None:
    """Keep what a phase in progress has brought so far.

    \b
    Example:
      erstwhile checkpoints save run-1 gather "3 sources"
    """
    call.out.done("Kept", call.memory.checkpoints.save(run, phase, output))


@checkpoints.command()
@click.argument("run")
@click.argument("phase")
@click.option("--output", metavar="TEXT", help="What it brought; else what was saved is kept.")
@click.pass_obj
def complete(call: Call, /, run: str, phase: str, output: str | None) -> None:
    """Say that a phase in progress is done.

    \b
    Example:
      erstwhile checkpoints complete run-1 gather --output "7 sources"
    """
    call.out.done("Completed", call.memory.checkpoints.complete(run, phase, output))


@checkpoints.command()
@click.argument("run")
@click.argument("phase")
@click.argument("error")
@click.pass_obj
def fail(call: Call, /, run: str, phase: str, error: str) -> None:
    """Say that a phase in progress failed, and why.

    \b
    Example:
      erstwhile checkpoints fail run-1 write "out of tokens"
    """
    call.out.done("Failed", call.memory.checkpoints.fail(run, phase, error))


@checkpoints.command()
@click.argument("run")
@click.argument("phase")
@click.pass_obj
def show(call: Call, /, run: str, phase: str) -> None:
    """Show one phase whole.

    \b
    Example:
      erstwhile checkpoints show run-1 gather
    """
    call.out.record(call.memory.checkpoints.get(run, phase))


@checkpoints.command(name="list")
@click.argument("run")
@click.pass_obj
def list_phases(call: Call, /, run: str) -> None:
    """List all phases of a run, in order.

    \b
    Example:
      erstwhile checkpoints list run-1
    """
    call.out.page(Page(tuple(call.memory.checkpoints.list(run))), NONE_HERE)


@checkpoints.command()
@click.argument("run")
@click.pass_obj
def resume(call: Call, /, run: str) -> None:
    """Show the phase to go on with: the first that is not completed.

    \b
    Example:
      erstwhile checkpoints resume run-1
    """
    here = call.memory.checkpoints.resume(run)
    if here is None:
        call.out.done(ALL_DONE, None)
    else:
        call.out.record(here)


@checkpoints.command()
@click.option("--unfinished", is_flag=True, help="Only those that can go on.")
@deleted
@options.paging
@click.pass_obj
def runs(call: Call, /, **asked: Any) -> None:
    """List runs by name, with how far each has come.

    \b
    Example:
      erstwhile checkpoints runs --unfinished
    """
    call.out.page(call.memory.checkpoints.runs(**options.said(asked)), NONE_HERE)


@checkpoints.command()
@click.argument("run")
@options.reason
@click.pass_obj
def delete(call: Call, /, run: str, reason: str | None) -> None:
    """Hide a run until it is restored or purged. Its name is free again.

    \b
    Example:
      erstwhile checkpoints delete run-1
    """
    hidden = call.memory.checkpoints.delete(run, reason=reason)
    call.out.done(f"Deleted: phases {len(hidden)}", Page(tuple(hidden)))


@checkpoints.command()
@click.argument("run")
@options.reason
@click.pass_obj
def restore(call: Call, /, run: str, reason: str | None) -> None:
    """Bring a deleted run back as it was.

    \b
    Example:
      erstwhile checkpoints restore run-1
    """
    back = call.memory.checkpoints.restore(run, reason=reason)
    call.out.done(f"Restored: phases {len(back)}", Page(tuple(back)))


checkpoints.add_command(purge("checkpoints"))


@checkpoints.command()
@click.argument("run")
@options.yes
@click.pass_obj
def erase(call: Call, /, run: str, yes: bool) -> None:
    """Destroy a run for good, to the last byte.

    \b
    Example:
      erstwhile checkpoints erase run-1 --yes
    """
    confirm(lambda: f"Destroy the run {safe_line(run)} for good, without any undo?", yes=yes)
    with working(REWRITING):
        receipt = call.memory.checkpoints.erase(run)
    call.out.done(told_of(receipt), receipt)
