"""Erased tasks and runs leave no byte in the file."""

from __future__ import annotations

from pathlib import Path

import erstwhile
from tests.engines.test_erasure import bytes_on_disk, pieces


def test_nothing_of_an_erased_task_or_run_is_left(tmp_path: Path) -> None:
    """No description, target, metadata, result, error, output or reason."""
    file = tmp_path / "memory.db"
    with erstwhile.open(file, embedder="none") as memory:
        secrets = [f"{name}-Zx81qKpW03vTmY6c" for name in "abcdefgh"]
        memory.tasks.add("what stays, stays-with-us-forever")
        made = memory.tasks.add(
            secrets[0], reply_to=secrets[1], metadata={"x": secrets[2]}, recurrence="daily"
        ).task
        memory.tasks.fail(made.id, memory.tasks.claim(made.id, "w").token, secrets[3])
        token = memory.tasks.claim(made.id, "w").token
        memory.tasks.complete(made.id, token, result=secrets[4] * 300)
        memory.tasks.update(made.id, description=secrets[5], reason=secrets[6])
        memory.checkpoints.start("r", "a")
        memory.checkpoints.save("r", "a", secrets[7] * 900)
        memory.checkpoints.complete("r", "a")
        memory.tasks.erase(made.id)
        memory.checkpoints.erase("r")
        left = bytes_on_disk(file)
        assert not [piece for piece in pieces(secrets) if piece in left]
        assert b"stays-with-us-forever" in left
        assert memory.audit.verify().problems == ()
