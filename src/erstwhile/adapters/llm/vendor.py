"""The base of all language models that are called through a vendor's package."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum, auto
from functools import partial
from typing import Any, ClassVar

from erstwhile.adapters.llm.failures import broken_off, cut_off, declined, silent
from erstwhile.adapters.llm.refusals import Refusals
from erstwhile.adapters.llm.server import Server, Vendor
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Completion, Prompt
from erstwhile.core.tokens import MAX_TOKENS, Tokens

TIMEOUT = 120.0
"""Seconds for one answer. A small model on a small machine may need most of them."""


class StopReason(Enum):
    """The reason why an answer is incomplete."""

    CUT_OFF = auto()
    DECLINED = auto()
    BROKEN_OFF = auto()


class VendorLlm(ABC):
    """A language model that is called through its vendor's package."""

    _vendor: ClassVar[Vendor]
    _refusable: ClassVar[Mapping[str, re.Pattern[str]]]
    """The optional parameters, with the words by which servers refuse them."""
    _endings: ClassVar[Mapping[str, StopReason]]
    """The words by which servers name a stop reason, in lower case."""

    def __init__(self, model: str, base_url: str = "", timeout: float = TIMEOUT) -> None:
        if not model.strip():
            raise InvalidInputError("the model's name is blank", remedy="give it after the colon")
        self.model = model
        self._server = Server(self._vendor, base_url, timeout)
        self._refusals = Refusals(self._refusable)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.model} at {self._server.place}>"

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        def question(client: Any) -> Completion:
            answer = self._refusals.ask(partial(self._arguments, prompt), self._create(client))
            completion, ending = self._read(answer)
            return self._whole(_counted(completion, prompt), ending)

        return self._server.ask(question, cancelled)

    def _whole(self, completion: Completion, ending: object) -> Completion:
        """Return the answer. Raise LlmError if it is empty or incomplete."""
        place = self._server.place
        match self._endings.get(str(ending).lower()):
            case StopReason.CUT_OFF:
                raise cut_off(place, completion.tokens)
            case StopReason.DECLINED:
                raise declined(place, completion.tokens)
            case StopReason.BROKEN_OFF:
                raise broken_off(place, completion.tokens)
        if not completion.text.strip():
            raise silent(place, completion.tokens)
        return completion

    @abstractmethod
    def _create(self, client: Any) -> Callable[..., Any]:
        """Return the method of the vendor's client that creates an answer."""

    @abstractmethod
    def _arguments(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
        """Return the arguments of that method, without the refused ones."""

    @abstractmethod
    def _read(self, answer: Any) -> tuple[Completion, object]:
        """Return the completion, and the server's word for its stop reason."""


def token_count(usage: object, name: str) -> int:
    """Return a count that a server gives; 0 if it is missing or impossible."""
    value = getattr(usage, name, None)
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 <= value <= MAX_TOKENS else 0


def _counted(completion: Completion, prompt: Prompt) -> Completion:
    """Estimate the tokens if the server counts none: a limit must hold there, too."""
    if completion.tokens != Tokens():
        return completion
    # Imported here: most servers count.
    from erstwhile.adapters.tokenizers.estimate import EstimatingTokenizer

    count = EstimatingTokenizer().count
    return replace(
        completion, input=count(prompt.system) + count(prompt.user), output=count(completion.text)
    )
