"""`erstwhile profile` and `erstwhile onboarding`: profiles of users, and hints for new users."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group
from erstwhile.core.errors import NotFoundError

profile = Group(
    "profile",
    "See the profile and the language of a user.\n\nSet values with `erstwhile facts set`.",
    "--user ana profile text",
)
profile.method(
    "text",
    "Show the profile as text for a prompt, one line per key.",
    "--user ana profile text",
    options.past,
    field="text",
)


@profile.command()
@click.option("--set", "code", metavar="CODE", help='Set the language, such as "de" or "pt-br".')
@click.option("--notice", metavar="TEXT", help="Store the language of TEXT, if it is certain.")
@click.pass_obj
def language(call: Call, /, code: str | None, notice: str | None) -> None:
    """Show, set or detect the language of the answers.

    \b
    Examples:
      erstwhile --user ana profile language --notice "Kannst du mir damit helfen?"
      erstwhile --user ana profile language --set de
    """
    if code and notice:
        raise click.UsageError("--set and --notice contradict each other: leave one out.")
    if code:
        call.memory.profile.set_language(code)
    if notice:
        call.out.record(call.memory.profile.notice_language(notice))
        return
    found = call.memory.profile.language()
    if found is None:
        raise NotFoundError("no language is known here", remedy="set one with --set")
    call.out.record({"language": found})


profile.method(
    "detect",
    "Detect the language of a text. Nothing is stored.",
    'profile detect "Kannst du mir damit helfen?"',
    click.argument("text"),
    calls="detect_language",
)

onboarding = Group(
    "onboarding",
    "Introduce a new user step by step.",
    "--user ana onboarding next",
)


@onboarding.command(name="next")
@click.pass_obj
def next_stage(call: Call, /) -> None:
    """Show the stage that is due now, if any. Each stage is shown once.

    \b
    Examples:
      erstwhile --user ana onboarding next
    """
    stage = call.memory.onboarding.next()
    call.out.record({"stage": stage, "hint": None if stage is None else stage.hint})


onboarding.method(
    "reached",
    "List the stages that were given, in their order.",
    "--user ana onboarding reached",
    field="reached",
)
