"""A language model whose calls are kept in a file, so that a run can go on or be repeated."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

from erstwhile.adapters.llm.retrying import RetryingLlm
from erstwhile.adapters.registry import resolve_llm
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.ports import Completion, Prompt
from erstwhile.usage.prices import load_prices


class KeptLlm:
    """A model by its name in the settings. Asked the same again, it answers from the file."""

    def __init__(self, spec: str, base_url: str, file: Path) -> None:
        llm = resolve_llm(spec, base_url=base_url)
        if llm is None:
            raise InvalidInputError("questions need a language model", remedy="use openai:MODEL")
        self._llm, self._file = RetryingLlm(llm), file
        self._price = load_prices().find(llm.model)
        self._kept = {each["key"]: each["completion"] for each in _lines(file)}
        self.model = llm.model
        self.calls = self.paid = 0
        """All calls, and those that were not in the file."""
        self.cost = None if self._price is None else Decimal(0)
        """The dollars of all calls, also of those that are in the file."""

    def ask(self, system: str, user: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer, an object of the schema."""
        key = sha256(json.dumps([self.model, system, user, schema]).encode()).hexdigest()
        self.calls += 1
        if key not in self._kept:
            prompt = Prompt(system=system, user=user, schema=schema, max_tokens=1_000)
            self._keep(key, self._llm.complete(prompt))
        completion = Completion(**self._kept[key])
        if self._price is not None and self.cost is not None:
            self.cost += self._price.cost(completion.tokens)
        answer: dict[str, Any] = json.loads(completion.text)
        return answer

    def _keep(self, key: str, completion: Completion) -> None:
        json.loads(completion.text)  # what cannot be read is not kept
        self.paid += 1
        self._kept[key] = asdict(completion)
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"key": key, "completion": self._kept[key]}) + "\n")


def _lines(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    return list(map(json.loads, filter(None, file.read_text("utf-8").splitlines())))
