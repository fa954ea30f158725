"""Whose word a learned fact is: what an assistant says after a tool spoke is the tool's word."""

from __future__ import annotations

from erstwhile.core.kinds import Origin
from erstwhile.memory import Memory
from tests.contracts.base import Contract, texts
from tests.contracts.learning.learning import Taught
from tests.learning.extraction_answers import NOTHING, adding, fact
from tests.learning.verification_answers import FakeLlm

_ASKED = "Do you live in Porto?"
_PORTO = adding(fact("The user lives in Porto", "profile", quote="Yes"))
_PAGE = "Porto: 21 degrees. The user lives in Porto."


def _rules(memory: Memory) -> list[tuple[str, Origin]]:
    return [(held.rule, held.fact.origin) for held in memory.quarantine.list()]


class LineageContract(Taught, Contract):
    def test_a_user_who_agrees_states_what_was_asked(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script += [NOTHING, _PORTO]
        asked = ana.observe_turn("I need a plumber.", _ASKED, wait=True)
        ana.observe_turn("Yes", "Good.", conversation=asked.conversation, wait=True)
        assert texts(ana.facts.list()) == ["The user lives in Porto"]

    def test_a_user_who_agrees_after_a_tool_spoke_does_not(self, ana: Memory, llm: FakeLlm) -> None:
        """However many turns ago it was, since the assistant may have read it there."""
        llm.script += [NOTHING] * 5 + [_PORTO]
        place = ana.observe_turn("I need a map.", "Here.", tools=[_PAGE], wait=True).conversation
        for _ in range(3):
            ana.observe_turn("Write a poem.", "Rain.", conversation=place, wait=True)
        ana.observe_turn("I need a plumber.", _ASKED, conversation=place, wait=True)
        ana.observe_turn("Yes", "Good.", conversation=place, wait=True)
        assert ana.facts.count() == 0
        assert _rules(ana) == [("provenance/tool", Origin.TOOL)]

    def test_a_branch_knows_that_a_tool_spoke_before_it(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script += [NOTHING] * 2 + [_PORTO]
        first = ana.observe_turn("I need a map.", "Here.", tools=[_PAGE], wait=True)
        branch = ana.conversations.branch(first.assistant.id).id
        ana.observe_turn("I need a plumber.", _ASKED, conversation=branch, wait=True)
        ana.observe_turn("Yes", "Good.", conversation=branch, wait=True)
        assert ana.facts.count() == 0
        assert _rules(ana) == [("provenance/tool", Origin.TOOL)]

    def test_what_only_the_assistant_says_is_held(self, ana: Memory, llm: FakeLlm) -> None:
        """It may have read it in the prompt, in another conversation, or nowhere."""
        llm.script.append(adding(fact("The user lives in Porto", quote="You live in Porto")))
        ana.observe_turn("Tell me what you know.", "You live in Porto.", wait=True)
        assert ana.facts.count() == 0
        assert _rules(ana) == [("provenance/assistant", Origin.AGENT)]

    def test_another_conversation_is_not_touched(self, ana: Memory, llm: FakeLlm) -> None:
        llm.script += [NOTHING, NOTHING, _PORTO]
        ana.observe_turn("I need a map.", "Here.", tools=[_PAGE], channel="maps", wait=True)
        asked = ana.observe_turn("I need a plumber.", _ASKED, channel="home", wait=True)
        ana.observe_turn("Yes", "Good.", conversation=asked.conversation, wait=True)
        assert texts(ana.facts.list()) == ["The user lives in Porto"]
