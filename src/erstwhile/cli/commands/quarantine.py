"""`erstwhile quarantine` and `erstwhile conflicts`: facts that need the decision of a person."""

from __future__ import annotations

import click

from erstwhile.cli import options
from erstwhile.cli.groups import Group, one_id

quarantine = Group(
    "quarantine",
    "See which facts were held back, and approve or reject them.",
    "--user ana quarantine list",
)
quarantine.method(
    "list",
    "List the facts in quarantine, newest first, each with the reason.",
    "--user ana quarantine list",
    options.paging,
    empty="Nothing is in quarantine here.",
)
quarantine.edit("approve", "Approved", "Accept a fact: it is recalled from now on.")
quarantine.edit(
    "reject", "Rejected", "Retire a fact as wrong. Untrusted sources cannot add it again."
)

conflicts = Group(
    "conflicts",
    "See facts that may contradict each other, and settle it.",
    "--user ana conflicts list",
)
conflicts.method(
    "list",
    "List conflicts, newest first; open ones by default.",
    "--user ana conflicts list --settled",
    click.option("--settled", is_flag=True, help="List the settled ones instead."),
    options.paging,
    empty="No conflict here fits.",
)
conflicts.method(
    "show", "Show one conflict.", "--user ana conflicts show 019a8a5b-1234", one_id, calls="get"
)
conflicts.method(
    "settle",
    "Choose which of the two facts stays: it supersedes the other.",
    "--user ana conflicts settle 019a8a5b-1234 --keep 019a8a5b-5678",
    one_id,
    click.option("--keep", metavar="FACT", help="The fact that stays; both stay by default."),
    options.reason,
    done="Settled",
)
