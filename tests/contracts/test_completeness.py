"""No engine may leave a contract out."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests import contracts
from tests.contracts import test_postgres, test_sqlite_file, test_sqlite_memory
from tests.contracts.base import Contract


@pytest.mark.parametrize("back_end", [test_sqlite_file, test_sqlite_memory, test_postgres])
def test_every_contract_is_subclassed(back_end: ModuleType) -> None:
    """Each once, under a name that pytest collects."""
    subclassed = [
        base.__name__
        for name, member in vars(back_end).items()
        if name.startswith("Test")
        for base in member.__bases__
    ]
    assert sorted(subclassed) == sorted(contracts.__all__)


def test_every_contract_is_exported() -> None:
    """One that is written but not listed would run nowhere."""
    written = {each.__name__ for each in Contract.__subclasses__()}
    assert written == set(contracts.__all__)
