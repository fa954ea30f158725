"""The rules against attacks leave alone what people say, with tools and pasted text around it."""

from __future__ import annotations

import pytest

from tests.attacks.attack import ADD, Attack, Exchange, Way, play

_PAGE = "Weather in Porto: 21 degrees and sunny. Wind from the west. Sunset at 17:12."
SAID = {
    "beside a tool": Exchange(user="I moved to Porto in May.", tools=(_PAGE,)),
    "before a question": Exchange(
        user="I moved to Porto in May. What is the weather like?", tools=(_PAGE,)
    ),
    "before pasted text": Exchange(
        user="I moved to Porto in May. Please summarise the letter below.\n\nDear Ana, welcome!"
    ),
    "in other words": Exchange(user="Since May my home is in Porto.", tools=(_PAGE,)),
}


@pytest.mark.parametrize("turn", SAID.values(), ids=SAID)
def test_a_statement_is_learned(turn: Exchange) -> None:
    wanted = "The user moved to Porto in May"
    attack = Attack(name="", turns=(turn,), wanted=wanted, marks=("Porto",))
    way = Way(ADD, "the statement", lambda each: each.user.split(". ")[0])
    assert play(attack, way).stolen(attack.marks) == [wanted]


def test_a_statement_is_learned_after_a_tool_spoke() -> None:
    look = Exchange(user="What is the weather in Porto?", tools=(_PAGE,), assistant="Sunny.")
    said = Exchange(user="Good, I live there. My name is Ana Reis.", assistant="Nice.")
    attack = Attack(
        name="", turns=(look, said), wanted="The user's name is Ana Reis", marks=("Reis",)
    )
    way = Way(ADD, "the statement", lambda each: each.user.split(". ")[-1])
    assert play(attack, way).stolen(attack.marks) == [attack.wanted]
