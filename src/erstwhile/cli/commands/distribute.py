"""`erstwhile distribute`: the tables of a database, over several servers."""

from __future__ import annotations

import click

from erstwhile.cli.call import Call, working


@click.command()
@click.argument("database")
@click.pass_obj
def distribute(call: Call, /, database: str) -> None:
    """Spread the tables of DATABASE over a Citus cluster.

    All of one space stay on one server. It needs the rights of the tables' owner, and the address
    of the coordinator. Run again, it does what is left, as after an upgrade that brought a table.

    \b
    Example:
      erstwhile distribute postgresql://owner@coordinator.example/agents
    """
    from erstwhile import bootstrap  # `erstwhile --help` must not wait for it

    with working("Distributing the tables…"):
        tables = bootstrap.distribute(database, settings=call.settings)
    said = f"Distributed by space: {', '.join(tables)}" if tables else "All were distributed before"
    call.out.done(said, {"distributed": tables})
