"""Checks of the embedder and the language model: one real call of each."""

from __future__ import annotations

from erstwhile.core.errors import EmbedderError
from erstwhile.core.ports import Embedder, Llm, Prompt
from erstwhile.examining.diagnosis import skip

_ANSWER = {
    "type": "object",
    "properties": {"ready": {"type": "boolean"}},
    "required": ["ready"],
    "additionalProperties": False,
}
_PROMPT = Prompt(
    system="Answer in JSON.", user='Answer {"ready": true}.', schema=_ANSWER, max_tokens=100
)


def check_embedder(embedder: Embedder | None) -> str:
    if embedder is None:
        raise skip("no embedder is chosen: recall uses words alone")
    [vector] = embedder.embed(["ready"])
    if len(vector) != embedder.dimensions or not vector.any():
        raise EmbedderError(f"{embedder.model} returned an unusable vector")
    return f"{embedder.model} answered with {embedder.dimensions} dimensions"


def check_llm(llm: Llm | None) -> str:
    if llm is None:
        raise skip("no language model is chosen: learning uses patterns alone")
    answer = llm.complete(_PROMPT)
    return f"{llm.model} answered, with {answer.output:,} tokens"
