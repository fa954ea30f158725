"""A language model judges what the rules left open. It is held to who may retire what, as they are.

Both texts are shown as lines of JSON, so that nothing in them can end the place where they stand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from recollect.model.change import Act, Change
from recollect.model.fact import Fact
from recollect.model.kinds import Origin
from recollect.pipeline.reconcile.authority import objection
from recollect.pipeline.reconcile.comparing import differ_in_values
from recollect.ports import Llm, Prompt

Parse: TypeAlias = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Reads an answer as an object of the shape that a schema asks for; LlmError if it is none."""

_PROMPT = Path(__file__).parents[1] / "prompts" / "judge.md"


class Verdict(StrEnum):
    SAME = "same"
    REPLACES = "replaces"
    BOTH = "both"
    UNSURE = "unsure"


_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "verdict": {"type": "string", "enum": list(Verdict)},
                },
                "required": ["id", "verdict"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}


def judge(llm: Llm, change: Change, parse: Parse) -> Change:
    """A conflict as a model sees it; any other change as it is. LlmError if there is no answer.

    Of what a model says to be replaced, the candidate names the ids: who applies the change later
    can reconcile it again, and the claim is verified once more.
    """
    if change.act is not Act.CONFLICT:
        return change
    answer = parse(llm.complete(prompt(change)).text, _SCHEMA)
    said = {each["id"]: Verdict(each["verdict"]) for each in answer["verdicts"]}
    verdicts = {fact.id: _held_to_the_rules(change, fact, said) for fact in change.facts}
    return _judged(change, verdicts)


def prompt(change: Change) -> Prompt:
    rules, _, question = _written().partition("\n---\n")
    facts = "\n".join(_as_data({"id": fact.short_id, "text": fact.text}) for fact in change.facts)
    statement = _as_data({"text": change.candidate.text})
    shown = question.replace("{{facts}}", facts, 1).replace("{{statement}}", statement, 1)
    return Prompt(system=rules.strip(), user=shown.strip(), schema=_SCHEMA, max_tokens=500)


def _judged(change: Change, verdicts: Mapping[str, Verdict]) -> Change:
    of = {
        verdict: tuple(fact for fact in change.facts if verdicts[fact.id] is verdict)
        for verdict in Verdict
    }
    if replaced := of[Verdict.REPLACES]:
        named = replace(change.candidate, replaces=tuple(fact.id for fact in replaced))
        return _by_a_model(change, Act.SUPERSEDE, replaced, candidate=named)
    if same := of[Verdict.SAME]:
        return _by_a_model(change, Act.REPEAT, same[:1])
    if doubtful := of[Verdict.UNSURE]:
        return replace(change, facts=doubtful)
    return _by_a_model(change, Act.ADD, ())


def _by_a_model(change: Change, act: Act, facts: tuple[Fact, ...], **given: Any) -> Change:
    because = f"a model judged: {change.because}"
    return replace(change, act=act, facts=facts, because=because, **given)


def _held_to_the_rules(change: Change, fact: Fact, said: Mapping[str, Verdict]) -> Verdict:
    """What the model says of a fact, as far as it may; of what it leaves out it is unsure."""
    verdict, candidate = said.get(fact.short_id, Verdict.UNSURE), change.candidate
    if verdict is Verdict.REPLACES and objection(candidate, fact, current=False):
        return Verdict.UNSURE
    echo = candidate.origin is Origin.AGENT
    if verdict is Verdict.SAME and (echo or differ_in_values(candidate.text, fact.text)):
        return Verdict.UNSURE
    return verdict


def _as_data(value: Mapping[str, str]) -> str:
    """On one line, and without what could be taken for the mark at the end of the data."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


@cache
def _written() -> str:
    return _PROMPT.read_text("utf-8")
