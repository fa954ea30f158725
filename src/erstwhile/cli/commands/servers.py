"""`erstwhile serve`, `mcp` and `tokens`: servers of a memory, and the tokens of their clients."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from erstwhile.cli import exit_codes
from erstwhile.cli.call import Call, is_terminal
from erstwhile.cli.people import person_agrees, require_person
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.errors import ErstwhileError, InvalidInputError, RefusedError
from erstwhile.core.installing import import_extra
from erstwhile.core.results import Page
from erstwhile.core.scope import SHARED, Scope
from erstwhile.core.settings import config_file
from erstwhile.core.time import parse_expiry
from erstwhile.servers.options import Limits, ServerOptions
from erstwhile.servers.tokens import (
    NewToken,
    Right,
    Token,
    TokenFile,
    read_mounted_secret,
    store_name,
    write_secret_file,
)
from erstwhile.servers.workers import UNUSABLE, Workers, exit_quietly, listen

NO_TOKENS = "There is no token.\nMake one: erstwhile --user ana tokens make laptop"
GRAPH_FILE = "MEMORY_FILE_PATH"
"""The variable by which users of `server-memory` name their file."""
_METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_NO_TLS = (
    "Other machines could read the traffic. Put a reverse proxy with TLS before the server, and "
    "add --behind-proxy."
)

_FIRST = "Shall the first token act for a person, such as you in your own application?"
_AGENT = (
    "It acts as an agent, so it cannot send the turns of people. For that, make another one at a "
    "terminal: {}"
)


def serve(
    call: Call,
    *,
    host: str,
    port: int,
    behind_proxy: bool,
    workers: int,
    allow_host: tuple[str, ...] = (),
    allow_origin: tuple[str, ...] = (),
    rate: float,
    grace: int,
    open_metrics: bool,
    demo: bool,
    person_token: str | None = None,
    tokens_path: str | None = None,
) -> int:
    _check_reach(host, behind_proxy=behind_proxy)
    if workers > 1 and not hasattr(os, "fork"):
        raise click.UsageError("This system cannot fork: leave --workers out.")
    location, tokens = call.location, file_at(tokens_path)
    settings, scope = call.settings, call.scope
    options = ServerOptions(
        hosts=allow_host,
        origins=allow_origin,
        limits=Limits(a_second=rate / workers),
        workers=workers,
        grace=grace,
        open_metrics=open_metrics,
    )
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="erstwhile-"))
        if workers > 1:
            os.environ[_METRICS_FOLDER] = folder  # before the metrics are imported
        server = import_extra("erstwhile.servers.serve", "serve")
        listening = stack.enter_context(listen(host, port))
        address = _address(listening)
        click.echo(f"Serving at {address}", err=True)
        if demo:
            location, tokens = _demo_memory(Path(folder), address)
            settings, scope = replace(settings, llm="none"), SHARED
        else:
            if person_token is not None:
                _mounted_token(call, tokens, Path(person_token).expanduser())
            _show_tokens(call, tokens, address)

        def work() -> None:
            server.serve(location, settings, scope, tokens, options, listening)

        if workers == 1:
            signal.signal(signal.SIGTERM, exit_quietly)
            work()
            return 0
        drop_process = import_extra("erstwhile.servers.metrics", "serve").drop_process
        run = partial(_exit_code, work)
        several = Workers(workers, run, patience=grace + 10, on_exit=drop_process)
        return 0 if several.run() else exit_codes.INTERNAL


def _exit_code(work: Callable[[], None]) -> int:
    """Run a worker and return its exit code."""
    try:
        work()
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
        raise click.UsageError(_NO_TLS)


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _mounted_token(call: Call, tokens: TokenFile, file: Path) -> None:
    """Make the token of a person from a mounted secret, unless an earlier run made it."""
    secret = read_mounted_secret(file)
    if tokens.was_revoked(secret):
        raise RefusedError(f"the token in {file} was revoked", remedy="mount another secret")
    if tokens.find(secret) is None:
        own: Any = {"store": store_name(call.location), "right": Right.ADMIN, "person": True}
        tokens.make("mounted", call.scope, secret=secret, **own)


def _demo_memory(folder: Path, address: str) -> tuple[str, TokenFile]:
    """Fill a temporary memory, and make a token that acts for a person."""
    location, tokens = str(folder / "demo.db"), TokenFile(folder / "tokens")
    import_extra("erstwhile.servers.demo", "serve").fill_demo(location)
    store = store_name(location)
    made = tokens.make("demo", store=store, right=Right.ADMIN, person=True)
    click.echo("This is a demo memory in a temporary file; it is removed at the end.", err=True)
    click.echo(f"Open the console: {address}/console/#token={made.secret}", err=True)
    return location, tokens


def _show_tokens(call: Call, tokens: TokenFile, address: str) -> None:
    """Show the tokens of the store. If there is none, make one and show its place."""
    store = store_name(call.location)
    if tokens.opening(store):
        click.echo(f"Open the console: {address}/console/", err=True)
    else:
        _first_token(call, tokens, store, address)
    known = "; ".join(map(_describe_token, tokens.opening(store)))
    click.echo(f"Tokens that open it: {known}", err=True)


def _describe_token(token: Token) -> str:
    parts = [token.right.value, f"for {token.scope}", *(["a person"] if token.person else [])]
    return safe_line(f"{token.name} ({', '.join(parts)})")


def _first_token(call: Call, tokens: TokenFile, store: str, address: str) -> None:
    """Make a token. Without a terminal it goes to a file, since a log is no place for a secret.

    Only at a terminal a person can say that it acts for a person.
    """
    at_terminal = is_terminal(sys.stdin) and is_terminal(sys.stderr)
    person = at_terminal and person_agrees(call.location, call.settings, _FIRST)
    made = tokens.make("first", call.scope, store=store, right=Right.ADMIN, person=person)
    if is_terminal(sys.stderr):
        _show_token(made.secret, call.scope)
        click.echo(f"Open the console: {address}/console/#token={made.secret}", err=True)
    else:
        _write_token(call, tokens, made)
    if not person:
        click.echo(_AGENT.format(call.command("tokens", "make", "NAME", "--person")), err=True)


def _write_token(call: Call, tokens: TokenFile, made: NewToken) -> None:
    file = _free_file(tokens, made)
    try:
        write_secret_file(file, made.secret)
    except OSError as error:
        tokens.revoke(made.token.id)  # nobody knows it
        raise InvalidInputError(
            f"the first token cannot be written to {file} ({error.strerror})",
            remedy="make it writable, or make a token with: erstwhile tokens make",
        ) from None
    click.echo(f"The token for {call.scope} is in {file}: read it and remove the file", err=True)


def _free_file(tokens: TokenFile, made: NewToken) -> Path:
    """Return the file for a new token. That of another memory is kept while it is valid."""
    file = Path(f"{tokens.file}.first")
    try:
        is_read = tokens.find(file.read_text("utf-8").strip()) is None
    except (OSError, UnicodeDecodeError):
        is_read = True
    return file if is_read else file.with_name(f"{file.name}-{made.token.id}")


def _show_token(secret: str, scope: Scope) -> None:
    click.echo(f"The token for {scope}, shown only now: {secret}", err=True)


def mcp(
    call: Call,
    *,
    without: tuple[str, ...] = (),
    stand_in: str | None = None,
    http: bool,
    port: int,
    allow_host: tuple[str, ...] = (),
    tokens_path: str | None = None,
    new_token: bool,
) -> None:
    if not http:
        with _module("quick_start").loading():
            _module("server")
    surface = _surface(call, stand_in, without)
    if not http:
        _module("server").serve_stdio(surface, call.memory)
        return
    file, http_module = file_at(tokens_path), _module("http")
    store = store_name(call.location)
    wanted = new_token or not file.opening(store)
    made = file.make("mcp", call.memory.scope, store=store) if wanted else None
    server, space = _module("server").MemoryServer(surface), call.settings.space
    app = http_module.mcp_app(server, call.memory, file, store=store, space=space, hosts=allow_host)
    with listen("127.0.0.1", port) as listening:
        click.echo(f"Serving at {_address(listening)}/mcp", err=True)
        if made is not None:
            _show_token(made.secret, call.memory.scope)
        uvicorn = import_extra("erstwhile.servers.uvicorn_server", "mcp")
        uvicorn.UvicornServer(app).run(sockets=[listening])


def _surface(call: Call, stand_in: str | None, without: tuple[str, ...]) -> Any:
    """Return what is served. The file of `server-memory` is read into the memory."""
    if stand_in is None:
        return _module("resources").memory_surface(without)
    if without:
        raise click.UsageError("--without and --as contradict each other: leave one out.")
    file, location = os.environ.get(GRAPH_FILE), call.location
    if file and Path(file).exists():
        location = location if "://" in location else str(Path(location).absolute())
        _module("graph").read_graph_file_once(call.memory, Path(file), location)
    return _module("graph").graph_surface()


def _module(name: str) -> Any:
    """Import a module of the MCP server. Its package takes a second to load."""
    return import_extra(f"erstwhile.servers.mcp.{name}", "mcp")


def file_at(path: str | None) -> TokenFile:
    """Return the file with the tokens, by default beside the file with the settings."""
    return TokenFile(Path(path).expanduser() if path else config_file().parent / "tokens")


def make_token(
    call: Call,
    *,
    name: str,
    right: str,
    person: bool,
    any_store: bool,
    expires: str | None = None,
    space: str | None = None,
    tokens_path: str | None = None,
) -> None:
    if person:
        require_person(call, "Shall the holder of this token act for a person?")
    now = datetime.now(UTC)
    made = file_at(tokens_path).make(
        name,
        call.scope,
        store=None if any_store else store_name(call.location),
        space=space,
        right=Right(right),
        person=person,
        expires_at=parse_expiry(expires, now=now, name="expires") if expires else None,
    )
    shown = {"id": made.token.id, "token": made.secret}
    call.out.done(f"Made the token {made.token.id}, shown only now:", shown)
    if is_terminal(sys.stdout) and not call.data_asked:
        click.echo(made.secret)  # on a line of its own, which is not wrapped


def list_tokens(call: Call, *, tokens_path: str | None = None) -> None:
    call.out.page(Page(tuple(file_at(tokens_path).tokens())), NO_TOKENS)


def revoke_token(call: Call, *, token: str, tokens_path: str | None = None) -> None:
    revoked = file_at(tokens_path).revoke(token)
    call.out.done(f"Revoked {revoked.name}", {"id": revoked.id, "name": revoked.name})
