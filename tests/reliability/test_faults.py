"""I/O errors and a full disk."""

from __future__ import annotations

import pytest

from tests.reliability import faults


@pytest.mark.parametrize(
    ("kind", "stride"),
    [("open", 1), ("read", 15), ("write", 40), ("full", 45), ("sync", 4), ("truncate", 1)],
)
def test_a_failed_operation_changes_nothing_and_the_next_change_works(
    kind: str, stride: int
) -> None:
    found = faults.run(kind, stride=stride)
    assert found.faults > 0
    assert set(found.errors) == {"StorageError"}
    assert (found.lost, found.unsound) == (0, [])


def test_a_full_disk_refuses_changes_and_loses_none() -> None:
    found = faults.run_full_disk(rounds=12)
    assert set(found.errors) == {"StorageError"}
    assert (found.lost, found.unsound) == (0, [])
