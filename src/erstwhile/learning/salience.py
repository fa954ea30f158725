"""Salience: decide whether a turn may contain something to remember, before a model is asked.

A needless call costs little, but a missed fact is lost. So a turn is skipped only if it is
certainly empty: blank, greetings, thanks, orders without content, pasted code or logs. A question
is read, because it may state a fact: "What should my wife Anna take for a cold?"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from erstwhile.conversations.conversation import Role
from erstwhile.core.text import without_memory
from erstwhile.learning.turn import Turn, is_machine_text, without_code
from erstwhile.search.passages import sentence_spans
from erstwhile.search.speech import speaks_of_user


@dataclass(frozen=True, slots=True)
class Salience:
    """Whether a turn may contain something to remember; `reason` names the rule that decided."""

    durable: bool
    reason: str


ALWAYS = Salience(True, "every turn is read")
"""The result if salience is switched off."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_QUESTION = re.compile(r"[?？؟]\W*$|(?:[吗嗎]|ですか|ますか)\W*$")
_END = 200
"""The characters at the end of a message in which a question is looked for."""


def salience(turn: Turn) -> Salience:
    """Judge the lines of the user. A short answer to a question of the assistant is read."""
    found = [_judge(line.text) for line in turn.lines if line.role is Role.USER]
    if durable := [each for each in found if each.durable]:
        return durable[0]
    asked = [line.text for line in turn.before if line.role is Role.ASSISTANT]
    if found and asked and _QUESTION.search(asked[-1][-_END:]):
        return Salience(True, "answer to a question")
    return found[-1] if found else Salience(False, "nothing said")


def is_small_talk(text: str) -> bool:
    """Return whether a text is only a greeting, thanks, assent or an order without content."""
    words, unspaced = _small_talk()
    said = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    return all(word in words or unspaced.fullmatch(word) for word in said)


def stands_alone(text: str) -> bool:
    """Return whether at most one sentence neither speaks of the user nor is small talk.

    Beside an order, another sentence may say whose words it is: "Tom speaking. Always …".
    """
    said = (text[start:end] for start, end in sentence_spans(text))
    return sum(not (speaks_of_user(each) or is_small_talk(each)) for each in said) <= 1


def _judge(text: str) -> Salience:
    """Judge one message; the first sentence with content decides."""
    if not _WORD.search(without_memory(text)):
        return Salience(False, "nothing said")
    reason = "code or logs only"
    for sentence in filter(_WORD.search, _sentences(text)):
        if not is_small_talk(sentence):
            return Salience(True, "question" if _QUESTION.search(sentence) else "statement")
        reason = "small talk"
    return Salience(False, reason)


def _sentences(text: str) -> Iterator[str]:
    # A block of code without an end may not be a block, so it is read.
    said = without_memory(text) if text.count("```") % 2 else without_code(text)
    lines = said.split("\n")
    pasted = {line for line in lines if line.strip() and is_machine_text(line)}
    if len(pasted) > 1:  # a single line of this kind may be a sentence
        lines = [line for line in lines if line not in pasted]
    for line in lines:
        yield from (line[start:end] for start, end in sentence_spans(line))


@cache
def _small_talk() -> tuple[frozenset[str], re.Pattern[str]]:
    file = Path(__file__).with_name("salience.toml")
    known = tomllib.loads(file.read_text("utf-8"))
    longest_first = sorted(map(re.escape, known["unspaced"]), key=len, reverse=True)
    # Possessive, so that many repetitions do not take for ever.
    return frozenset(known["words"]), re.compile(f"(?:{'|'.join(longest_first)})++")
