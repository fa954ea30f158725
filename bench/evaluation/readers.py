"""Read files of questions: LoCoMo, MADial-Bench, BEAM and LongMemEval.

Questions without evidence are left out, and so are those of BEAM that ask for a summary of
everything. Questions that cannot be answered have no evidence, and are read only on demand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bench.evaluation.haystack import Haystack, Item, Question, QuestionSet, Way
from erstwhile import InvalidInputError

Sample: TypeAlias = Mapping[str, Any]
Samples: TypeAlias = Sequence[Sample]

_LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_LOCOMO_SESSION = re.compile(r"session_(\d+)")
_LOCOMO_TURN = re.compile(r"D(\d+):(\d+)")
_BEAM_LEFT_OUT, _ABSTENTION = "summarization", "abstention"
_UNANSWERABLE = "_abs"
_LONG_DATE = "%Y/%m/%d (%a) %H:%M"
_SAID_BY = re.compile(r"^<([^>]+)>\s*:\s*")
_MEMORY, _DIALOGUE = "-memory.json", "-dialogue.json"


def read_questions(
    file: Path, format: str | None = None, *, unanswerable: bool = False
) -> QuestionSet:
    """Read a file in the named format, or in the one that its fields tell."""
    recognised, samples = (format, _samples(file)) if format else read_samples(file)
    known = _FORMATS[recognised]
    try:
        haystacks = known.read(file, samples)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unreadable(file, known, f"{type(error).__name__}: {error}") from None
    if not unanswerable:
        haystacks = list(filter(None, map(_answerable, haystacks)))
    if not any(haystack.questions for haystack in haystacks):
        raise _unreadable(file, known, "it has no questions")
    return QuestionSet(name=known.title, haystacks=haystacks, way=known.way)


def _answerable(haystack: Haystack) -> Haystack | None:
    """Return a haystack with its questions that have evidence; None if all have none."""
    kept = [question for question in haystack.questions if question.relevant]
    return replace(haystack, questions=kept) if kept or not haystack.questions else None


def read_samples(file: Path) -> tuple[str, Samples]:
    """Return the format that the fields of a file tell, and the samples of the file."""
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


def _locomo(_: Path, samples: Samples) -> list[Haystack]:
    """Read conversations in sessions; each turn is an item, and the evidence are turns.

    Both speakers are people: as messages, both have the role of a user, and the text names the
    speaker.
    """
    found = []
    for sample in samples:
        items = list(_locomo_items(sample["conversation"]))
        questions = _locomo_questions(sample["qa"], {item.id for item in items})
        found.append(
            Haystack(
                name=sample["sample_id"],
                items=items,
                questions=list(questions),
                asked_at=_last_day(items),
            )
        )
    return found


def _locomo_items(conversation: Sample) -> Iterator[Item]:
    names = [name for name in conversation if _LOCOMO_SESSION.fullmatch(name)]
    for name in sorted(names, key=lambda name: int(name.removeprefix("session_"))):
        said_at = _moment(conversation[f"{name}_date_time"], "%I:%M %p on %d %B, %Y")
        for turn in conversation[name]:
            shares = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield Item(
                id=turn["dia_id"],
                text=f"{turn['speaker']}: {turn['text']}{shares}",
                details={"entities": [turn["speaker"]], "source": name, "valid_from": said_at},
                session=name,
                said_at=said_at,
            )


def _locomo_questions(samples: Samples, known: set[str]) -> Iterator[Question]:
    for sample in samples:
        # A string may have several ids, or the form D:1:2.
        ids = _LOCOMO_TURN.findall(" ".join(sample["evidence"]).replace("D:", "D"))
        relevant = {f"D{int(session)}:{int(turn)}" for session, turn in ids} & known
        category = _LOCOMO_CATEGORIES.get(sample["category"])
        if category and relevant:
            yield Question(text=sample["question"], relevant=relevant, category=category)


def _madial(file: Path, dialogues: Samples) -> list[Haystack]:
    """Read the memories of a child, and dialogues in which the assistant should use some.

    A question is a dialogue up to the point where the assistant should remember.
    """
    memories = _samples(file.with_name(file.name.removesuffix(_DIALOGUE) + _MEMORY))
    items = [
        Item(
            id=id,
            text=memory["event"],
            details={"valid_from": memory["time"]},
            session=memory["time"],
            said_at=datetime.fromisoformat(memory["time"]).replace(tzinfo=UTC),
        )
        for line in memories
        for id, memory in line.items()
    ]
    return [Haystack(name="madial", items=items, questions=list(map(_madial_question, dialogues)))]


def _madial_question(dialogue: Sample) -> Question:
    before = dialogue["dialogue"][1 : dialogue["test-turn"][0]]
    said = [_SAID_BY.sub("", line).strip().strip('"') for line in before]
    return Question(text=" ".join(said), relevant={str(id) for id in dialogue["relevant-id"]})


def _beam(_: Path, samples: Samples) -> list[Haystack]:
    """Read conversations with an assistant; the evidence are messages."""
    return [
        Haystack(
            name=f"beam-{sample['id']}",
            items=(items := list(_beam_items(sample))),
            asked_at=_last_day(items),
            questions=[
                Question(
                    text=each["question"],
                    relevant=_beam_evidence(each),
                    category=each["category"],
                )
                for each in sample["questions"]
                if each["category"] != _BEAM_LEFT_OUT
                and (each["evidence"] or each["category"] == _ABSTENTION)
            ],
        )
        for sample in samples
    ]


def _beam_evidence(question: Sample) -> set[str]:
    unanswerable = question["category"] == _ABSTENTION
    return set() if unanswerable else set(map(str, question["evidence"]))


def _beam_items(sample: Sample) -> Iterator[Item]:
    for each in sample["messages"]:
        session = f"session {each['session']}"
        yield _message(str(each["id"]), each, session, each["date"], "%B-%d-%Y")


def _last_day(items: Sequence[Item]) -> datetime | None:
    """Return the date of questions that have none: the end of the conversation."""
    return max((item.said_at for item in items if item.said_at), default=None)


def _longmemeval(_: Path, samples: Samples) -> list[Haystack]:
    """Read questions, each with its own sessions; the evidence are marked turns, else sessions."""
    return list(map(_longmemeval_haystack, samples))


def _longmemeval_haystack(sample: Sample) -> Haystack:
    parts = (sample[f"haystack_{part}"] for part in ("session_ids", "dates", "sessions"))
    items, marked = list[Item](), set[str]()
    sessions = sorted(zip(*parts, strict=True), key=lambda each: _moment(each[1], _LONG_DATE))
    for session, date, turns in sessions:
        for number, turn in enumerate(turns):
            id = f"{session}#{number}"
            items.append(_message(id, turn, session, date, _LONG_DATE))
            if turn.get("has_answer"):
                marked.add(id)
    kept = [item for item in items if item.text.strip()]
    marked &= {item.id for item in kept}
    unanswerable = sample["question_id"].endswith(_UNANSWERABLE)
    question = Question(
        text=sample["question"],
        relevant=set() if unanswerable else marked or set(sample["answer_session_ids"]),
        category=_ABSTENTION if unanswerable else sample["question_type"],
        by_session=not marked,
    )
    date = sample.get("question_date")
    asked_at = _moment(date, _LONG_DATE) if date else None
    return Haystack(name=sample["question_id"], items=kept, questions=[question], asked_at=asked_at)


def _message(id: str, message: Sample, session: str, date: str, form: str) -> Item:
    said_at = _moment(date, form)
    return Item(
        id=id,
        text=message["content"],
        details={"source": session, "valid_from": said_at},
        role=message["role"],
        session=session,
        said_at=said_at,
    )


def _moment(written: str, form: str) -> datetime:
    return datetime.strptime(written, form).replace(tzinfo=UTC)


class _Format(NamedTuple):
    title: str
    fields: frozenset[str]
    """The fields of a sample that no other format has together."""
    read: Callable[[Path, Samples], list[Haystack]]
    way: Way
    remedy: str


_FORMATS: Mapping[str, _Format] = {
    "locomo": _Format(
        "LoCoMo",
        frozenset(("conversation", "qa")),
        _locomo,
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
        _beam,
        Way.MESSAGES,
        "give a JSON list of conversations with messages and questions",
    ),
    "longmemeval": _Format(
        "LongMemEval",
        frozenset(("haystack_sessions", "question")),
        _longmemeval,
        Way.MESSAGES,
        "give a JSON list of questions with haystack_sessions",
    ),
}
FORMATS = tuple(_FORMATS)


def _unreadable(file: Path, known: _Format, reason: str) -> InvalidInputError:
    return InvalidInputError(
        f"{file} cannot be read as {known.title} ({reason})", remedy=known.remedy
    )
