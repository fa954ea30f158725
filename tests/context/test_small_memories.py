"""A context of a small memory has what is near the best match, not everything."""

from __future__ import annotations

import erstwhile

FACTS = (
    "Ana lives in Lisbon",
    "The shop runs on Postgres 17",
    "The API uses GraphQL",
    "Deploys happen on Fridays at 16:00",
    "The logo is dark green",
    "Logs are kept for 30 days",
    "Tests must pass before a merge",
    "The staging server is called heron",
)


def test_a_strong_hit_does_not_let_in_every_weak_one() -> None:
    with erstwhile.open(":memory:", embedder="universal") as memory:
        memory.remember_many(FACTS)
        memory.flush()
        short = memory.context("where does Ana live?", 500)
        full = memory.context("where does Ana live?", 500, fill=True)
    assert [item.text for item in short.items] == ["Ana lives in Lisbon"]
    assert {item.text for item in full.items} == {*FACTS}
    assert short.report.left_out_count == 0
