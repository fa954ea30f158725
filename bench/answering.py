"""Let a language model answer questions from contexts, and grade its answers by hand.

python -m bench.answering ask FOLDER FILE...        writes 001.txt, 002.txt, … and gold.json
python -m bench.answering grade FOLDER ANSWERS      writes a sheet: ANSWERS is {"001": "…", …}

A prompt has a context and the question, nothing else. The questions are a fixed sample of LoCoMo
and BEAM; flawed ones of LoCoMo are left out if `audit_errors.json` lies beside the file. To ask
another commit, put the `src` folder of its checkout into PYTHONPATH.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

import erstwhile
from bench.evaluation.haystack import Haystack, QuestionSet
from bench.evaluation.readers import read_questions, read_samples
from bench.evaluation.trial import store_haystack

GOLD = "gold.json"
SHEET = "sheet.md"


class Asked(NamedTuple):
    """A question with its prompt and the answer of the set."""

    set: str
    category: str
    question: str
    gold: str
    prompt: str


def asked(file: Path, count: int, tokens: int) -> Iterator[Asked]:
    """Store the conversations of a file, and yield a sample of its questions with contexts."""
    golds, questions = _golds(file), read_questions(file)
    chosen = _with_gold(questions, golds).sampled(count)
    with erstwhile.open(":memory:") as memory:
        memory.recall("Is the model loaded?")
        for haystack in chosen.haystacks:
            own = memory.scoped(user=haystack.name)
            store_haystack(own, haystack, questions.way)
            for each in haystack.questions:
                context = own.context(each.text, tokens).text
                gold = golds[haystack.name, each.text]
                prompt = f"{context}\nQuestion: {each.text}\n"
                yield Asked(questions.name, each.category, each.text, gold, prompt)


def _with_gold(questions: QuestionSet, golds: Mapping[tuple[str, str], str]) -> QuestionSet:
    def answerable(haystack: Haystack) -> Haystack:
        kept = [each for each in haystack.questions if (haystack.name, each.text) in golds]
        return replace(haystack, questions=kept)

    return replace(questions, haystacks=list(map(answerable, questions.haystacks)))


def _golds(file: Path) -> dict[tuple[str, str], str]:
    """Return the answers of a file by the conversation and the question."""
    format, samples = read_samples(file)
    if format == "beam":
        return {
            (f"beam-{sample['id']}", each["question"]): _beam_gold(each)
            for sample in samples
            for each in sample["questions"]
        }
    if format != "locomo":
        raise click.UsageError(f"{file} has no answers: give LoCoMo or BEAM")
    flawed = _flawed(file.with_name("audit_errors.json"))
    return {
        (sample["sample_id"], each["question"]): str(each["answer"])
        for number, sample in enumerate(samples)
        for at, each in enumerate(sample["qa"])
        if "answer" in each and f"locomo_{number}_qa{at}" not in flawed
    }


def _beam_gold(question: Mapping[str, Any]) -> str:
    wish = question.get("instruction")
    return f"{question['answer']} (wish: {wish})" if wish else str(question["answer"])


def _flawed(file: Path) -> frozenset[str]:
    if not file.is_file():
        return frozenset()
    return frozenset(each["question_id"] for each in json.loads(file.read_text("utf-8")))


def sheet(gold: Sequence[Mapping[str, str]], answers: Mapping[str, str]) -> str:
    """Return the grading sheet: each question with both answers and a box to tick."""
    parts = [
        f"## {each['number']} {each['set']}, {each['category']}\n\n"
        f"Question: {each['question']}\n\nGold: {each['gold']}\n\n"
        f"Answer: {answers.get(each['number'], '(none)')}\n\n- [ ] right\n"
        for each in gold
    ]
    return "\n".join(parts)


@click.group(help=__doc__)
def main() -> None:
    """Run a command."""


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--count", default=60, help="How many questions, the same number of each file.")
@click.option("--tokens", default=4_000, help="The budget of a context.")
def ask(folder: Path, files: tuple[Path, ...], count: int, tokens: int) -> None:
    """Write a prompt for each question, and the gold answers."""
    folder.mkdir(parents=True, exist_ok=True)
    gold = list[dict[str, str]]()
    for file in files:
        for each in asked(file, count // len(files), tokens):
            number = f"{len(gold) + 1:03}"
            (folder / f"{number}.txt").write_text(each.prompt, "utf-8")
            told = {name: value for name, value in each._asdict().items() if name != "prompt"}
            gold.append({"number": number, **told})
    (folder / GOLD).write_text(json.dumps(gold, ensure_ascii=False, indent=1), "utf-8")
    click.echo(f"{len(gold)} prompts are in {folder}")


@main.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.argument("answers", type=click.Path(exists=True, path_type=Path))
def grade(folder: Path, answers: Path) -> None:
    """Write a sheet with questions, gold answers and given answers."""
    gold = json.loads((folder / GOLD).read_text("utf-8"))
    given = json.loads(answers.read_text("utf-8"))
    (folder / SHEET).write_text(sheet(gold, given), "utf-8")
    click.echo(f"the sheet is {folder / SHEET}")


if __name__ == "__main__":
    main()
