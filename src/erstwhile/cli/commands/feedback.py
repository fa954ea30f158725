"""`erstwhile feedback`: what was thought of facts that were recalled."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.facts.usage_signals import Feedback


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@click.option("--useful", is_flag=True, help="They helped.")
@click.option("--irrelevant", is_flag=True, help="They did not.")
@options.reason
@click.pass_obj
def feedback(
    call: Call, /, ids: tuple[str, ...], useful: bool, irrelevant: bool, reason: str | None
) -> None:
    """Say of recalled facts that they were useful, or irrelevant.

    Among facts that match about as well, they then come a little earlier, or later.

    \b
    Example:
      erstwhile --user ana feedback 019a8a5b-1234 019a8a5b-5678 --useful
      erstwhile --user ana feedback 019a8a5b-1234 --irrelevant --reason "about another project"
    """
    if useful == irrelevant:
        raise click.UsageError("Say what they were: --useful or --irrelevant.")
    verdict = Feedback.USEFUL if useful else Feedback.IRRELEVANT
    judged = call.memory.feedback(ids, verdict, reason=reason)
    call.out.done(f"Noted as {verdict}: {len(judged):,}", judged)
