"""What an engine must do, as tests that anybody can run against an engine of their own.

A test module says how to build its engine, and takes the contracts:

    from recollect.testing import contracts

    @pytest.fixture
    def engine() -> Iterator[Engine]:
        engine = MyEngine(...)
        yield engine
        engine.close()

    globals().update(contracts.tests())
"""

from __future__ import annotations

import pytest

# Before they are imported, so that a failing assertion shows its values.
pytest.register_assert_rewrite("recollect.testing.contracts")
