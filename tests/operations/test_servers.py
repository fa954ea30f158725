"""Backups of a space on a server are files, and can be restored to a server or a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import erstwhile
from erstwhile import Settings
from erstwhile.core.errors import ConflictError


def put(postgres: str, space: str, text: str) -> None:
    with erstwhile.open(postgres, settings=Settings(space=space)) as memory:
        memory.remember(text)


def texts(place: str, space: str = "main") -> list[str]:
    with erstwhile.open(place, settings=Settings(space=space)) as memory:
        assert memory.audit.verify().ok
        return [fact.text for fact in memory.facts.list()]


def test_a_space_is_backed_up_and_restored(postgres: str, space: str, tmp_path: Path) -> None:
    """Another space is neither saved nor replaced."""
    other = f"{space}-other"
    put(postgres, space, "Ana drinks tea")
    put(postgres, other, "Bob drinks beer")
    made = erstwhile.backup(postgres, tmp_path, space=space)
    assert Path(made.path).name.startswith(f"{space}.")
    assert texts(made.path) == ["Ana drinks tea"]

    put(postgres, space, "Ana drinks coffee")
    with pytest.raises(ConflictError, match="saved first"):
        erstwhile.restore(made.path, postgres, space=space)
    restored = erstwhile.restore(made.path, postgres, space=space, overwrite=True)
    assert texts(postgres, space) == ["Ana drinks tea"]
    assert restored.saved is not None
    assert sorted(texts(restored.saved)) == ["Ana drinks coffee", "Ana drinks tea"]
    put(postgres, space, "Ana drinks water")
    assert sorted(texts(postgres, space)) == ["Ana drinks tea", "Ana drinks water"]
    assert texts(postgres, other) == ["Bob drinks beer"]
