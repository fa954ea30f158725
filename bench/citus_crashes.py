"""Stop the servers of a Citus cluster at once, one after the other, while eight threads write.

CITUS_FOR_TESTS=/usr/lib/postgresql/15/bin python -m bench.citus_crashes                 print it
CITUS_FOR_TESTS=… python -m bench.citus_crashes --page docs/scale-out.md        write it into a page

The coordinator and two workers have their turns. Then all that was acknowledged is looked for.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

import click
from tests.engines.postgres.cluster import running_cluster
from tests.engines.postgres.server import end_on_termination
from tests.engines.postgres.test_crashes import Writer, wait_for, writing

from bench.citus import versions
from bench.report import replaced
from erstwhile.operations import store

_NAME = "bench.citus_crashes"
_FATES = ("stored", "refused", "uncertain")


def stopped(stops: int, between: int) -> tuple[str, list[Writer]]:
    """Return the versions, and the writers, whose acknowledged changes are all there once."""
    with running_cluster() as cluster:
        url = cluster.database("memory")
        store.distribute(url)
        with writing(url, "crash") as writers:
            for _ in range(stops):
                wait_for(writers, between)
                cluster.crash()
                cluster.start()
            wait_for(writers, len(writers))
        return versions(url), writers


@click.command()
@click.option("--stops", default=12)
@click.option("--between", default=200, help="acknowledged changes between two stops")
@click.option("--page", type=click.Path(path_type=Path))
def main(stops: int, between: int, page: Path | None) -> None:
    end_on_termination()
    about, writers = stopped(stops, between)
    told = {fate: sum(len(getattr(each, fate)) for each in writers) for fate in _FATES}
    line = (  # `stopped` raises if an acknowledged change is missing, or there twice
        f"{stops} immediate stops of the coordinator and the workers in turn, with {len(writers)} "
        f"writing threads: {told['stored']:,} changes were acknowledged, each of them is there "
        f"once, {told['refused']} were refused, {told['uncertain']} uncertain ({about})."
    )
    print(line)
    if page is not None:
        replaced(page, _NAME, fill(line, 140))


if __name__ == "__main__":
    main()
