"""`erstwhile mcp`: a server of the Model Context Protocol."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from erstwhile.cli.call import Call
from erstwhile.cli.commands.tokens import file_at, tokens_file
from erstwhile.core.extras import import_extra
from erstwhile.doors.listening import listen_at

PORT = 8765
GRAPH_FILE = "MEMORY_FILE_PATH"
"""The variable by which users of `server-memory` name their file."""


@click.command()
@click.option(
    "--without",
    metavar="GROUP",
    multiple=True,
    help="Leave out a group of tools: facts, blocks, decisions, tasks or history. Repeatable.",
)
@click.option(
    "--as",
    "stand_in",
    type=click.Choice(["server-memory"]),
    help="Offer the tools of this other server instead.",
)
@click.option("--http", is_flag=True, help="Serve over HTTP on this machine; clients need a token.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, help="The port for --http.")
@click.option(
    "--allow-host",
    metavar="NAME",
    multiple=True,
    help="Also answer to this name, such as that of a reverse proxy. Repeatable.",
)
@tokens_file
@click.option("--new-token", is_flag=True, help="Make another token for --http, for this scope.")
@click.pass_obj
def mcp(
    call: Call,
    /,
    without: tuple[str, ...],
    stand_in: str | None,
    http: bool,
    port: int,
    allow_host: tuple[str, ...],
    tokens_path: str | None,
    new_token: bool,
) -> None:
    """Serve the memory to agents over MCP.

    MCP is the Model Context Protocol, by which agents find and call tools. The server speaks over
    standard input and output: a client starts it. With --http it serves several
    clients at http://127.0.0.1:8765/mcp. The scope of the memory comes from the options, the
    environment or the token; a client cannot change it.

    \b
    Examples:
      erstwhile --db agent.db --user ana mcp
      erstwhile --db agent.db --user ana mcp --without decisions --without tasks
      erstwhile --db agent.db mcp --as server-memory
      erstwhile --db agent.db --user ana mcp --http --port 8765
    """
    if not http:
        with _door("quick_start").loading():
            _door("stdio")
    surface = _surface(call, stand_in, without)
    if not http:
        _door("stdio").serve_stdio(surface, call.memory)
        return
    file = file_at(tokens_path)
    made = file.make("mcp", call.memory.scope) if new_token or not file.tokens() else None
    space = call.settings.space
    door = _door("http")
    server = door.protocol_server(surface)
    served = door.mcp_service(server, call.memory, file, space=space, hosts=allow_host)
    with listen_at("127.0.0.1", port) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        click.echo(f"Serving at {address}", err=True)
        if made is not None:
            told = f"The token for {call.memory.scope}, shown only now: {made.secret}"
            click.echo(told, err=True)
        import_extra("erstwhile.doors.web_server", "mcp").web_server(served).run(
            sockets=[listening]
        )


def _surface(call: Call, stand_in: str | None, without: tuple[str, ...]) -> Any:
    """Return what is served. The file of `server-memory` is read into the memory."""
    if stand_in is None:
        return _door("toolset").memory_surface(without)
    if without:
        raise click.UsageError("--without and --as contradict each other: leave one out.")
    file = os.environ.get(GRAPH_FILE)
    if file and Path(file).exists():
        location = (
            str(Path(call.location).absolute()) if "://" not in call.location else call.location
        )
        _door("graph_file").read_graph_file_once(call.memory, Path(file), location)
    return _door("graph_tools").graph_surface()


def _door(name: str) -> Any:
    """Return a module of the door. Its package takes a second to load."""
    return import_extra(f"erstwhile.doors.mcp.{name}", "mcp")
