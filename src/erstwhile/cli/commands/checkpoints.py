"""`erstwhile checkpoints`: the progress of runs that have several phases."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group
from erstwhile.cli.safe_text import safe_line

NONE_HERE = "No run here fits.\nBegin one: erstwhile checkpoints plan run-1 gather write check"
ALL_DONE = "All phases are completed."
run = click.argument("run")
phase = options.together(run, click.argument("phase"))

checkpoints = Group(
    "checkpoints",
    "Store the progress of a run, and resume it.\n\nRUN is a name that you choose.",
    "checkpoints plan run-1 gather write check",
    "checkpoints resume run-1",
)
checkpoints.method(
    "plan",
    "Name the phases of a run in order; existing phases stay.",
    "checkpoints plan run-1 gather write check",
    run,
    click.argument("phases", metavar="PHASE...", nargs=-1, required=True),
    empty=NONE_HERE,
)
checkpoints.method(
    "start",
    "Start a phase, or start it again.",
    "checkpoints start run-1 gather",
    phase,
    done="Started",
)
checkpoints.method(
    "save",
    "Save the output of a phase in progress so far.",
    'checkpoints save run-1 gather "3 sources"',
    phase,
    click.argument("output"),
    done="Saved",
)
checkpoints.method(
    "complete",
    "Mark a phase in progress as completed.",
    'checkpoints complete run-1 gather --output "7 sources"',
    phase,
    click.option("--output", metavar="TEXT", help="Its output; the saved one by default."),
    done="Completed",
)
checkpoints.method(
    "fail",
    "Mark a phase in progress as failed, with the error.",
    'checkpoints fail run-1 write "out of tokens"',
    phase,
    click.argument("error"),
    done="Failed",
)
checkpoints.method("show", "Show one phase.", "checkpoints show run-1 gather", phase, calls="get")
checkpoints.method(
    "list", "List all phases of a run, in order.", "checkpoints list run-1", run, empty=NONE_HERE
)


@checkpoints.command()
@run
@click.pass_obj
def resume(call: Call, /, run: str) -> None:
    """Show the first phase that is not completed.

    \b
    Examples:
      erstwhile checkpoints resume run-1
    """
    checkpoint = call.memory.checkpoints.resume(run)
    if checkpoint is None:
        call.out.done(ALL_DONE, None)
    else:
        call.out.record(checkpoint)


checkpoints.method(
    "runs",
    "List runs by name, with the progress of each.",
    "checkpoints runs --unfinished",
    click.option("--unfinished", is_flag=True, help="Only runs that can continue."),
    options.deleted,
    options.paging,
    empty=NONE_HERE,
)
checkpoints.method(
    "delete",
    "Hide a run until it is restored or purged. Its name is free again.",
    "checkpoints delete run-1",
    run,
    options.reason,
    done=lambda phases: f"Deleted: phases {len(phases)}",
)
checkpoints.method(
    "restore",
    "Restore a deleted run as it was.",
    "checkpoints restore run-1",
    run,
    options.reason,
    done=lambda phases: f"Restored: phases {len(phases)}",
)
checkpoints.purge()
checkpoints.destroy(
    "erase",
    "Destroy a run for good, to the last byte.",
    "checkpoints erase run-1",
    run,
    question=lambda _call, run: f"Destroy the run {safe_line(run)} for good, without any undo?",
)
