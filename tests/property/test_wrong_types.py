"""Values of wrong types, given to any verb: the error is typed, never one of the inside."""

from __future__ import annotations

import math
import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

import erstwhile
from erstwhile.rpc.verbs import verbs

CALLS = 1_500
LONG = ("erase_user", "erase_scope", "clear", "flush", "reembed", "maintain")
LATE = datetime.max.replace(tzinfo=UTC)
WRONG: tuple[Any, ...] = (
    None, 0, -1, 2**63, 2**70, 1.5, math.nan, math.inf, True, 3 + 4j, "", " ", "\ud800", "a\x00b",
    "x" * 200_001, b"bytes", [], ["a"], [None], {}, {"a": 1}, {1: 2}, {"a": math.nan}, set(),
    ("a",), range(3), int, math, object(), "a", "now", date(2020, 1, 1),
    datetime.min.replace(tzinfo=UTC), LATE, LATE.replace(tzinfo=None), timedelta(days=10**6),
    "01890000-0000-7000-8000-000000000000",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_a_value_of_a_wrong_type_is_a_typed_error(seed: int) -> None:
    """A TypeError of Python counts only if it is about the arguments of the verb."""
    choose = random.Random(seed)
    called = [verb for name, verb in verbs().items() if name not in LONG]
    with erstwhile.open(":memory:", embedder="none", learners=0) as memory:
        ana = memory.scoped(user="ana")
        fact = ana.remember("Ana keeps bees", key="hobby")
        ana.blocks.add("a", "text")
        for _ in range(CALLS):
            verb = choose.choice(called)
            given = {
                each.name: [*choose.choice(((), ("a",)))] if each.many else choose.choice(WRONG)
                for each in verb.parameters.values()
                if each.required or choose.random() < 0.3
            }
            known = {"id": fact.id, "name": "a"}
            given |= {
                name: known[name] for name in known if name in given and choose.random() < 0.5
            }
            try:
                verb.call(ana, given)
            except erstwhile.ErstwhileError:
                continue
            except Exception as error:
                if isinstance(error, TypeError) and "argument" in str(error):
                    continue
                raise AssertionError((verb.name, given)) from error
