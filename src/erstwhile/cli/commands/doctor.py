"""`erstwhile doctor`: what is wrong with a memory, and what to do about it."""

from __future__ import annotations

import click

import erstwhile
from erstwhile.cli.call import Call, working
from erstwhile.cli.exit_codes import REFUSED


@click.command()
@click.option("--no-models", is_flag=True, help="Do not call the embedder and the language model.")
@click.pass_obj
def doctor(call: Call, /, no_models: bool) -> int:
    """Examine the memory, and name a remedy for each problem.

    It changes nothing that is stored. The exit code is 4 if there is a problem, and 0 if there are
    at most warnings.

    \b
    Examples:
      erstwhile --db agent.db doctor
      erstwhile --db agent.db --json doctor --no-models
    """
    with working("Examining…") as tell:
        found = erstwhile.doctor(
            call.location,
            models=not no_models,
            settings=call.settings,
            progress=lambda check: tell(f"Examining: {check}…"),
        )
    call.out.record(found)
    return 0 if found.ok else REFUSED
