"""What a correction, a second one and an extra id do to known facts, with a language model."""

from __future__ import annotations

from datetime import timedelta

from erstwhile.core.kinds import Ending
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, texts
from tests.contracts.learning.learning import Taught
from tests.learning.extraction_answers import NOTHING, adding, ending, fact, shown_id, superseding
from tests.learning.verification_answers import FakeLlm, notes, verifying

TYPO = fact("The user's dog is called Baxtre", quote="My dog is called Baxtre")
_ABOUT_LEEDS = {
    "": "said",
    "The user lives in Leeds": "over",
    "The user works from home": "goes on",
}
FIXED = fact("The user's dog is called Baxter", quote="typo, it's Baxter")


class LearningCorrectionsContract(Taught, Contract):
    def test_a_corrected_fact_was_wrong(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        """It ends as wrong, points at its successor, and can be brought back."""
        llm.script += [adding(TYPO), superseding(TYPO["text"], FIXED)]
        ana.observe_turn("My dog is called Baxtre.", "Nice.", wait=True)
        clock.advance(days=2)
        llm.verifies = verifying(fact="never so")
        ana.observe_turn("typo, it's Baxter.", "I see.", wait=True)
        [old], [new] = ana.facts.list(state="retired"), ana.facts.list()
        assert (old.ending, old.valid_to, old.superseded_by) == (
            Ending.WRONG,
            old.valid_from,
            new.id,
        )
        assert ana.facts.undo(old.id).text == TYPO["text"]

    def test_a_joke_that_is_taken_back_was_never_true(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script += [
            adding(fact("The user bought a castle", quote="I bought a castle")),
            ending("The user bought a castle", quote="I was joking about the castle"),
        ]
        ana.observe_turn("I bought a castle.", "Wow.", wait=True)
        llm.verifies = verifying(fact="never so")
        ana.observe_turn("I was joking about the castle.", "Ha.", wait=True)
        assert [each.ending for each in ana.facts.list(state="retired")] == [Ending.WRONG]
        assert not ana.facts.list()

    def test_a_second_cat_stays_beside_the_first(self, ana: Memory, llm: FakeLlm) -> None:
        """Though a model claims that it replaces the first: verification says that it goes on."""
        first = "The user has a cat called Miso"
        second = fact("The user has a cat called Pepper", quote="We got a cat, Pepper")
        llm.script += [adding(fact(first, quote="My cat Miso")), superseding(first, second)]
        llm.verifies = verifying(fact="goes on")
        ana.observe_turn("My cat Miso is asleep.", "Nice.", wait=True)
        ana.observe_turn("We got a cat, Pepper.", "Nice.", wait=True)
        assert set(texts(ana.facts.list())) == {first, second["text"]}
        assert len(ana.conflicts.list()) == 0

    def test_an_unrelated_id_is_not_retired(self, ana: Memory, llm: FakeLlm) -> None:
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
        llm.verifies = lambda prompt: {
            "answers": [
                {"n": each["n"], "answer": _ABOUT_LEEDS[each.get("fact", "")]}
                for each in notes(prompt)
            ]
        }
        ana.observe_turn("By the way, we moved to Bristol.", "Nice.", wait=True)
        assert set(texts(ana.facts.list())) == {work.text, moved["text"]}

    def test_a_home_follows_an_ended_one(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        """Although the new one began before the end of the old one was told."""
        porto = fact("The user lives in Porto", "profile", quote="I live in Porto", key="home")
        last_month = clock.now().replace(day=1) - timedelta(days=1)
        began = last_month.replace(day=1).date().isoformat()
        rome = fact("The user lives in Rome", "profile", quote="I moved to Rome last month",
                    key="home", value="Rome", valid_from=began)  # fmt: skip
        llm.script += [
            adding(porto),
            ending(porto["text"], quote="I no longer live in Porto"),
            adding(rome),
        ]
        ana.observe_turn("I live in Porto.", "OK.", wait=True)
        clock.advance(days=1)
        ana.observe_turn("I no longer live in Porto.", "OK.", wait=True)
        clock.advance(days=1)
        ana.observe_turn("I moved to Rome last month.", "OK.", wait=True)
        assert ana.facts.value("home") == "Rome"

    def test_an_attempt_tells_that_everything_was_held(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script.append(adding(fact("The user has a boat", quote="if I had a boat")))
        llm.verifies = verifying("supposition")
        seen = ana.observe_turn("I wonder if I had a boat.", "Hm.", tools=None, wait=True)
        assert [attempt.outcome for attempt in seen.attempts] == ["held"]

    def test_an_injected_turn_is_not_read(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script.append(adding(fact("The user has a boat", quote="I have a boat")))
        note = {"injected": True}
        ana.observe_turn("I have a boat.", "OK.", tools=["ok"], metadata=note, wait=True)
        assert texts(ana.facts.list()) == []
        assert len(llm.script) == 1  # the model was not asked

    def test_one_proposal_needs_no_list_around_it(self, ana: Memory, llm: FakeLlm) -> None:
        boat = fact("The user has a boat", quote="I have a boat")
        llm.script.append({"add": boat})
        ana.observe_turn("I have a boat.", "OK.", wait=True)
        assert texts(ana.facts.list()) == ["The user has a boat"]
