"""Play labelled turns in temporary memories, and judge what became of each proposal and fact."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from erstwhile.adapters.embedders.registry import DEFAULT
from erstwhile.bootstrap import open as open_memory
from erstwhile.core.kinds import Ending, State
from erstwhile.core.ports import Prompt
from erstwhile.core.settings import Settings
from erstwhile.core.text import folded
from erstwhile.evaluation.progress import Tell
from erstwhile.evaluation.simulated_model import Proposals, answering
from erstwhile.evaluation.turn_report import Aim, Judgement, TurnReport, TurnResult, turn_report
from erstwhile.evaluation.turns import CORRECT, Fate, KnownFact, SampleTurn, read_turns
from erstwhile.facts.fact import Fact
from erstwhile.learning.attempt import AttemptChange
from erstwhile.learning.change import Act
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm

SecondAnswer: TypeAlias = Callable[[Prompt], Mapping[str, Any]]
"""Answers the second question of a turn."""
_ALL = 500
"""More facts than a turn leaves."""


def run_turns(
    turns: Sequence[SampleTurn] | None = None,
    tell: Tell = lambda _: None,
    look: Callable[[SampleTurn], SecondAnswer] | None = None,
) -> TurnReport:
    """Play each turn in a memory of its own, and score what was learned."""
    return turn_report(play_turns(read_turns() if turns is None else turns, tell, look))


def play_turns(
    turns: Sequence[SampleTurn],
    tell: Tell = lambda _: None,
    look: Callable[[SampleTurn], SecondAnswer] | None = None,
) -> list[TurnResult]:
    """Return each turn with what became of its proposals; `look` gives its second answer."""
    played = list[TurnResult]()
    for number, turn in enumerate(turns, start=1):
        tell(f"Playing turn {number} of {len(turns)}")
        played.append(play_turn(turn, None if look is None else look(turn)))
    return played


def play_turn(turn: SampleTurn, look: SecondAnswer | None = None) -> TurnResult:
    """Play one turn after its past: facts that are known for a month, and the exchange before.

    `look` answers the second question about the proposals. Without it, none is asked.
    """
    clock, llm = FakeClock(turn.said_at - timedelta(days=30)), ScriptedLlm()
    settings = Settings(second_look="no" if look is None else "yes")
    with open_memory(
        ":memory:", settings=settings, embedder=DEFAULT, llm=llm, clock=clock
    ) as memory:
        user = memory.scoped(user=turn.id)
        ids = [_remembered(user, fact) for fact in turn.known]
        clock.set(turn.said_at)
        for earlier in turn.before:
            _observed(user, llm, clock, {}, earlier.user, earlier.assistant)
        answer = _unlabelled(turn.answer)
        changes = _observed(user, llm, clock, answer, turn.user, turn.assistant, turn.tools, look)
        believed = [*user.facts.list(limit=_ALL), *user.facts.list(state=State.UPCOMING)]
        known = [user.facts.get(id) for id in ids]
    texts = {folded(fact.text) for fact in believed} | _repeated(changes, believed)
    judgements = (*_of_statements(turn, texts), *_of_known(turn, known, texts, clock.now()))
    return TurnResult(turn=turn, judgements=judgements, changes=tuple(changes))


def _remembered(user: Memory, fact: KnownFact) -> str:
    return user.remember(fact.text, kind=fact.kind, key=fact.key, value=fact.value).id


def _observed(
    user: Memory,
    llm: ScriptedLlm,
    clock: FakeClock,
    answer: Proposals,
    said: str,
    answered: str,
    tools: Sequence[str] = (),
    look: SecondAnswer | None = None,
) -> list[AttemptChange]:
    """Learn from a turn with the answer of the model, and return what was done."""
    llm.script.clear()
    llm.script += [answering(answer), *([] if look is None else [look])]
    seen = user.observe_turn(
        said, answered, tools=tools, said_at=clock.advance(minutes=1), wait=True
    )
    return [change for attempt in seen.attempts for change in attempt.changes]


def _unlabelled(answer: Proposals) -> Proposals:
    """Return the answer as a model gives it: without our labels."""

    def bare(item: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in item.items() if name != "label"}

    return {name: [bare(each) for each in items] for name, items in answer.items()}


def _repeated(changes: Sequence[AttemptChange], believed: Sequence[Fact]) -> set[str]:
    """Return the statements that are believed already, in the words of another fact."""
    ids = {fact.id for fact in believed}
    return {folded(each.text) for each in changes if each.act is Act.REPEAT and each.fact in ids}


def _of_statements(turn: SampleTurn, texts: Container[str]) -> Iterator[Judgement]:
    for label, text in turn.statements:
        is_stored = folded(text) in texts
        if label == CORRECT:
            yield Judgement(Aim.STORE, label, text, is_stored)
        else:
            yield Judgement(Aim.KEEP_OUT, label, text, not is_stored)


def _of_known(
    turn: SampleTurn, known: Sequence[Fact], texts: Container[str], now: datetime
) -> Iterator[Judgement]:
    for wanted, fact in zip(turn.known, known, strict=True):
        is_live = fact.state(now) is State.LIVE
        if wanted.after is Fate.LIVE:
            yield Judgement(Aim.KEEP, wanted.after, wanted.text, is_live)
            continue
        is_ended = not is_live and (wanted.after is Fate.RETIRED or fact.ending is Ending.WRONG)
        is_replaced = all(folded(text) in texts for text in turn.successors(wanted))
        yield Judgement(Aim.END, wanted.after, wanted.text, is_ended and is_replaced)
