"""How many threads BLAS may use in this process."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def blas_threads() -> set[int]:
    """Return the number of threads of each BLAS that is loaded."""
    libraries: list[dict[str, Any]] = import_module("threadpoolctl").threadpool_info()
    return {each["num_threads"] for each in libraries if each["user_api"] == "blas"}
