"""A process that forks while a memory is open."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import erstwhile
from tests.engines.processes import outcome

SCENES = "tests.engines.fork_scenes"
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def test_parent_and_child_both_go_on(tmp_path: Path) -> None:
    assert outcome(SCENES, "both_go_on", tmp_path / "memory.db") == {
        "child_read": "before the fork",
        "written": 50,
        "count": 51,
        "verified": True,
    }


def test_a_child_outlives_its_parent_s_memory(tmp_path: Path) -> None:
    """Its writes after the parent has closed are not lost."""
    file = tmp_path / "memory.db"
    assert outcome(SCENES, "the_parent_closes_first", file) == {"told": "from the child"}
    with erstwhile.open(file) as memory:
        assert [fact.text for fact in memory.facts.list()] == ["from the child", "before the fork"]


def test_a_memory_without_a_file_is_refused_in_the_child_and_in_its_children() -> None:
    """It goes on in the parent, and closing it in the child is harmless."""
    assert outcome(SCENES, "only_the_parent_goes_on", ":memory:") == {
        "child": ["ForkedError", "ForkedError", "none", "ForkedError"],
        "parent": ["after the fork", "before the fork"],
    }


def test_forking_while_other_threads_write_loses_nothing(tmp_path: Path) -> None:
    """The fork succeeds with busy writers, and the children can write."""
    told = outcome(SCENES, "while_others_write", tmp_path / "memory.db")
    assert told == {
        "children": [f"child {each}" for each in range(8)],
        "lost": [],
        "missing": 0,
        "verified": True,
    }


def test_a_write_that_takes_too_long_costs_the_child_the_memory_and_the_parent_nothing(
    tmp_path: Path,
) -> None:
    told = outcome(
        "tests.engines.fork_scenes", "while_one_write_takes_too_long", tmp_path / "memory.db"
    )
    assert told == {"child": ["ForkedError", "none", "ForkedError"], "parent": "after the fork"}


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="open files cannot be counted here")
def test_many_forks_leak_no_file_descriptors(tmp_path: Path) -> None:
    told = outcome(SCENES, "many_times", tmp_path / "memory.db")
    assert told["after"] == told["before"]
    assert len(set(told["children"])) == 1


def test_workers_of_multiprocessing_use_the_memory_they_inherit(tmp_path: Path) -> None:
    assert outcome(SCENES, "by_multiprocessing", tmp_path / "memory.db") == {
        "told": ["worker 0", "worker 1", "worker 2"],
        "count": 4,
        "verified": True,
    }


LOADING = """
import os, sys
from threading import Event, Thread
import erstwhile.core.fork_safety

sys.loading, sys.forking = Event(), Event()
os.register_at_fork(before=sys.forking.set)  # the last that is registered is called first

def load():
    import slowly_loaded

thread = Thread(target=load)
thread.start()
sys.loading.wait(60)
if not (child := os.fork()):
    import slowly_loaded
    os._exit(slowly_loaded.STATUS)
thread.join(60)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


SLOWLY_LOADED = """
import sys, time
sys.loading.set()
sys.forking.wait(60)
time.sleep(0.1)
STATUS = 0
"""


def test_a_fork_waits_for_a_thread_that_imports_a_module(tmp_path: Path) -> None:
    """Otherwise an import in the child would wait for ever for a missing thread."""
    (tmp_path / "slowly_loaded.py").write_text(SLOWLY_LOADED)
    command = [sys.executable, "-c", LOADING]
    assert subprocess.run(command, cwd=tmp_path, timeout=300, check=False).returncode == 0
