"""What a correction, a second one and an extra id do to known facts, with a language model."""

from __future__ import annotations

from erstwhile.core.kinds import Ending
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.contracts.base import Contract, texts
from tests.contracts.learning.learning import Taught
from tests.learning.extraction_answers import NOTHING, adding, ending, fact, shown_id, superseding

TYPO = fact("The user's dog is called Baxtre", quote="My dog is called Baxtre")
FIXED = fact("The user's dog is called Baxter", quote="typo, it's Baxter")


class LearningCorrectionsContract(Taught, Contract):
    def test_a_corrected_fact_was_never_true(
        self, ana: Memory, llm: ScriptedLlm, clock: FakeClock
    ) -> None:
        """It ends as wrong, points at its successor, and can be brought back."""
        llm.script += [adding(TYPO), superseding(TYPO["text"], FIXED)]
        ana.observe_turn("My dog is called Baxtre.", "Nice.", wait=True)
        clock.advance(days=2)
        ana.observe_turn("typo, it's Baxter.", "I see.", wait=True)
        [old], [new] = ana.facts.list(state="retired"), ana.facts.list()
        assert (old.ending, old.valid_to, old.superseded_by) == (
            Ending.WRONG,
            old.valid_from,
            new.id,
        )
        assert ana.facts.undo(old.id).text == TYPO["text"]

    def test_a_joke_that_is_taken_back_was_never_true(self, ana: Memory, llm: ScriptedLlm) -> None:
        llm.script += [
            adding(fact("The user bought a castle", quote="I bought a castle")),
            ending("The user bought a castle", quote="I was joking about the castle"),
        ]
        ana.observe_turn("I bought a castle.", "Wow.", wait=True)
        ana.observe_turn("I was joking about the castle.", "Ha.", wait=True)
        assert [each.ending for each in ana.facts.list(state="retired")] == [Ending.WRONG]
        assert not ana.facts.list()

    def test_a_second_cat_stays_beside_the_first(self, ana: Memory, llm: ScriptedLlm) -> None:
        """Though a model claims that it replaces the first; both are linked."""
        first = "The user has a cat called Miso"
        second = fact("The user has a cat called Pepper", quote="We got a cat, Pepper")
        llm.script += [adding(fact(first, quote="My cat Miso")), superseding(first, second)]
        ana.observe_turn("My cat Miso is asleep.", "Nice.", wait=True)
        ana.observe_turn("We got a cat, Pepper.", "Nice.", wait=True)
        assert set(texts(ana.facts.list())) == {first, second["text"]}
        assert len(ana.conflicts.list()) == 1

    def test_an_id_that_has_nothing_to_do_with_it_is_not_retired(
        self, ana: Memory, llm: ScriptedLlm
    ) -> None:
        home = ana.remember("The user lives in Leeds", key="home", origin="learned")
        work = ana.remember("The user works from home", origin="learned")
        moved = fact("The user lives in Bristol", key="home", quote="we moved to Bristol")
        llm.script.append(
            lambda prompt: {
                **NOTHING,
                "supersede": [
                    {"ids": [shown_id(prompt, each.text) for each in (work, home)], **moved}
                ],
            }
        )
        ana.observe_turn("By the way, we moved to Bristol.", "Nice.", wait=True)
        assert set(texts(ana.facts.list())) == {work.text, moved["text"]}
