"""`erstwhile entities`, `erstwhile audit` and `erstwhile stats`."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def shop(cli: Cli) -> str:
    """Return the id of a fact that links two entities."""
    fact = cli("remember", "The shop runs on Postgres", "--relation", "shop|runs on|Postgres").data
    cli("remember", "Ana owns the shop", "--entity", "Ana", "--entity", "shop")
    return str(fact["id"])


@pytest.mark.usefixtures("shop")
def test_aliases_are_added_and_removed(cli: Cli) -> None:
    added = cli("entities", "add-alias", "Postgres", "pg", "PostgreSQL", "--reason", "short").data
    assert added == {"name": "Postgres", "added": ["pg", "PostgreSQL"]}
    assert cli("entities", "show", "PG").data["entity"]["aliases"] == ["PostgreSQL", "pg"]
    assert cli("entities", "remove-alias", "Postgres", "pg").data["removed"] == ["pg"]
    assert cli("entities", "show", "pg").code == 3
    ended = cli("entities", "add-alias", "Ana", "shop")
    assert (ended.code, ended.error["error"]) == (4, "conflict")


def test_the_audit_trail_lists_every_change(shop: str, cli: Cli) -> None:
    cli("facts", "retire", shop, "--ending", "wrong", "--reason", "a mix-up")
    entries = cli("audit", "list", "--subject", shop[:18]).items
    told = [(entry["action"], entry["reason"], entry["actor"]) for entry in entries]
    assert told == [("retire", "a mix-up", "anyone"), ("remember", None, "anyone")]
    assert [entry["subject"] for entry in entries] == [shop, shop]
    assert len(cli("audit", "list", "--action", "remember").items) == 2
    assert cli("audit", "list", "--until", "2 days ago").items == []
    assert len(cli("audit", "list", "--since", "2 days ago").items) == 3
    first = cli("audit", "list", "--limit", "2").data
    rest = cli("audit", "list", "--limit", "2", "--cursor", first["next"]).data
    assert [len(first["items"]), len(rest["items"]), rest["next"]] == [2, 1, None]


@pytest.mark.usefixtures("shop")
def test_tampering_is_found_with_exit_code_4(cli: Cli, db: Path) -> None:
    found = cli("audit", "verify")
    assert found.data == {"entries": 2, "records": 2, "problems": [], "ok": True}
    other = apsw.Connection(str(db))
    other.execute("UPDATE facts SET text = 'The shop runs on Oracle' WHERE text LIKE '%Postgres%'")
    other.close()
    found = cli("audit", "verify")
    assert (found.code, found.err) == (4, "")
    assert '"ok": false' in found.out
    assert "changed without an entry" in found.out
