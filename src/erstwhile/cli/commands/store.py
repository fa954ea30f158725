"""`erstwhile stats`, `reembed`, `copy` and `distribute`: commands about the whole store."""

from __future__ import annotations

from dataclasses import replace

import click

import erstwhile
from erstwhile.cli.call import Call, counting, working
from erstwhile.cli.person import Arrival, unvouched_note, vouching


@click.command()
@click.pass_obj
def stats(call: Call) -> None:
    """Show how much is stored, and how large the store is.

    \b
    Examples:
      erstwhile --user ana stats
    """
    call.out.record(call.memory.stats())


@click.command()
@click.pass_obj
def reembed(call: Call, /) -> None:
    """Embed every passage and decision with the chosen embedder.

    The memory can be used meanwhile. If you stop it, the next call continues.

    \b
    Examples:
      erstwhile --embedder minilm reembed
    """
    with counting("Embedding") as tell:
        count = call.store.reembed(call.followed(tell))
    name = "the server's embedder" if call.is_remote else call.settings.embedder
    call.out.done(
        f"{name} is in use now; texts embedded: {count:,}", {"embedder": name, "embedded": count}
    )


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--source-space", metavar="NAME", help="The space to copy, if it is on a server.")
@click.option("--target-space", metavar="NAME", help="The space to fill, if it is on a server.")
@vouching
@click.pass_obj
def copy(
    call: Call,
    /,
    source: str,
    target: str,
    source_space: str | None,
    target_space: str | None,
    vouch: bool,
) -> None:
    """Copy the memory SOURCE to TARGET, and compare the two.

    Both are files or addresses of PostgreSQL databases. The source can be used meanwhile. If you
    stop it, the next call continues. A later call copies only the changes. What people decided in
    TARGET is replaced only by a person at a terminal. What people allowed in SOURCE allows nothing
    in TARGET, unless somebody at a terminal vouches for it.

    \b
    Examples:
      erstwhile copy agent.db postgresql://localhost/memory
      erstwhile copy postgresql://localhost/memory backup.db --source-space shop
    """
    space = target_space or call.settings.space
    arrival = Arrival(source, target, replace(call.settings, space=space), replaces=True)
    arrival.check(vouch=vouch)
    with counting("Copying") as tell:
        copied = erstwhile.copy(
            source,
            target,
            source_space=source_space,
            target_space=target_space,
            vouch=vouch,
            settings=call.settings,
            progress=tell,
        )
    rows = sum(copied.rows.values())
    told = f"Copied and compared: {rows:,} rows, {copied.written:,} of them new"
    call.out.done(f"{told}{unvouched_note(copied.unvouched)}", copied)


@click.command()
@click.argument("database")
@click.pass_obj
def distribute(call: Call, /, database: str) -> None:
    """Distribute the tables of DATABASE over a Citus cluster.

    All rows of one space stay on one server. DATABASE is the address of the coordinator, with the
    rights of the tables' owner. Everything is checked first, and all tables are moved with their
    rows, or none. Run it again after an upgrade that added a table, and after the first use of a
    new embedder, whose vectors it indexes.

    \b
    Examples:
      erstwhile distribute postgresql://owner@coordinator.example/agents
    """
    from erstwhile import keeping  # imported here: `erstwhile --help` must stay fast

    with working("Distributing the tables…"):
        tables = keeping.distribute(database, settings=call.settings)
    done = f"Distributed: {', '.join(tables)}" if tables else "All tables were distributed before"
    call.out.done(done, {"distributed": tables})
