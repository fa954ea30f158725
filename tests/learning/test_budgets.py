"""The budgets of learned facts, from the settings."""

from __future__ import annotations

import erstwhile

_SAID = "My name is Ana. I live in Lisbon. My sister is called Eva. I work at Acme."


def _open(learning: str) -> erstwhile.Memory:
    settings = erstwhile.Settings(embedder="none", learning=learning)
    return erstwhile.open(":memory:", settings=settings)


def test_a_turn_gives_as_many_facts_as_the_setting_says() -> None:
    for learning, count in (("", 4), ("facts_per_turn 2", 2)):
        with _open(learning) as memory:
            memory.observe_turn(_SAID, "Hello.", wait=True)
            assert memory.facts.count() == count


def test_what_is_above_the_budget_of_its_kind_is_held() -> None:
    with _open("profile_characters 20") as memory:
        held = memory.remember("Ana likes green tea and coffee", kind="preference", origin="agent")
        kept = memory.remember("The shop sells tea and coffee", origin="agent")
        assert (held.trust, kept.trust) == ("quarantined", "trusted")
        assert memory.quarantine.list()[0].rule == "budget/profile"
