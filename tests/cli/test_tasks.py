"""`erstwhile tasks` and `erstwhile checkpoints`."""

from __future__ import annotations

import re
from typing import Any

import pytest

import erstwhile
from erstwhile.cli.views.records import table, view
from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal, rendered

UNKNOWN = "0198c0de-0000-7000-8000-000000000000"


@pytest.fixture
def task(cli: Cli) -> dict[str, Any]:
    words = ("tasks", "add", "Call mom", "--reply-to", "mail", "--metadata", '{"x": 1}')
    made: dict[str, Any] = cli(*words).data["task"]
    return made


def test_a_task_is_stored_with_all_details(cli: Cli) -> None:
    words = (
        "tasks", "add", "Pay rent", "--due", "2027-01-31T09:00", "--time-zone", "Europe/Berlin",
        "--recurrence", "monthly", "--type", "action", "--retries", "1",
    )  # fmt: skip
    made = cli(*words).data
    assert (made["existed"], made["similar"]) == (False, [])
    said = {name: made["task"][name] for name in ("description", "type", "status", "recurrence")}
    assert said == {
        "description": "Pay rent", "type": "action", "status": "pending", "recurrence": "monthly",
    }  # fmt: skip
    assert made["task"]["due_at"] == "2027-01-31T08:00:00.000000Z"
    assert cli(*words).data["existed"] is True
    alike = cli("tasks", "add", "Pay the rent of the shop").data["similar"]
    assert [(each["task"]["id"], each["share"]) for each in alike] == [(made["task"]["id"], 1.0)]


def test_a_worker_claims_and_completes_a_task(cli: Cli, task: dict[str, Any]) -> None:
    [claim] = cli("tasks", "claim-due", "--worker", "w1", "--limit", "5", "--lease", "1h").items
    id, token = claim["task"]["id"], claim["token"]
    assert (id, claim["task"]["worker"]) == (task["id"], "w1")
    assert cli("tasks", "claim-due", "--type", "reminder").items == []
    assert cli("tasks", "heartbeat", id, token, "--lease", "2 hours").data["token"] == token
    assert cli("tasks", "complete", id).error["error"] == "conflict"
    done = cli("tasks", "complete", id, "--token", token, "--result", "ok", "--tokens-used", "9")
    assert done.data["status"] == "done"
    [run] = cli("tasks", "runs", id).items
    assert (run["status"], run["result"], run["tokens_used"]) == ("completed", "ok", 9)


def test_a_failure_shows_what_follows(cli: Cli, task: dict[str, Any]) -> None:
    token = cli("tasks", "claim", task["id"], "--worker", "w", "--lease", "1h").data["token"]
    failure = cli("tasks", "fail", task["id"], token, "no answer", "--tokens-used", "1").data
    assert (failure["then"], failure["task"]["last_error"]) == ("retry", "no answer")
    token = cli("tasks", "claim", task["id"]).data["token"]
    assert cli("tasks", "release", task["id"], token).data["attempts"] == 1
    token = cli("tasks", "claim", task["id"]).data["token"]
    assert cli("tasks", "fail", task["id"], token, "gone", "--final").data["then"] == "failed"
    assert cli("tasks", "fail", task["id"], token, "again").code == 4


def test_a_task_done_by_hand_needs_no_token(cli: Cli, task: dict[str, Any]) -> None:
    assert cli("tasks", "complete", task["short_id"]).data["status"] == "done"
    [run] = cli("tasks", "runs", task["id"]).items
    assert run["worker"] == "by hand"


def test_a_pending_task_is_changed(cli: Cli, task: dict[str, Any]) -> None:
    id = task["id"]
    changed = cli("tasks", "update", id, "--description", "Call dad", "--recurrence", "daily").data
    assert (changed["description"], changed["recurrence"]) == ("Call dad", "daily")
    assert cli("tasks", "update", id, "--once", "--reason", "x").data["recurrence"] is None
    assert cli("tasks", "update", id, "--once", "--recurrence", "daily").code == 2
    assert cli("tasks", "update", id).code == 2
    moved = cli("tasks", "defer", id, "2099-01-01", "--reason", "later").data
    assert moved["due_at"].startswith("2099-01-01")
    token = cli("tasks", "claim", id).data["token"]
    assert cli("tasks", "defer", id, "in 1 day").code == 4
    assert cli("tasks", "defer", id, "in 1 day", "--token", token).data["status"] == "pending"
    assert cli("tasks", "add", "x", "--recurrence", "often").code == 2


def test_a_run_is_resumed(cli: Cli) -> None:
    planned = cli("checkpoints", "plan", "run-1", "gather", "write").items
    assert [each["phase"] for each in planned] == ["gather", "write"]
    assert cli("checkpoints", "start", "run-1", "gather").data["attempts"] == 1
    assert cli("checkpoints", "save", "run-1", "gather", "3 sources").data["output"] == "3 sources"
    assert cli("checkpoints", "complete", "run-1", "gather").data["output"] == "3 sources"
    assert cli("checkpoints", "complete", "run-1", "write", "--output", "x").code == 4
    cli("checkpoints", "start", "run-1", "write")
    assert cli("checkpoints", "fail", "run-1", "write", "no tokens").data["status"] == "failed"
    assert cli("checkpoints", "resume", "run-1").data["phase"] == "write"
    assert cli("checkpoints", "show", "run-1", "write").data["error"] == "no tokens"
    assert len(cli("checkpoints", "list", "run-1").items) == 2
    [progress] = cli("checkpoints", "runs", "--unfinished").items
    assert (progress["completed"], progress["phases"], progress["done"]) == (1, 2, False)
    cli("checkpoints", "start", "run-1", "write")
    cli("checkpoints", "complete", "run-1", "write")
    assert cli("checkpoints", "resume", "run-1").data is None


def test_people_read_sentences(cli: Cli) -> None:
    cli("tasks", "add", "Call mom")
    made = at_terminal("tasks", "add", "Call mom now", "--recurrence", "daily").words
    assert "✓ Planned" in made
    assert "similar task" in made
    assert "✓ Claimed" in at_terminal("tasks", "claim", cli("tasks", "list").items[0]["id"]).words


def test_the_token_of_a_claim_can_be_copied(cli: Cli) -> None:
    """It was broken into two lines."""
    cli("tasks", "add", "Call mom", "--reply-to", "mail")
    shown = at_terminal("tasks", "claim-due", "--worker", "w", columns=80).words
    assert re.search(r"\b[0-9a-f]{32}\b", shown)


def test_people_read_tables() -> None:
    with erstwhile.open(":memory:", embedder="none") as memory:
        task = memory.tasks.add("Call mom", recurrence="daily", metadata={"x": 1}).task
        [claim] = memory.tasks.claim_due("w1")
        assert "lease until" in rendered(view(memory.tasks.get(task.id), None))
        assert claim.token in rendered(table([claim], None))
        assert "running" in rendered(table(memory.tasks.runs(task.id), None))
        memory.tasks.fail(task.id, claim.token, "no [bold]answer")
        shown = rendered(view(memory.tasks.get(task.id), None))
        assert "occurrence" in shown
        assert "no [bold]answer" in shown
        assert "Call mom" in rendered(table(memory.tasks.list(), None))
        phase = memory.checkpoints.start("run-1", "gather")
        assert "in_progress" in rendered(view(phase, None))
        assert "gather" in rendered(table([phase], None))
        assert "0 of 1" in rendered(table(memory.checkpoints.runs(), None))
