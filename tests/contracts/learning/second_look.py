"""The second look: what the model says when it is asked again decides about what is in doubt."""

from __future__ import annotations

import json

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.core.errors import LlmError
from erstwhile.core.kinds import Ending
from erstwhile.core.ports import Completion, Engine
from erstwhile.core.scope import Viewer
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm
from tests.contracts.base import Contract, texts
from tests.learning.extraction_answers import adding, ending, fact, superseding
from tests.learning.verification_answers import verifying, notes

VIM = fact("The user uses Vim", "preference", quote="any light theme for my Vim")
HONDA = "The user drives a Honda"


class SecondLookContract(Contract):
    @pytest.fixture
    def llm(self) -> ScriptedLlm:
        return ScriptedLlm()

    @pytest.fixture
    def ana(self, engine: Engine, clock: FakeClock, llm: ScriptedLlm) -> Memory:
        store = assemble(engine, clock, Viewer(), llm=lambda: llm, second_look=True)
        return store.scoped(user="ana")

    def test_what_it_confirms_is_believed(self, ana: Memory, llm: ScriptedLlm) -> None:
        """A rule takes the words for a question. The attempt has the tokens of both calls."""
        llm.script += [Completion(text=json.dumps(adding(VIM)), input=100), verifying()]
        [attempt] = ana.observe_turn("Hi, any light theme for my Vim?", "Yes.", wait=True).attempts
        assert (texts(ana.facts.list()), len(ana.quarantine.list())) == ([VIM["text"]], 0)
        assert attempt.input == 100
        assert notes(llm.prompts[-1]) == [
            {"n": 1, "statement": VIM["text"], "quote": "any light theme for my Vim"}
        ]

    def test_what_it_objects_to_is_held_with_its_reason(
        self, ana: Memory, llm: ScriptedLlm
    ) -> None:
        sold = fact("The user won the lottery", "event", quote="I won the lottery")
        llm.script += [adding(sold), verifying("joke")]
        ana.observe_turn("I won the lottery. Anyway, back to the report.", "Fine.", wait=True)
        [held] = ana.quarantine.list()
        told = (held.fact.text, held.rule, held.reason)
        assert told == (sold["text"], "second look/joke", "asked again, the model calls it: joke")
        assert texts(ana.facts.list()) == []

    @pytest.mark.parametrize(
        ("told", "live", "how"),
        [
            ("over", [], Ending.SUPERSEDED),
            ("never so", [], Ending.WRONG),
            ("goes on", [HONDA], None),
        ],
    )
    def test_it_decides_what_becomes_of_a_known_fact(
        self, ana: Memory, llm: ScriptedLlm, told: str, live: list[str], how: Ending | None
    ) -> None:
        known = ana.remember(HONDA, origin="learned")
        llm.script += [ending(HONDA, quote="My Honda found a new home"), verifying(fact=told)]
        ana.observe_turn("My Honda found a new home in Porto.", "Good.", wait=True)
        assert (texts(ana.facts.list()), ana.facts.get(known.id).ending) == (live, how)
        assert ana.audit.verify().ok

    def test_a_new_value_may_take_the_place_of_the_old_one(
        self, ana: Memory, llm: ScriptedLlm
    ) -> None:
        ana.remember(HONDA, origin="learned")
        tesla = fact("The user drives a Tesla", quote="the Tesla is great in the snow")
        llm.script += [superseding(HONDA, tesla), verifying(fact="over")]
        ana.observe_turn("Well, the Tesla is great in the snow.", "Good.", wait=True)
        assert texts(ana.facts.list()) == [tesla["text"]]

    def test_a_value_that_goes_on_is_not_replaced(self, ana: Memory, llm: ScriptedLlm) -> None:
        """Not even where there is one value at a time: both stay, and are linked."""
        ana.remember("The user lives in Lisbon", key="home", origin="learned")
        porto = fact("The user lives in Porto", "profile", key="home", quote="I live in Porto")
        llm.script += [superseding("The user lives in Lisbon", porto), verifying(fact="goes on")]
        ana.observe_turn("I live in Porto these days.", "Fine.", wait=True)
        assert "The user lives in Lisbon" in texts(ana.facts.list())
        assert len(ana.conflicts.list()) == 1

    @pytest.mark.parametrize(
        "trouble", [LlmError("it is down", retryable=True), "no JSON", "", {"answers": [7]}]
    )
    def test_without_a_usable_answer_the_rules_judge(
        self, ana: Memory, llm: ScriptedLlm, trouble: LlmError | str
    ) -> None:
        """The turn is learned from all the same, and the attempt says why."""
        lisbon = fact("The user lives in Lisbon", "profile", quote="I live in Lisbon")
        llm.script += [adding(lisbon), trouble]
        [attempt] = ana.observe_turn("I live in Lisbon.", "Fine.", wait=True).attempts
        assert texts(ana.facts.list()) == [lisbon["text"]]
        assert (attempt.outcome, llm.script) == ("learned", type(llm.script)())
