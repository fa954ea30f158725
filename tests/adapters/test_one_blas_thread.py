"""One thread of BLAS for several callers at once."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from threading import Event
from typing import Any

import numpy as np
import pytest

from erstwhile.adapters.embedders.universal import OneBlasThread

FORKING = """
import os, sys, threading
import numpy
from erstwhile.adapters.embedders.universal import OneBlasThread
from tests.adapters.test_one_blas_thread import blas_threads

one, before = OneBlasThread(), blas_threads()
inside, leave = threading.Event(), threading.Event()

def stay():
    with one():
        inside.set()
        leave.wait(60)

thread = threading.Thread(target=stay)
thread.start()
inside.wait(60)
if not (child := os.fork()):
    with one():
        meanwhile = blas_threads()
    os._exit(not (meanwhile == {1} and blas_threads() == before))
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
leave.set()
thread.join(60)
sys.exit(status or blas_threads() != before)
"""


def blas_threads() -> set[int]:
    """Return the number of threads of each BLAS that is loaded."""
    libraries: list[dict[str, Any]] = import_module("threadpoolctl").threadpool_info()
    return {each["num_threads"] for each in libraries if each["user_api"] == "blas"}


def test_the_number_comes_back_when_the_last_has_left() -> None:
    assert np.ones(1) @ np.ones(1) == 1  # BLAS is loaded
    one, before, inside, leave = OneBlasThread(), blas_threads(), Event(), Event()

    def stay() -> None:
        with one():
            inside.set()
            assert leave.wait(60)

    with ThreadPoolExecutor(1) as pool:
        staying = pool.submit(stay)
        assert inside.wait(60)
        with one():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
        leave.set()
        staying.result(60)
    assert blas_threads() == before


def test_an_error_inside_brings_the_number_back() -> None:
    one, before = OneBlasThread(), blas_threads()
    with pytest.raises(ValueError, match="inside"), one():
        raise ValueError("inside")
    assert blas_threads() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_while_another_thread_is_inside_limits_nothing_in_the_child() -> None:
    """It runs in its own process: some versions of Python warn of a fork with threads."""
    done = subprocess.run([sys.executable, "-c", FORKING], timeout=300, check=False)
    assert done.returncode == 0
