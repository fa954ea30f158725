"""Several collections that answer from one snapshot."""

from __future__ import annotations

from pathlib import Path

import erstwhile
from erstwhile.facts.collection import Facts
from erstwhile.records.lessons import Lessons
from erstwhile.storage.view import View


def test_collections_at_a_view_tell_of_one_moment(tmp_path: Path) -> None:
    """What is stored meanwhile is not there; a question about the past goes its own way."""
    with erstwhile.open(tmp_path / "memory.db", embedder="none") as memory:
        memory.remember("before")

        def asked(view: View) -> tuple[int, int, int]:
            at = memory._access.at(view), memory._services
            memory.remember("meanwhile")
            memory.lessons.add("deploy", "meanwhile")
            past = Facts(*at).list(known_at=view.now)
            return len(Facts(*at).list()), len(Lessons(*at).list()), len(past)

        assert memory._access.ask(asked) == (1, 0, 1)
        assert len(memory.facts.list()) == 2
