"""Contracts: what a memory promises on every engine, one folder per idea and one file per subject.

The test module of an engine has a fixture `engine`, and takes all contracts:

    globals().update(contracts.classes())
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from importlib import import_module
from pathlib import Path

from tests.contracts.base import Contract


def classes(*, input_checks: bool = True, only: Collection[str] = ()) -> dict[str, type[Contract]]:
    """Return a test class for each contract, under a name that pytest collects.

    Leave out the input checks on all engines but one: refused input reaches no engine. `only` names
    the folders and files to take, such as "facts" and "facts/keys"; by default all.
    """
    kept = [found for found in written() if not only or set(places(found)) & set(only)]
    named = {f"Test{found.__name__.removesuffix('Contract')}": found for found in kept}
    return {
        name: type(name, (contract,), {} if input_checks else dict.fromkeys(_checks(contract)))
        for name, contract in named.items()
    }


def places(contract: type[Contract]) -> tuple[str, str]:
    """Return the folder of a contract, and its file below this folder."""
    folder, file = contract.__module__.split(".")[-2:]
    return folder, f"{folder}/{file}"


def _checks(contract: type[Contract]) -> list[str]:
    """Return the names of the tests that are marked as checks of input."""
    marks = {name: getattr(each, "pytestmark", ()) for name, each in vars(contract).items()}
    return [
        name for name, given in marks.items() if any(mark.name == "input_check" for mark in given)
    ]


def written() -> Iterator[type[Contract]]:
    """Yield every contract of the files below this folder."""
    here = Path(__file__).parent
    for file in sorted(here.glob("*/*.py")):
        name = f"{__name__}.{file.parent.name}.{file.stem}"
        members = [each for each in vars(import_module(name)).values() if isinstance(each, type)]
        yield from (
            each for each in members if issubclass(each, Contract) and each.__module__ == name
        )
