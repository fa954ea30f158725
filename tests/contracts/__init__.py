"""Contracts: what a memory promises on every engine, one folder per idea and one file per subject.

The test module of an engine has a fixture `engine`, and takes all contracts:

    globals().update(contracts.tests())
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tests.contracts.base import Contract


def tests() -> dict[str, type[Contract]]:
    """Return a test class for each contract, under a name that pytest collects."""
    named = {f"Test{found.__name__.removesuffix('Contract')}": found for found in written()}
    return {name: type(name, (contract,), {}) for name, contract in named.items()}


def written() -> Iterator[type[Contract]]:
    """Yield every contract of the files below this folder."""
    here = Path(__file__).parent
    for file in sorted(here.glob("*/*.py")):
        name = f"{__name__}.{file.parent.name}.{file.stem}"
        members = [each for each in vars(import_module(name)).values() if isinstance(each, type)]
        yield from (
            each for each in members if issubclass(each, Contract) and each.__module__ == name
        )
