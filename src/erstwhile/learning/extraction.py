"""Looking through a turn: by the language model if it may be asked, else by patterns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import ErstwhileError, LlmError
from erstwhile.core.ports import Completion, Llm
from erstwhile.core.tokens import Tokens
from erstwhile.facts.fact import Fact
from erstwhile.learning import extract, patterns
from erstwhile.learning import extraction_answer as extracted
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.shortening import shortened
from erstwhile.learning.turn import Turn
from erstwhile.recall.hits import Options
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.usage.spending import SpendingBudget

PATTERNS = "patterns"
SHOWN = 30
"""Facts that the model is shown: those that have most to do with the turn."""
_LONGEST_QUESTION = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found in a turn, by what, and what that took."""

    candidates: tuple[Candidate, ...] = ()
    shown: tuple[str, ...] = ()
    """Ids of the facts that the model was shown."""
    method: str = PATTERNS
    notes: tuple[str, ...] = ()
    """What somebody who wonders about the outcome should know."""
    model: str = ""
    tokens: Tokens | None = None
    cost: Decimal | None = None
    failure: LlmError | None = None
    at_fault: bool = False
    """Whether the failure is about this turn, and not about the model."""

    def failed(self, failure: LlmError, *, at_fault: bool) -> Findings:
        """The same, of which nothing can be made."""
        return replace(self, failure=failure, at_fault=at_fault, candidates=())


def look(
    services: Services, access: Access, turn: Turn, cancelled: Callable[[], bool] = lambda: False
) -> Findings:
    """The candidates of a turn. A model that fails is told of, and not hidden."""
    try:
        llm = services.llm()
    except ErstwhileError as error:  # such as a package or a key that is not there
        return Findings(method="none", failure=LlmError(str(error)))
    if llm is None:
        return by_patterns(turn)
    budget = SpendingBudget(access, services)
    if full := budget.reached_limit():
        return by_patterns(turn, full)
    facts = relevant(services, access, turn)
    try:
        completion = _asked(llm, turn, facts, cancelled)
    except LlmError as failure:
        took = None if failure.spent == Tokens() else failure.spent
        return _spent(budget, llm, took).failed(failure, at_fault=failure.spent is not None)
    spent = replace(_spent(budget, llm, completion.tokens), shown=tuple(fact.id for fact in facts))
    return _read(spent, completion.text, turn, facts, access.clock.now())


def by_patterns(turn: Turn, *notes: str) -> Findings:
    """What can be found without a model."""
    return Findings(candidates=tuple(patterns.candidates(turn)), notes=notes)


def relevant(services: Services, access: Access, turn: Turn) -> list[Fact]:
    """The live facts that have to do with the turn, however old; then linked and recent ones."""
    said = turn.spoken_by(Role.USER) or turn.spoken_by(*Role)
    question = shortened(said, _LONGEST_QUESTION)
    hits = services.search.recall(
        access, question, {}, Options(limit=SHOWN, graph=True, recent=True)
    )
    return [hit.fact for hit in hits]


def _asked(llm: Llm, turn: Turn, facts: list[Fact], cancelled: Callable[[], bool]) -> Completion:
    """A model is somebody else's code: whatever goes wrong in it becomes an LlmError."""
    try:
        completion = extract.ask(llm, turn, facts, cancelled)
        _ = completion.tokens, completion.text.isspace()  # is it what it should be?
    except LlmError:
        raise
    except Exception as error:
        raise LlmError(
            f"the language model failed with {type(error).__name__}", retryable=False
        ) from error
    return completion


def _read(spent: Findings, answer: str, turn: Turn, facts: list[Fact], now: datetime) -> Findings:
    """With what the model found; an answer that cannot be used is the turn's fault."""
    try:
        found, notes = extracted.read(answer, turn, facts, spent.model, now)
    except LlmError as failure:
        return spent.failed(failure, at_fault=True)
    return replace(spent, candidates=tuple(found), notes=tuple(notes))


def _spent(budget: SpendingBudget, llm: Llm, tokens: Tokens | None) -> Findings:
    """A call of the model, if it was answered: no tokens mean that it was not."""
    return Findings(
        method=f"llm:{llm.model}",
        model=llm.model,
        tokens=tokens,
        cost=None if tokens is None else budget.cost_of(llm.model, tokens),
    )
