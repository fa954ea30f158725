"""What a model proposed and was held: a person can approve it, and then it is done."""

from __future__ import annotations

from datetime import timedelta

import pytest

from erstwhile.core.errors import ConflictError
from erstwhile.core.kinds import Ending, State, Trust
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, texts
from tests.contracts.learning.learning import Taught
from tests.learning.extraction_answers import adding, ending, fact, superseding
from tests.learning.verification_answers import FakeLlm, verifying

OSLO = "The user lives in Oslo"
BERGEN = fact("The user lives in Bergen", "profile", key="home", value="Bergen",
              quote="If I lived in Bergen")  # fmt: skip
SAID = "If I lived in Bergen, would it rain more?"


class HeldProposalsContract(Taught, Contract):
    @pytest.fixture
    def llm(self) -> FakeLlm:
        """Return a model whose verification answers nothing."""
        llm = FakeLlm()
        llm.verifies = lambda _prompt: {"answers": []}
        return llm

    def test_an_approved_proposal_is_the_value_of_its_key(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script.append(adding(BERGEN))
        ana.observe_turn(SAID, "It would.", wait=True)
        [held] = ana.quarantine.list()
        assert (held.key, held.replaces, held.ends) == ("home", (), False)
        assert ana.facts.value("home") is None
        approved = ana.quarantine.approve(held.id, reason="she told me")
        assert (approved.key, approved.value, approved.trust) == ("home", "Bergen", Trust.TRUSTED)
        assert dict(approved.metadata) == {}
        assert ana.facts.value("home") == "Bergen"
        assert texts(ana.facts.list()) == [BERGEN["text"]]
        assert len(ana.quarantine.list()) == 0
        assert ana.audit.verify().ok

    @pytest.mark.parametrize("verb", ["approve", "confirm"])
    @pytest.mark.parametrize("key", ["home", None])
    def test_an_approved_proposal_replaces_what_it_said(
        self, ana: Memory, llm: FakeLlm, clock: FakeClock, key: str | None, verb: str
    ) -> None:
        old = ana.remember(OSLO, key=key, origin="learned")
        clock.advance(days=1)
        llm.script.append(superseding(OSLO, {**BERGEN, "key": key or "", "value": ""}))
        ana.observe_turn(SAID, "It would.", wait=True)
        [held] = ana.quarantine.list()
        assert held.replaces == (old.id,)
        assert texts(ana.facts.list()) == [OSLO]
        clock.advance(days=1)
        decide = ana.quarantine.approve if verb == "approve" else ana.facts.confirm
        new = decide(held.id)
        assert texts(ana.facts.list()) == [BERGEN["text"]]
        assert (new.key, ana.facts.get(old.id).superseded_by) == (key, new.id)
        assert ana.facts.undo(old.id).state(clock.now()) is State.LIVE

    def test_an_approval_begins_now(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        """A person decides now, so what was true since is not forgotten."""
        llm.script.append(adding(BERGEN))
        ana.observe_turn(SAID, "It would.", wait=True)
        clock.advance(days=1)
        ana.facts.set("home", "Oslo")
        clock.advance(days=1)
        ana.quarantine.approve(ana.quarantine.list()[0].id)
        assert ana.facts.value("home") == "Bergen"
        [oslo] = [each for each in ana.facts.list(state="retired") if each.text == "Oslo"]
        assert oslo.valid_to is not None
        assert oslo.valid_to - oslo.valid_from >= timedelta(days=1)

    def test_an_ending_can_be_approved(self, ana: Memory, llm: FakeLlm, clock: FakeClock) -> None:
        old = ana.remember(OSLO, key="home", origin="learned")
        llm.script.append(ending(OSLO, quote="If I ever leave Oslo"))
        seen = ana.observe_turn("If I ever leave Oslo, I'd miss it.", "Sure.", wait=True)
        assert [attempt.outcome for attempt in seen.attempts] == ["held"]
        [held] = ana.quarantine.list()
        assert (held.ends, held.replaces) == (True, (old.id,))
        assert ana.facts.value("home") == OSLO
        clock.advance(days=1)
        ended = ana.quarantine.approve(held.id)
        assert (ended.id, ended.ending) == (old.id, Ending.SUPERSEDED)
        assert (ana.facts.value("home"), texts(ana.facts.list())) == (None, [])
        assert len(ana.quarantine.list()) == 0
        assert ana.audit.verify().ok

    def test_a_rejected_end_leaves_the_fact_as_it_is(self, ana: Memory, llm: FakeLlm) -> None:
        """It may be stated again, and the same end is not proposed twice."""
        ana.remember(OSLO, origin="learned")
        doubtful = ending(OSLO, quote="If I ever leave Oslo")
        llm.script += [doubtful, doubtful, adding(fact(OSLO, quote="I live in Oslo"))]
        for _ in range(2):
            ana.observe_turn("If I ever leave Oslo, I'd miss it.", "Sure.", wait=True)
            for held in ana.quarantine.list():
                ana.quarantine.reject(held.id)
        assert len(ana.facts.list(state="retired")) == 1
        llm.verifies = verifying()
        seen = ana.observe_turn("I live in Oslo.", "I know.", wait=True)
        assert [attempt.outcome for attempt in seen.attempts] == ["learned"]
        assert ana.facts.list()[0].evidence == 2

    def test_what_ended_meanwhile_cannot_be_ended_again(self, ana: Memory, llm: FakeLlm) -> None:
        old = ana.remember(OSLO, origin="learned")
        llm.script.append(ending(OSLO, quote="If I ever leave Oslo"))
        ana.observe_turn("If I ever leave Oslo, I'd miss it.", "Sure.", wait=True)
        ana.facts.retire(old.id, "wrong")
        with pytest.raises(ConflictError, match="ended already"):
            ana.quarantine.approve(ana.quarantine.list()[0].id)
