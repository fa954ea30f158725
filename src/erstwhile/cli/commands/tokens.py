"""`erstwhile tokens`: who may come in over HTTP."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.groups import Group
from erstwhile.cli.person import require_person
from erstwhile.core.page import Page
from erstwhile.core.settings import config_file
from erstwhile.core.time import parse_expiry
from erstwhile.doors.tokens import Right, TokenFile

NONE_HERE = "There is no token.\nMake one: erstwhile --user ana tokens make laptop"
tokens_file = click.option(
    "--tokens", "tokens_path", metavar="FILE", help="The file with the tokens; your own by default."
)


def file_at(path: str | None) -> TokenFile:
    """Return the file with the tokens, by default beside the file with the settings."""
    return TokenFile(Path(path).expanduser() if path else config_file().parent / "tokens")


tokens = Group(
    "tokens",
    "Make, list and revoke the tokens for HTTP.\n\n"
    "A token lets a program in, and opens the scope of the options. A server sees every change "
    "at once.",
    "--user ana tokens make laptop",
    "tokens list",
    "tokens revoke laptop",
)


@tokens.command()
@click.argument("name")
@click.option(
    "--right",
    type=click.Choice([each.value for each in Right]),
    default=Right.WRITE.value,
    help="What its holder may do; write by default.",
)
@click.option("--person", is_flag=True, help="Its holder speaks for persons, and is no agent.")
@click.option(
    "--expires", metavar="TIME", help="When it ends, such as '90 days'; never by default."
)
@click.option("--space", metavar="NAME", help="The space of a PostgreSQL database that it opens.")
@tokens_file
@click.pass_obj
def make(
    call: Call,
    /,
    name: str,
    right: str,
    person: bool,
    expires: str | None,
    space: str | None,
    tokens_path: str | None,
) -> None:
    """Make a token for a program, and show it this once.

    It opens the scope that the options give: with --user ana, the memory of Ana. NAME is in the
    audit trail for changes through it. Only a person at a terminal can make one with --person.

    \b
    Examples:
      erstwhile --user ana tokens make laptop
      erstwhile tokens make monitoring --right read --expires '90 days'
    """
    if person:
        require_person(call, "Shall the holder of this token speak for persons?")
    now = datetime.now(UTC)
    made = file_at(tokens_path).make(
        name,
        call.scope,
        space=space,
        right=Right(right),
        person=person,
        expires_at=parse_expiry(expires, now=now, name="expires") if expires else None,
    )
    told = {"id": made.token.id, "token": made.secret}
    call.out.done(f"Made the token {made.token.id}, shown only now:", told)
    if is_terminal(sys.stdout) and not call.data_asked:
        click.echo(made.secret)  # on a line of its own, which is not wrapped


@tokens.command("list")
@tokens_file
@click.pass_obj
def list_tokens(call: Call, /, tokens_path: str | None) -> None:
    """List the tokens, without their secrets.

    \b
    Examples:
      erstwhile tokens list
    """
    call.out.page(Page(tuple(file_at(tokens_path).tokens())), NONE_HERE)


@tokens.command()
@click.argument("token")
@tokens_file
@click.pass_obj
def revoke(call: Call, /, token: str, tokens_path: str | None) -> None:
    """Revoke a token by its id or its name. Servers that run refuse it from now on.

    \b
    Examples:
      erstwhile tokens revoke laptop
      erstwhile tokens revoke 1f0a9c2b7d3e
    """
    revoked = file_at(tokens_path).revoke(token)
    call.out.done(f"Revoked {revoked.name}", {"id": revoked.id, "name": revoked.name})
