"""Recognise the format of a file with questions, and read it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from erstwhile.core.errors import InvalidInputError
from erstwhile.evaluation.beam import read_beam
from erstwhile.evaluation.haystack import Haystack, QuestionSet, Way
from erstwhile.evaluation.locomo import read_locomo
from erstwhile.evaluation.longmemeval import read_longmemeval
from erstwhile.evaluation.madial import read_madial
from erstwhile.evaluation.paraphrases import read_paraphrases

Samples: TypeAlias = Sequence[Mapping[str, Any]]
_MEMORY, _DIALOGUE = "-memory.json", "-dialogue.json"


class _Format(NamedTuple):
    title: str
    fields: frozenset[str]
    """The fields of a sample that no other format has together."""
    read: Callable[[Path, Samples], list[Haystack]]
    way: Way
    remedy: str


def _madial(file: Path, dialogues: Samples) -> list[Haystack]:
    memories = file.with_name(file.name.removesuffix(_DIALOGUE) + _MEMORY)
    return read_madial(_samples(memories), dialogues)


_FORMATS: Mapping[str, _Format] = {
    "locomo": _Format(
        "LoCoMo",
        frozenset(("conversation", "qa")),
        lambda _, samples: read_locomo(samples),
        Way.FACTS,
        "give the file locomo10.json",
    ),
    "madial": _Format(
        "MADial",
        frozenset(("dialogue", "relevant-id")),
        _madial,
        Way.FACTS,
        f"give a file …{_DIALOGUE}, with the file …{_MEMORY} beside it",
    ),
    "beam": _Format(
        "BEAM",
        frozenset(("messages", "questions")),
        lambda _, samples: read_beam(samples),
        Way.MESSAGES,
        "give a JSON list of conversations with messages and questions",
    ),
    "longmemeval": _Format(
        "LongMemEval",
        frozenset(("haystack_sessions", "question")),
        lambda _, samples: read_longmemeval(samples),
        Way.MESSAGES,
        "give a JSON list of questions with haystack_sessions",
    ),
    "paraphrases": _Format(
        "Paraphrases",
        frozenset(("fact", "en")),
        lambda _, samples: read_paraphrases(samples),
        Way.FACTS,
        "give a JSON list of facts, each with questions by language",
    ),
}
FORMATS = tuple(_FORMATS)


def read_questions(file: Path, format: str | None = None) -> QuestionSet:
    """Read a file in one of the formats, or in the one that its fields tell."""
    recognised, samples = (format, _samples(file)) if format else read_samples(file)
    known = _FORMATS[recognised]
    try:
        haystacks = known.read(file, samples)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(file, known, f"{type(error).__name__}: {error}") from None
    if not any(haystack.questions for haystack in haystacks):
        raise _unreadable(file, known, "it has no questions")
    return QuestionSet(
        name=known.title,
        haystacks=haystacks,
        way=known.way,
        is_paraphrased=known.read is _FORMATS["paraphrases"].read,
    )


def read_samples(file: Path) -> tuple[str, Samples]:
    """Return the name of the format that the fields of a file tell, and what is in the file."""
    samples = _samples(file)
    first = samples[0] if samples and isinstance(samples[0], Mapping) else {}
    for name, known in _FORMATS.items():
        if known.fields <= set(first):
            return name, samples
    if file.name.endswith(_MEMORY):
        raise _unreadable(file, _FORMATS["madial"], "it has no dialogues")
    raise InvalidInputError(
        f"{file} has no questions in a known format",
        remedy=f"give a file of one of these: {', '.join(FORMATS)}",
    )


def _samples(file: Path) -> Samples:
    """Return the samples of a JSON list, or of JSON lines."""
    try:
        text = file.read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InvalidInputError(
            f"{file} cannot be read ({reason})", remedy="check the path"
        ) from None
    try:
        data = _parsed(text)
    except ValueError as error:
        raise InvalidInputError(
            f"{file} is not JSON ({error})", remedy="give a JSON file"
        ) from None
    return data if isinstance(data, list) else [data]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
    return [json.loads(line) for line in lines]


def _unreadable(file: Path, known: _Format, reason: str) -> InvalidInputError:
    return InvalidInputError(
        f"{file} cannot be read as {known.title} ({reason})", remedy=known.remedy
    )
