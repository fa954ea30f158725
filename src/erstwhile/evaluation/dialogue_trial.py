"""Play dialogues in temporary memories, and judge the facts that are live at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from erstwhile.adapters.embedders.registry import DEFAULT
from erstwhile.bootstrap import open as open_memory
from erstwhile.core.kinds import Ending, State
from erstwhile.core.settings import Settings
from erstwhile.core.text import folded
from erstwhile.evaluation.dialogue_report import (
    DialogueReport,
    DialogueResult,
    Fault,
    dialogue_report,
)
from erstwhile.evaluation.dialogues import (
    Dialogue,
    DialogueTurn,
    Learner,
    read_dialogues,
)
from erstwhile.evaluation.progress import Tell
from erstwhile.evaluation.simulated_model import answering
from erstwhile.facts.fact import Fact
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm

_ALL = 500
"""More facts than a dialogue has."""


def run_dialogues(
    dialogues: Sequence[Dialogue] | None = None,
    learners: Sequence[Learner] = tuple(Learner),
    tell: Tell = lambda _: None,
) -> DialogueReport:
    """Play each dialogue with each learner, in a memory of its own, and score the facts."""
    chosen = read_dialogues() if dialogues is None else dialogues
    played = list[DialogueResult]()
    for learner in learners:
        for dialogue in chosen:
            tell(f"Playing {dialogue.id} ({learner})")
            played.append(play(dialogue, learner))
    return dialogue_report(played, learners)


def play(dialogue: Dialogue, learner: Learner) -> DialogueResult:
    """Play one dialogue; each has its own memory, because time does not go backwards in one."""
    clock, llm = FakeClock(dialogue.turns[0].said_at), ScriptedLlm()
    with open_memory(
        ":memory:",
        settings=Settings(),
        embedder=DEFAULT,
        llm="none" if learner is Learner.PATTERNS else llm,
        clock=clock,
    ) as memory:
        user = memory.scoped(user=dialogue.id)
        *earlier, live = [_observed(user, turn, learner, llm, clock) for turn in dialogue.turns]
        retired = list(user.facts.list(state=State.RETIRED, limit=_ALL))
    return DialogueResult(
        dialogue=dialogue,
        learner=learner,
        faults=frozenset(_faults(dialogue, earlier, live, retired)),
        live=tuple(live),
        retired=tuple(f"{fact.text} ({fact.ending})" for fact in retired),
    )


def _observed(
    user: Memory, turn: DialogueTurn, learner: Learner, llm: ScriptedLlm, clock: FakeClock
) -> list[str]:
    """Learn from a turn, and return the texts of the live facts after it."""
    clock.set(max(turn.said_at, clock.advance(minutes=1)))
    llm.script.clear()
    if learner in turn.answers:
        llm.script.append(answering(turn.answers[learner]))
    user.observe_turn(turn.user, turn.assistant, said_at=clock.now(), wait=True)
    return [fact.text for fact in user.facts.list(limit=_ALL)]


def _faults(
    dialogue: Dialogue, earlier: Sequence[Sequence[str]], live: Sequence[str], retired: list[Fact]
) -> Iterator[Fault]:
    for group in dialogue.live:
        if not _has(live, group):
            was = any(_has(texts, group) for texts in earlier)
            yield Fault.WRONGLY_RETIRED if was else Fault.MISSED
    for part in dialogue.not_live:
        if _has(live, [part]):
            was = any(_has(texts, [part]) for texts in earlier)
            yield Fault.STALE if was else Fault.BELIEVED
    otherwise = [fact.text for fact in retired if fact.ending is not Ending.WRONG]
    if _has(otherwise, dialogue.wrong):
        yield Fault.ENDED_OTHERWISE


def _has(texts: Iterable[str], parts: Iterable[str]) -> bool:
    """Return whether one of the parts is in one of the texts."""
    wanted = [folded(part) for part in parts]
    return any(part in folded(text) for text in texts for part in wanted)
