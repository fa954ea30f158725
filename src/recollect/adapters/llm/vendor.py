"""What the models of all vendors have in common: what is asked and answered differs, no more."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from recollect.adapters.llm.refusals import Refusals
from recollect.adapters.llm.server import Server, Vendor
from recollect.model.errors import InvalidInputError
from recollect.ports import Completion, Prompt

TIMEOUT = 120.0
"""Seconds for one answer: a small model on a small machine may need most of them."""


class VendorLlm(ABC):
    """A model that is asked through its vendor's package."""

    _vendor: ClassVar[Vendor]
    _refusable: ClassVar[Mapping[str, re.Pattern[str]]]
    """The parameters that it can do without, with the words by which servers refuse them."""

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
            asked = partial(self._asked, prompt)
            return self._completion(self._refusals.ask(asked, self._create(client)), prompt)

        return self._server.ask(question, cancelled)

    @abstractmethod
    def _create(self, client: Any) -> Callable[..., Any]:
        """The call of the vendor's client that gives an answer."""

    @abstractmethod
    def _asked(self, prompt: Prompt, refused: frozenset[str]) -> dict[str, Any]:
        """The arguments of that call, without the refused ones."""

    @abstractmethod
    def _completion(self, answer: Any, prompt: Prompt) -> Completion:
        """The text of an answer, if it is whole."""
