"""`erstwhile tasks`: planning, and seeing what became of it. The work itself is in `task_runs`."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.commands import task_runs
from erstwhile.cli.record_commands import deleted, edit, record_commands
from erstwhile.cli.views.descriptions import line
from erstwhile.tasks.task import TaskStatus, TaskType

NONE_HERE = (
    "No task here fits. See all with: erstwhile tasks list --ended\n"
    'Or add one: erstwhile tasks add "Call mom" --due "in 2 hours"'
)
NEVER_TRIED = "Nobody has tried it yet."

details = options.together(
    click.option("--due", metavar="TIME", help='When, such as "in 2 hours".'),
    click.option("--time-zone", metavar="NAME", help="Whose clock it goes by; UTC unless said."),
    click.option("--recurrence", metavar="RULE", help="daily, weekdays, …, or an RRULE."),
    click.option("--type", type=options.one_of(TaskType), help="A reminder unless said."),
    click.option("--reply-to", metavar="PLACE", help="Where the answer belongs."),
    click.option("--metadata", callback=options.json_object, metavar="JSON", help="Anything else."),
    click.option("--retries", type=int, help="How often to try again after a failure."),
)
"""What can be said of a task besides its description."""


@click.group(cls=options.Commands)
def tasks() -> None:
    """Plan tasks, take them, finish them.

    An ID may be shortened while it stays unique.

    \b
    Example:
      erstwhile --user ana tasks add "Call mom" --due "in 2 hours"
      erstwhile --user ana tasks list
    """


@tasks.command()
@click.argument("description")
@details
@click.pass_obj
def add(call: Call, /, description: str, **said: Any) -> None:
    """Add a task. An open task with the same details is added once.

    \b
    Example:
      erstwhile tasks add "Pay rent" --due 2026-01-31T09:00 --recurrence monthly
    """
    made = call.memory.tasks.add(description, **options.said(said))
    did = "There already" if made.existed else "Planned"
    call.out.done(f"{did}  {made.task.short_id}  {line(made.task)}", made)
    for alike in made.similar:
        call.out.notice(f"much like it: {alike.task.short_id}  {line(alike.task)}")


@tasks.command(name="list")
@click.option("--status", type=options.one_of(TaskStatus), help="In this status.")
@click.option("--ended", is_flag=True, help="Also what is done, failed or cancelled.")
@click.option("--type", type=options.one_of(TaskType), help="Of this type.")
@click.option("--due-by", metavar="TIME", help="Due at or before this time.")
@deleted
@options.paging
@click.pass_obj
def list_tasks(call: Call, /, **asked: Any) -> None:
    """List tasks, those due first first; open ones unless said.

    \b
    Example:
      erstwhile --user ana tasks list --due-by now
    """
    call.out.page(call.memory.tasks.list(**options.said(asked)), NONE_HERE)


@tasks.command()
@click.argument("id")
@options.paging
@click.pass_obj
def runs(call: Call, /, id: str, **page: Any) -> None:
    """List the attempts at a task, newest first.

    \b
    Example:
      erstwhile --user ana tasks runs 019a8a5b-1234
    """
    call.out.page(call.memory.tasks.runs(id, **options.said(page)), NEVER_TRIED)


@tasks.command()
@click.argument("id")
@click.option("--description", metavar="TEXT", help="What is to be done.")
@details
@click.option("--once", is_flag=True, help="It no longer recurs.")
@options.reason
@click.pass_obj
def update(call: Call, /, id: str, once: bool, reason: str | None, **said: Any) -> None:
    """Change details of a task that is pending.

    \b
    Example:
      erstwhile --user ana tasks update 019a8a5b-1234 --due "in 3 hours"
    """
    changes = options.said(said)
    if once and "recurrence" in changes:
        raise click.UsageError("--once and --recurrence contradict each other.")
    changes |= {"recurrence": None} if once else {}
    call.out.done("Changed", call.memory.tasks.update(id, reason=reason, **changes))


@tasks.command()
@click.argument("id")
@click.argument("until", metavar="TIME")
@click.option("--token", help="Of the claim, if a worker holds it.")
@options.reason
@click.pass_obj
def defer(call: Call, /, id: str, until: str, token: str | None, reason: str | None) -> None:
    """Let a task be due at another time. One that failed is tried again.

    \b
    Example:
      erstwhile --user ana tasks defer 019a8a5b-1234 "in 1 day"
    """
    call.out.done("Deferred", call.memory.tasks.defer(id, until, token=token, reason=reason))


for command in (
    edit("tasks", "cancel", "Cancelled", "End a task undone, also one that a worker holds."),
    *task_runs.COMMANDS,
    *record_commands("tasks", "task"),
):
    tasks.add_command(command)
