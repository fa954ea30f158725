"""`erstwhile tasks`: plan tasks, and work on them."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group, one_id
from erstwhile.cli.views.descriptions import describe
from erstwhile.tasks.task import AfterFailure, TaskStatus, TaskType

NONE_HERE = (
    "No task here fits. See all with: erstwhile tasks list --ended\n"
    'Or add one: erstwhile tasks add "Call mom" --due "in 2 hours"'
)
BY_HAND = "by hand"
"""The worker name of a task that is completed without a claim."""
_AFTER_FAILURE = {
    AfterFailure.RETRY: "It will be tried again",
    AfterFailure.NEXT: "Given up; the next occurrence waits",
    AfterFailure.FAILED: "Failed permanently",
}
of_type = click.option("--type", type=options.one_of(TaskType), help="Of this type.")
details = options.together(
    click.option("--due", metavar="TIME", help='When it is due, such as "in 2 hours".'),
    click.option("--time-zone", metavar="NAME", help="Its time zone; UTC by default."),
    click.option("--recurrence", metavar="RULE", help="daily, weekdays, …, or an RRULE."),
    click.option("--type", type=options.one_of(TaskType), help="Its type; reminder by default."),
    click.option("--reply-to", metavar="PLACE", help="Where to send the answer."),
    click.option(
        "--metadata", callback=options.json_object, metavar="JSON", help="Any other details."
    ),
    click.option("--retries", type=int, help="How often to try again after a failure."),
)
"""The details of a task besides its description."""
worker = click.option("--worker", metavar="NAME", default="cli", help="The name of the worker.")
lease = click.option(
    "--lease", metavar="TIME", help="The duration of the lease; 5 minutes by default."
)
token = click.argument("token")
tokens_used = click.option("--tokens-used", type=int, help="How many tokens the work took.")

tasks = Group(
    "tasks",
    "Add tasks, claim them and complete them.\n\nYou may shorten an ID as long as it stays unique.",
    '--user ana tasks add "Call mom" --due "in 2 hours"',
    "--user ana tasks list",
)


@tasks.command()
@click.argument("description")
@details
@click.pass_obj
def add(call: Call, /, description: str, **given: Any) -> None:
    """Add a task. An open task with the same details is added once.

    \b
    Examples:
      erstwhile tasks add "Pay rent" --due 2026-01-31T09:00 --recurrence monthly
    """
    made = call.memory.tasks.add(description, **options.given(given))
    done = "There already" if made.existed else "Planned"
    call.out.done(f"{done}  {made.task.short_id}  {describe(made.task)}", made)
    for similar in made.similar:
        call.out.notice(f"similar task: {similar.task.short_id}  {describe(similar.task)}")


tasks.method(
    "list",
    "List tasks by due time; open ones by default.",
    "--user ana tasks list --due-by now",
    click.option("--status", type=options.status_of(TaskStatus), help="In this status."),
    click.option("--ended", is_flag=True, help="Also done, failed and cancelled ones."),
    of_type,
    click.option("--due-by", metavar="TIME", help="Due at or before this time."),
    options.deleted,
    options.paging,
    empty=NONE_HERE,
)
tasks.method(
    "runs",
    "List the attempts at a task, newest first.",
    "--user ana tasks runs 019a8a5b-1234",
    one_id,
    options.paging,
    empty="This task has no attempts yet.",
)


@tasks.command()
@one_id
@click.option("--description", metavar="TEXT", help="The new description.")
@details
@click.option("--once", is_flag=True, help="It no longer recurs.")
@options.reason
@click.pass_obj
def update(call: Call, /, id: str, once: bool, **given: Any) -> None:
    """Change details of a pending task.

    \b
    Examples:
      erstwhile --user ana tasks update 019a8a5b-1234 --due "in 3 hours"
    """
    changes = options.given(given)
    if once and "recurrence" in changes:
        raise click.UsageError("--once and --recurrence contradict each other: leave one out.")
    changes |= {"recurrence": None} if once else {}
    call.out.done("Changed", call.memory.tasks.update(id, **changes))


tasks.method(
    "defer",
    "Move a task to another time. A failed task is tried again.",
    '--user ana tasks defer 019a8a5b-1234 "in 1 day"',
    one_id,
    click.argument("until", metavar="TIME"),
    click.option("--token", help="The token of the claim, if a worker holds it."),
    options.reason,
    done="Deferred",
)
tasks.edit("cancel", "Cancelled", "Cancel a task, even if a worker holds it.")
tasks.method(
    "claim-due",
    "Claim tasks that are due; no other worker gets them meanwhile.\n\n"
    "With --everything it claims from all scopes.",
    '--everything tasks claim-due --worker w1 --limit 5 --lease "10 minutes"',
    worker,
    lease,
    click.option("--limit", type=int, help="The maximum number of tasks; 1 by default."),
    of_type,
    empty="Nothing is due.",
)
tasks.method(
    "claim",
    "Claim one task, due or not.",
    "--user ana tasks claim 019a8a5b-1234 --worker w1",
    one_id,
    worker,
    lease,
    done=lambda claim: f"Claimed  {describe(claim.task)}  token {claim.token}",
)
tasks.method(
    "heartbeat",
    "Extend the claim of a task, because the work continues.",
    'tasks heartbeat 019a8a5b-1234 5f2a9cTOKEN --lease "10 minutes"',
    one_id,
    token,
    lease,
    done=lambda claim: f"Claimed until {claim.expires_at:%Y-%m-%d %H:%M:%S}",
)


@tasks.command()
@one_id
@click.option("--token", help="The token of the claim; without it, the task is claimed first.")
@click.option("--result", metavar="TEXT", help="The result of the work.")
@tokens_used
@click.pass_obj
def complete(call: Call, /, id: str, token: str | None, **given: Any) -> None:
    """Complete a task.

    Without a token the task is claimed first. A task that a worker holds is refused.

    \b
    Examples:
      erstwhile --user ana tasks complete 019a8a5b-1234 --result "she was not at home"
    """
    claim = token or call.memory.tasks.claim(id, BY_HAND).token
    call.out.done("Done", call.memory.tasks.complete(id, claim, **options.given(given)))


tasks.method(
    "fail",
    "End the attempt as failed, and show the next step.",
    'tasks fail 019a8a5b-1234 5f2a9cTOKEN "the server did not answer"',
    one_id,
    token,
    click.argument("error"),
    click.option("--final", is_flag=True, help="Do not try again."),
    tokens_used,
    done=lambda failure: f"{_AFTER_FAILURE[failure.then]}  {describe(failure.task)}",
)
tasks.method(
    "release",
    "Give a claimed task back; this does not count as an attempt.",
    "tasks release 019a8a5b-1234 5f2a9cTOKEN",
    one_id,
    token,
    done="Released",
)
tasks.record_commands("task")
