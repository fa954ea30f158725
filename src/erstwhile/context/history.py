"""The current conversation in a context: its last messages, and summaries of those before.

With `overflow="summarise"`, messages that do not fit are summarised once, by a language model or by
their key sentences, and the summary is stored. A summary covers all messages except the last ones
that fit into half of the room. So a new message rarely causes a new summary. The messages stay, and
are shown wherever they fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import heapify, heappop, heapreplace
from math import log
from pathlib import Path
from typing import NamedTuple

from erstwhile.adapters.llm.answers import parse
from erstwhile.conversations.conversation import Compaction, Conversation, Message, Role
from erstwhile.conversations.messages import compact, compactions_of, last_messages
from erstwhile.conversations.table import ConversationTable
from erstwhile.core.errors import ErstwhileError, LlmError
from erstwhile.core.logs import log_failure
from erstwhile.core.ports import Llm, Prompt, Tokens
from erstwhile.core.results import NEWEST
from erstwhile.core.text import encodable, without_memory
from erstwhile.search.passages import sentence_spans
from erstwhile.search.terms import query_terms
from erstwhile.secrets.masking import mask_text
from erstwhile.services import Services
from erstwhile.storage.access import Access
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View
from erstwhile.usage.collection import SpendingBudget

_PAGE = 50
_MAX_TOKEN = 8
"""The characters of a token, at most, when it is estimated how many messages may fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The last messages of a conversation, as many as may fit, and the stored summaries.

    A summary is used only for messages that do not fit: with more room they are there again.
    """

    conversation: Conversation
    messages: Sequence[Message]
    compactions: Sequence[Compaction]

    @property
    def covered(self) -> int:
        """The last position that a summary covers."""
        return self.compactions[-1].last if self.compactions else 0

    def has_uncovered(self, shown: Collection[str]) -> bool:
        """Return whether a message is neither shown nor covered by a stored summary."""
        first = self.messages[0].position if self.messages else 0
        unread = len(self.messages) < self.conversation.messages
        return (unread and first > self.covered + 1) or any(
            each.position > self.covered and each.id not in shown for each in self.messages
        )

    def needs(self, summary: Compaction, shown: Collection[str]) -> bool:
        """Return whether a summary stands for a message that is not shown."""
        inside = [
            each.id in shown
            for each in self.messages
            if summary.first <= each.position <= summary.last
        ]
        unread = len(self.messages) < self.conversation.messages
        return not all(inside) or (unread and summary.first < self.messages[0].position)

    def omitted(self, shown: Collection[str]) -> int:
        """Count the messages that are neither quoted nor summarised."""
        covered = [each for each in self.compactions if each.id in shown]
        read = [
            each
            for each in self.messages
            if each.id not in shown
            if not any(part.first <= each.position <= part.last for part in covered)
        ]
        first = self.messages[0].position if self.messages else NEWEST
        inside = sum(min(each.last + 1, first) - min(each.first, first) for each in covered)
        return len(read) + max(self.conversation.messages - len(self.messages) - inside, 0)


def read_history(
    view: View, conversation: Conversation, tokens: int, until: datetime | None = None
) -> History:
    """Read the last messages, or the last ones said up to a date, until more than fit are read."""
    messages: list[Message] = []
    before, characters = NEWEST, 0
    while characters <= tokens * _MAX_TOKEN:
        page = last_messages(view, conversation.id, limit=_PAGE, before=before)
        messages[:0] = [each for each in page if until is None or each.said_at <= until]
        if len(page) < _PAGE:
            break
        before = page[0].position
        characters += sum(len(each.content) for each in page)
    compactions = compactions_of(view, conversation.id)
    if until is not None:
        count = messages[-1].position if messages else 0
        conversation = replace(conversation, messages=count)
        compactions = [each for each in compactions if each.last <= count]
    return History(conversation=conversation, messages=messages, compactions=compactions)


_READ = 4_000
"""The characters that are read of a message."""
_MAX_LENGTH = 280
"""The most characters of a sentence; a longer one is cut."""
_USUAL = 12
"""The usual number of different words of a sentence, for length normalisation."""
_FEW = 3
"""A sentence with fewer words is likely a phrase, such as a greeting."""
_ONCE = 0.65
"""Added to the count of messages, so that a word of one message counts: it may be a name."""
_SPEAKERS = (Role.USER, Role.ASSISTANT)


class _Sentence(NamedTuple):
    message: int
    """The index of its message."""
    text: str
    cost: int
    """The characters of its line, with the role."""
    terms: Sequence[str]


def key_sentences(messages: Sequence[Message], max_chars: int) -> str:
    """Return one line for each message with key sentences, in at most `max_chars` characters.

    Only messages of users and assistants count, unless there are none.
    """
    dialogue = [each for each in messages if each.role in _SPEAKERS] or messages
    sentences = [part for at, each in enumerate(dialogue) for part in _sentences(at, each)]
    lines: dict[int, str] = {}
    for at in sorted(_select(sentences, max_chars)):
        place, text = sentences[at].message, sentences[at].text
        before = lines.get(place, f"{dialogue[place].role}:")
        lines[place] = f"{before} {text}"
    return "\n".join(lines.values())


def shorten(text: str, longest: int) -> str:
    """Return a text cut to `longest` characters, with an ellipsis if it was longer."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _sentences(at: int, message: Message) -> Iterator[_Sentence]:
    content = without_memory(message.content)[:_READ]
    for start, end in sentence_spans(content):
        text = shorten(" ".join(content[start:end].split()), _MAX_LENGTH)
        if text:
            cost = len(f"{message.role}: {text}\n")
            yield _Sentence(at, text, cost, query_terms(text))


def _select(sentences: Sequence[_Sentence], room: int) -> list[int]:
    """Return the places of the best sentences that fit. A score can only fall in the loop."""
    # The weight of a word is the logarithm of the number of messages with it.
    held = {(each.message, term): None for each in sentences for term in each.terms}
    counts = Counter(term for _, term in held)
    weights = {term: log(count + _ONCE) for term, count in counts.items()}
    covered = set[str]()
    heap = [(-_score(each, weights, covered), at) for at, each in enumerate(sentences)]
    heapify(heap)
    chosen: list[int] = []
    while heap and room > 0:
        before, at = heap[0]
        score = _score(sentences[at], weights, covered)
        if score < -before:
            heapreplace(heap, (-score, at))
            continue
        heappop(heap)
        if sentences[at].cost <= room:
            chosen.append(at)
            room -= sentences[at].cost
            covered.update(sentences[at].terms)
    return chosen


def _score(sentence: _Sentence, weights: Mapping[str, float], covered: AbstractSet[str]) -> float:
    terms, count = sentence.terms, max(len(sentence.terms), 1)
    total = sum(weights[term] for term in terms) / (1 + count / _USUAL)
    new = sum(term not in covered for term in terms) / count
    return total * new * count**2 / (count**2 + _FEW**2)


MAX_LENGTH = 1_200
"""The most characters of a summary."""
_SHOWN = 24_000
"""The characters of messages that a model gets; of longer messages, the key sentences."""
_MAX_TOKENS = 1_000
_NO_TEXT = "…"
_PROMPT = Path(__file__).parent / "prompts" / "summarise.md"
_SCHEMA = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}
_ALL = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Summaries:
    """Creates and stores summaries of messages that do not fit."""

    access: Access
    services: Services

    @property
    def budget(self) -> SpendingBudget:
        """The daily limit on language model calls."""
        return SpendingBudget(self.access, self.services)

    def summarise(self, history: History, room: int, costs: Mapping[str, int]) -> History:
        """Return the history with a summary of older messages, if some fit nowhere else.

        `room` has the tokens of the messages that are shown, `costs` those of each by its id. A
        conversation of another scope stays unchanged: the viewer does not own it.
        """
        viewer, conversation = self.access.viewer, history.conversation
        is_foreign = viewer.everything or viewer.scope != conversation.scope
        if is_foreign or not history.messages or not history.has_uncovered(costs):
            return history
        kept = fitting(history.messages, room // 2, costs) or history.messages[-1:]
        older = self.access.ask(lambda view: _range(view, history, before=kept[0].position))
        if not older:
            return history
        llm = self._model()
        text = "" if llm is None else _llm_summary(older, llm, self.budget)
        text = text or key_sentences(older, MAX_LENGTH) or _NO_TEXT
        summary = shorten(mask_text(text), MAX_LENGTH)
        # Our model wrote the summary, also if an agent asked.
        ours = self.access.seen_by(replace(viewer, name=viewer.actor, person=True))
        ours.change(lambda unit: self._store(unit, history, older, summary))
        stored = self.access.ask(lambda view: compactions_of(view, conversation.id))
        return replace(history, compactions=stored)

    def _model(self) -> Llm | None:
        """Return the language model, or None if it is missing, broken or over the daily limit."""
        try:
            llm = self.services.llm()
        except ErstwhileError as error:  # such as a missing key: a prompt must not fail with it
            log_failure(__name__, "the language model cannot be created", error=error)
            return None
        return None if llm is None or self.budget.reached_limit() else llm

    def _store(self, unit: Unit, history: History, older: Sequence[Message], summary: str) -> None:
        """Store a summary, unless its messages changed or another process stored one meanwhile."""
        table = ConversationTable(self.services.idle)
        found = table.find_own(unit, history.conversation.id)
        covered = [each.id for each in compactions_of(unit, found.id)]
        if covered != [each.id for each in history.compactions]:
            return
        if _range(unit, history, before=older[-1].position + 1) == list(older):
            compact(unit, found, summary, older[-1])


def _range(view: View, history: History, *, before: int) -> list[Message]:
    """Return the messages without a summary, up to a position."""
    id, after = history.conversation.id, history.covered
    return last_messages(view, id, limit=_ALL, after=after, before=before)


def fitting(messages: Sequence[Message], room: int, costs: Mapping[str, int]) -> Sequence[Message]:
    """Return the last messages that fit, without a gap; one without a cost does not fit."""
    first = len(messages)
    while first and (cost := costs.get(messages[first - 1].id, room + 1)) <= room:
        room -= cost
        first -= 1
    return messages[first:]


def _llm_summary(messages: Sequence[Message], llm: Llm, budget: SpendingBudget) -> str:
    """Return the summary of the language model; empty if it fails."""
    shown = mask_text(key_sentences(messages, _SHOWN)).replace("</conversation", "< /conversation")
    prompt = Prompt(
        system=_PROMPT.read_text("utf-8").replace("{{longest}}", f"{MAX_LENGTH:,}"),
        user=f"<conversation>\n{shown}\n</conversation>",
        schema=_SCHEMA,
        max_tokens=_MAX_TOKENS,
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
    return _parsed_summary(answer.text)


def _parsed_summary(text: str) -> str:
    """Return the summary in an answer; empty if the answer is invalid or cannot be stored."""
    try:
        summary: str = parse(text, _SCHEMA)["summary"]
    except LlmError as error:
        log_failure(__name__, "the summary of the language model is unusable", error=error)
        return ""
    return "" if "\0" in summary or not encodable(summary) else summary.strip()
