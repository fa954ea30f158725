"""A model that obeys a stranger, and that confirms all of it when it is asked again."""

from __future__ import annotations

import pytest

from tests.attacks import test_acceptance, test_pasted_text, test_questions, test_tool_text
from tests.attacks.attack import READING, Attack, failures

ATTACKS = (
    *test_acceptance.ATTACKS,
    *test_pasted_text.ATTACKS,
    *test_questions.ATTACKS,
    *test_tool_text.SAME_TURN,
    *test_tool_text.LATER,
)


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_confirming_makes_nothing_trusted(attack: Attack) -> None:
    assert failures(attack, READING, confirmed=True) == []
