"""No engine may leave a contract out."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests import contracts
from tests.contracts import test_postgres, test_sqlite_memory
from tests.contracts.base import Contract


@pytest.mark.parametrize("engine", [test_sqlite_memory, test_postgres])
def test_an_engine_runs_every_contract(engine: ModuleType) -> None:
    """Each once, under a name that pytest collects."""
    taken = [
        base.__name__
        for name, member in vars(engine).items()
        if name.startswith("Test")
        for base in member.__bases__
    ]
    assert sorted(taken) == sorted(each.__name__ for each in contracts.written())


def test_every_contract_is_found() -> None:
    """A contract outside of the folders would run nowhere; two of one name, once."""
    names = [each.__name__ for each in contracts.written()]
    assert set(names) == {each.__name__ for each in Contract.__subclasses__()}
    assert len(names) == len(set(names))
