"""Hold a transaction on a file, `read` or `write`, until a line of input comes."""

from __future__ import annotations

import sys

import apsw

from tests.engines.scripts import starting_line


def main(path: str, what: str) -> None:
    connection = apsw.Connection(path)
    connection.execute("BEGIN IMMEDIATE" if what == "write" else "BEGIN")
    connection.execute("SELECT COUNT(*) FROM facts").fetchall()
    starting_line.wait()
    connection.execute("ROLLBACK")
    connection.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
