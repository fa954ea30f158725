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

import sys

# Before they are imported, so that a failing assertion shows its values. The doubles beside them
# need no pytest.
if "pytest" in sys.modules:
    sys.modules["pytest"].register_assert_rewrite("recollect.testing.contracts")
