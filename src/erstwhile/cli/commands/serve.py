"""`erstwhile serve`: the memory for programs in other languages and on other machines."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from erstwhile.cli import exit_codes
from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.commands.tokens import file_at, tokens_file
from erstwhile.core.errors import ErstwhileError, InvalidInputError
from erstwhile.core.extras import import_extra
from erstwhile.doors.limits import Limits
from erstwhile.doors.listening import listen_at
from erstwhile.doors.origins import allowed_origins
from erstwhile.doors.service import Policies
from erstwhile.doors.tokens import Right, TokenFile, keep_secret
from erstwhile.doors.workers import UNUSABLE, Workers, end_quietly

PORT = 8765
_MOST_WORKERS = 64
_METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_TLS = (
    "Other machines could read what is sent. Let a reverse proxy that encrypts (TLS) stand before "
    "it, and add --behind-proxy."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options of the command that each worker needs."""

    location: str
    tokens: TokenFile
    policies: Policies
    workers: int
    grace: int
    open_metrics: bool


@click.command()
@click.option("--host", default="127.0.0.1", help="The address to listen at; this machine only.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, help="The port.")
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="Allow an address that other machines reach: a proxy that encrypts stands before it.",
)
@click.option(
    "--workers", type=click.IntRange(1, _MOST_WORKERS), default=1, help="The number of processes."
)
@click.option(
    "--allow-host",
    metavar="NAME",
    multiple=True,
    help="Also answer to this name, such as that of a reverse proxy. Repeatable.",
)
@click.option(
    "--allow-origin",
    metavar="ORIGIN",
    multiple=True,
    help="Let pages of this web site call it, such as https://app.example. Repeatable.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0),
    default=100.0,
    help="Requests a second and token; 0 for any.",
)
@click.option(
    "--grace", type=click.IntRange(1, 600), default=30, help="Seconds to finish at the end."
)
@click.option("--open-metrics", is_flag=True, help="Show /metrics without a token.")
@tokens_file
@click.pass_obj
def serve(
    call: Call,
    /,
    host: str,
    port: int,
    behind_proxy: bool,
    workers: int,
    allow_host: tuple[str, ...],
    allow_origin: tuple[str, ...],
    rate: float,
    grace: int,
    open_metrics: bool,
    tokens_path: str | None,
) -> int:
    """Serve the memory to other programs over HTTP.

    It offers the HTTP API below /v1, MCP at /mcp, and /healthz, /readyz and /metrics. Programs send
    a token; the first run makes one. SIGTERM ends it when all requests under way are answered.

    \b
    Examples:
      erstwhile --db agent.db serve
      erstwhile --db postgresql://db/memory serve --workers 4 --allow-host memory.example
    """
    _check_reach(host, behind_proxy=behind_proxy)
    if workers > 1 and not hasattr(os, "fork"):
        raise click.UsageError("This system cannot fork: leave --workers out.")
    policies = Policies(
        origins=allowed_origins(allow_host, allow_origin), limits=Limits(a_second=rate / workers)
    )
    options = ServeOptions(
        location=call.location,
        tokens=file_at(tokens_path),
        policies=policies,
        workers=workers,
        grace=grace,
        open_metrics=open_metrics,
    )
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    with listen_at(host, port) as port_open, TemporaryDirectory(prefix="erstwhile-") as numbers:
        click.echo(f"Serving at {_address(port_open)}", err=True)
        _first_token(call, options.tokens)
        if workers == 1:
            signal.signal(signal.SIGTERM, end_quietly)
            _work(call, options, port_open)
            return 0
        os.environ[_METRICS_FOLDER] = numbers
        metrics = import_extra("erstwhile.doors.metrics", "serve")
        work = partial(_work_or_tell, call, options, port_open)
        several = Workers(workers, work, patience=grace + 10, forget=metrics.forget_process)
        return 0 if several.run() else exit_codes.INTERNAL


def _work(call: Call, options: ServeOptions, listening: socket.socket) -> None:
    """Open the memory and serve it until a signal comes."""
    running = import_extra("erstwhile.doors.running", "serve")
    with running.served(options.location, call.settings, call.scope, options) as application:
        server = import_extra("erstwhile.doors.web_server", "serve").web_server(
            application,
            grace=options.grace,
            limits=options.policies.limits,
            ending=options.policies.streams.end,
        )
        server.run(sockets=[listening])


def _work_or_tell(call: Call, options: ServeOptions, listening: socket.socket) -> int:
    """Do the work of one of several processes, and return its exit code."""
    try:
        _work(call, options, listening)
    except ErstwhileError as error:
        click.echo(f"✗ {error}", err=True)
        return UNUSABLE
    return 0


def _check_reach(host: str, *, behind_proxy: bool) -> None:
    try:
        local = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        raise click.UsageError("--host takes an address, such as 127.0.0.1 or ::") from None
    if not local and not behind_proxy:
        raise click.UsageError(_TLS)


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _first_token(call: Call, tokens: TokenFile) -> None:
    """Make a token if there is none. Without a terminal it goes to a file: a log is no place."""
    if tokens.tokens():
        return
    made = tokens.make("first", call.scope, right=Right.ADMIN)
    if is_terminal(sys.stderr):
        click.echo(f"The token for {call.scope}, shown only now: {made.secret}", err=True)
        return
    file = Path(f"{tokens.file}.first")
    try:
        keep_secret(file, made.secret)
    except OSError as error:
        tokens.revoke(made.token.id)  # nobody knows it
        raise InvalidInputError(
            f"the first token cannot be written to {file} ({error.strerror})",
            remedy="make that possible, or make a token with: erstwhile tokens make",
        ) from None
    click.echo(f"The token for {call.scope} is in {file}: read it and remove the file", err=True)
