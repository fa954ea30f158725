"""What the models of all vendors have in common: what is asked and answered differs, no more."""

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
from erstwhile.core.tokens import Tokens

TIMEOUT = 120.0
"""Seconds for one answer: a small model on a small machine may need most of them."""


class Ending(Enum):
    """How an answer ends that is not whole."""

    CUT_OFF = auto()
    DECLINED = auto()
    BROKEN_OFF = auto()


class VendorLlm(ABC):
    """A model that is asked through its vendor's package."""

    _vendor: ClassVar[Vendor]
    _refusable: ClassVar[Mapping[str, re.Pattern[str]]]
    """The parameters that it can do without, with the words by which servers refuse them."""
    _endings: ClassVar[Mapping[str, Ending]]
    """The words by which servers say that an answer is not whole, in small letters."""

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
            answer = self._refusals.ask(partial(self._asked, prompt), self._create(client))
            said, ending = self._read(answer)
            return self._whole(_counted(said, prompt), ending)

        return self._server.ask(question, cancelled)

    def _whole(self, said: Completion, ending: object) -> Completion:
        """The answer, unless it is none, or only a part of one."""
        place = self._server.place
        match self._endings.get(str(ending).lower()):
            case Ending.CUT_OFF:
                raise cut_off(place, said.tokens)
            case Ending.DECLINED:
                raise declined(place, said.tokens)
            case Ending.BROKEN_OFF:
                raise broken_off(place, said.tokens)
        if not said.text.strip():
            raise silent(place, said.tokens)
        return said

    @abstractmethod
    def _create(self, client: Any) -> Callable[..., Any]:
        """The call of the vendor's client that gives an answer."""

    @abstractmethod
    def _asked(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
        """The arguments of that call, without the refused ones."""

    @abstractmethod
    def _read(self, answer: Any) -> tuple[Completion, object]:
        """What was said and what it took; and the server's word for how it ended."""


def _counted(said: Completion, prompt: Prompt) -> Completion:
    """Some servers count nothing. A limit must hold there, too, so what they took is estimated."""
    if said.tokens != Tokens():
        return said
    # Loaded here: most servers count.
    from erstwhile.adapters.tokenizers.estimate import EstimatingTokenizer

    count = EstimatingTokenizer().count
    return replace(said, input=count(prompt.system) + count(prompt.user), output=count(said.text))
