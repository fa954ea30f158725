"""Power cuts, and a control that must lose something."""

from __future__ import annotations

from tests.reliability import power


def test_a_power_cut_loses_no_acknowledged_change() -> None:
    found = power.run("FULL", lives=1, changes=30, cuts=40, seed=1)
    assert (found.cuts, found.lost, found.unsound) == (40, 0, [])


def test_without_syncs_acknowledged_changes_are_lost_but_nothing_breaks() -> None:
    """So the trial can see a loss."""
    found = power.run("NORMAL", lives=1, changes=30, cuts=20, seed=1)
    assert found.lost > 0
    assert found.unsound == []
