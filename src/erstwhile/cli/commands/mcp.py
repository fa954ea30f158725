"""`erstwhile mcp`: a server of the Model Context Protocol."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import click

from erstwhile.cli.call import Call
from erstwhile.core.errors import InvalidInputError


@click.command()
@click.option(
    "--without",
    metavar="GROUP",
    multiple=True,
    help="Leave out a group of tools: facts, blocks, decisions, tasks or history. Repeatable.",
)
@click.pass_obj
def mcp(call: Call, /, without: tuple[str, ...]) -> None:
    """Serve the memory to an agent, over the Model Context Protocol.

    It speaks over standard input and output: a client starts it. The scope of the memory comes from
    the options and the environment; a client cannot change it.

    \b
    Examples:
      erstwhile --db agent.db --user ana mcp
      erstwhile --db agent.db --user ana mcp --without decisions --without tasks
    """
    door = _door()
    door.serve_stdio(door.memory_surface(without), call.memory)


def _door() -> ModuleType:
    """Return the module that serves. Its package is an extra, and takes a second to load."""
    try:
        return import_module("erstwhile.doors.mcp.serve")
    except ModuleNotFoundError as error:
        raise InvalidInputError(
            f"the package {error.name} is missing", remedy="pip install 'erstwhile[mcp]'"
        ) from None
