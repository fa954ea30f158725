"""One summary of some messages: by a language model if there is one, else by choosing sentences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from erstwhile.adapters.llm.answers import parse
from erstwhile.context.key_sentences import cut, telling
from erstwhile.conversations.conversation import Message
from erstwhile.core.errors import LlmError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Llm, Prompt
from erstwhile.core.text import encodable
from erstwhile.core.tokens import Tokens
from erstwhile.secrets.masking import mask_text
from erstwhile.usage.spending import SpendingBudget

LONGEST = 1_200
"""Characters of a summary."""
_SHOWN = 24_000
"""Characters that a model is shown of the messages; of more, the most telling."""
_MOST_TOKENS = 1_000
_NOTHING = "…"
_PROMPT = Path(__file__).parent / "prompts" / "summarise.md"
_SCHEMA = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}


def summed_up(messages: Sequence[Message], llm: Llm | None, budget: SpendingBudget) -> str:
    """What they say, in short. Where the model fails, sentences are chosen: it costs one try."""
    written = "" if llm is None else _written(messages, llm, budget)
    summary = written or telling(messages, LONGEST) or _NOTHING
    return cut(mask_text(summary), LONGEST)


def _written(messages: Sequence[Message], llm: Llm, budget: SpendingBudget) -> str:
    """What the model says, or nothing."""
    shown = mask_text(telling(messages, _SHOWN)).replace("</conversation", "< /conversation")
    prompt = Prompt(
        system=_system(),
        user=f"<conversation>\n{shown}\n</conversation>",
        schema=_SCHEMA,
        max_tokens=_MOST_TOKENS,
    )
    try:
        answer = llm.complete(prompt)
    except LlmError as failure:
        log_failure(__name__, "a summary is made without the language model", error=failure)
        if failure.spent not in (None, Tokens()):
            budget.record(llm.model, failure.spent)
        return ""
    except Exception as error:  # a model is foreign code, and a prompt must not fail with it
        log_failure(__name__, "a summary is made without the language model", error=error)
        return ""
    budget.record(llm.model, answer.tokens)
    return _summary_in(answer.text)


def _summary_in(text: str) -> str:
    """What stands in the answer, if it has the shape that was asked for and can be stored."""
    try:
        summary: str = parse(text, _SCHEMA)["summary"]
    except LlmError as error:
        log_failure(__name__, "the summary of the language model is unusable", error=error)
        return ""
    return "" if "\0" in summary or not encodable(summary) else summary.strip()


@cache
def _system() -> str:
    return _PROMPT.read_text("utf-8").replace("{{longest}}", f"{LONGEST:,}")
