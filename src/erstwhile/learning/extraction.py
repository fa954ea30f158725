"""Extraction: find the candidates of a turn with the language model, or else with patterns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from erstwhile.conversations.conversation import Role
from erstwhile.core.errors import ErstwhileError, LlmError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Completion, Llm, Prompt
from erstwhile.core.tokens import Tokens
from erstwhile.facts.fact import Fact
from erstwhile.learning import extraction_answer, patterns
from erstwhile.learning.attempt import AttemptChange
from erstwhile.learning.candidate import BY_MODEL, Candidate
from erstwhile.learning.extraction_prompt import prompt
from erstwhile.learning.turn import Turn, shortened, shown_before
from erstwhile.recall.request import ANY_RECORD, RecallOptions
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.usage.spending import SpendingBudget

PATTERNS = "patterns"
MOST_PLAIN = 20
"""The highest number of statements that patterns take from one turn. A list is no conversation."""
SHOWN = 30
"""How many facts the model is shown: the most relevant ones."""
_LONGEST_QUESTION = 2_000
_SHORT = 60
"""A message of fewer characters is often an answer: the exchange before tells what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The candidates of a turn, how they were found, and what that cost."""

    candidates: tuple[Candidate, ...] = ()
    refused: tuple[AttemptChange, ...] = ()
    """The proposals that cannot be read as a statement, or are too many."""
    shown: tuple[Fact, ...] = ()
    """The facts that the model was shown."""
    method: str = PATTERNS
    notes: tuple[str, ...] = ()
    """Notes that explain the outcome."""
    model: str = ""
    tokens: Tokens | None = None
    cost: Decimal | None = None
    failure: LlmError | None = None
    at_fault: bool = False
    """Whether this turn caused the failure, and not the model."""

    def failed(self, failure: LlmError, *, at_fault: bool) -> Findings:
        """Return the findings with a failure and without candidates."""
        return replace(self, failure=failure, at_fault=at_fault, candidates=(), refused=())

    def noting(self, *notes: str) -> Findings:
        """Return the findings with more notes."""
        return replace(self, notes=(*self.notes, *notes))


@dataclass(frozen=True, slots=True)
class Extractor:
    """Finds the candidates of turns in one scope."""

    services: Services
    access: Access
    cancelled: Callable[[], bool] = lambda: False

    def extract(self, turn: Turn) -> Findings:
        """Return the candidates of a turn, or the failure of the model."""
        try:
            llm = self.services.llm()
        except ErstwhileError as error:  # such as a missing package or key
            log_failure(__name__, "the language model cannot be created", error=error)
            return Findings(method="none", failure=LlmError(str(error)))
        if llm is None:
            return by_patterns(turn)
        if limit := SpendingBudget(self.access, self.services).reached_limit():
            return by_patterns(turn, limit)
        return self._ask(llm, turn, self.relevant_facts(turn))

    def relevant_facts(self, turn: Turn) -> list[Fact]:
        """Return the live facts that are relevant to a turn, then linked and recent ones."""
        text = turn.spoken_by(Role.USER) or turn.spoken_by(*Role)
        if len(text) < _SHORT:
            text = "\n".join((*(each for _, each in shown_before(turn.before)), text))
        question = shortened(text, _LONGEST_QUESTION)
        hits = self.services.recall.search(
            self.access,
            question,
            ANY_RECORD,
            RecallOptions(limit=SHOWN, graph=True, recent=True),
        )
        return [hit.fact for hit in hits]

    def _ask(self, llm: Llm, turn: Turn, facts: list[Fact]) -> Findings:
        try:
            completion = self.complete(llm, prompt(turn, facts))
        except LlmError as failure:
            log_failure(__name__, "a turn was not read by the language model", error=failure)
            tokens = None if failure.spent == Tokens() else failure.spent
            return self._spent(llm, tokens).failed(failure, at_fault=failure.spent is not None)
        spent = replace(self._spent(llm, completion.tokens), shown=tuple(facts))
        try:
            found = extraction_answer.read(completion.text, turn, facts, llm.model)
        except LlmError as failure:
            log_failure(__name__, "the answer of the language model is unusable", error=failure)
            return spent.failed(failure, at_fault=True)
        return replace(spent, candidates=found.candidates, refused=found.refused, notes=found.notes)

    def ask_again(
        self, llm: Llm, prompt: Prompt, findings: Findings
    ) -> tuple[Findings, str | None]:
        """Ask the model about its own proposals; return the findings with the cost, and the answer.

        The answer is None if there is none: then the rules and the network judge alone.
        """
        budget = SpendingBudget(self.access, self.services)
        if limit := budget.reached_limit():
            return findings.noting(f"not asked again: {limit}"), None
        try:
            completion = self.complete(llm, prompt)
        except LlmError as failure:
            if self.cancelled():
                return findings.failed(failure, at_fault=False), None
            log_failure(__name__, "the language model was not asked again", error=failure)
            more = findings.noting(f"not asked again: {failure.message}")
            return self._spent_more(more, llm, failure.spent or Tokens()), None
        return self._spent_more(findings, llm, completion.tokens), completion.text

    def _spent_more(self, findings: Findings, llm: Llm, more: Tokens) -> Findings:
        tokens = (findings.tokens or Tokens()) + more
        cost = SpendingBudget(self.access, self.services).cost_of(llm.model, tokens)
        return replace(findings, tokens=tokens, cost=cost)

    def complete(self, llm: Llm, prompt: Prompt) -> Completion:
        """Call the model. It may be code of the caller, so every exception becomes an LlmError."""
        try:
            completion = llm.complete(prompt, self.cancelled)
            _ = completion.tokens, "" + completion.text  # raises if it is not a Completion
        except LlmError:
            raise
        except Exception as error:
            raise LlmError(
                f"the language model failed with {type(error).__name__}", retryable=False
            ) from error
        return completion

    def _spent(self, llm: Llm, tokens: Tokens | None) -> Findings:
        """Return findings with the cost of a call; `tokens` is None if the call failed."""
        budget = SpendingBudget(self.access, self.services)
        return Findings(
            method=f"{BY_MODEL}{llm.model}",
            model=llm.model,
            tokens=tokens,
            cost=None if tokens is None else budget.cost_of(llm.model, tokens),
        )


def by_patterns(turn: Turn, *notes: str) -> Findings:
    """Return the candidates that patterns find, without a model."""
    found = patterns.candidates(turn)
    if len(found) > MOST_PLAIN:
        notes = (*notes, f"{len(found) - MOST_PLAIN} statements above {MOST_PLAIN} were left out")
    return Findings(candidates=tuple(found[:MOST_PLAIN]), notes=notes)
