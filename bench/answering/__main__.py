"""Answer questions of LoCoMo, LongMemEval or BEAM with a language model, and judge the answers.

python -m bench.answering FILE... --llm openai:MODEL [--judge openai:MODEL] [--count 60]
python -m bench.answering FILE... --llm openai:MODEL --context everything
python -m bench.answering FILE... --prompts FOLDER        only write the prompts, without a model

The sample of questions is always the same. A prompt has a context and the question. Calls are kept
in a file, so the same run again costs nothing. OPENAI_API_KEY or ANTHROPIC_API_KEY has the key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from bench.answering.models import KeptLlm
from bench.answering.questions import CONTEXTS, Asked, asked
from bench.report import Result, show
from bench.score.figures import figure
from erstwhile.adapters.registry import DEFAULT_EMBEDDER
from erstwhile.adapters.tokenizers import EstimatingTokenizer

_HERE = Path(__file__).parent


@click.command(help=__doc__)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--llm", help="The model that answers.")
@click.option("--judge", help="The model that judges; by default the same.")
@click.option("--base-url", default="", help="Of a server with the interface of the vendor.")
@click.option("--count", default=60, help="How many questions, the same number of each file.")
@click.option("--tokens", default=4_000, help="The budget of a context.")
@click.option("--context", "given", type=click.Choice(CONTEXTS), default=CONTEXTS[0])
@click.option("--embedder", default=DEFAULT_EMBEDDER, show_default=True)
@click.option("--calls", default="calls.jsonl", type=click.Path(path_type=Path), show_default=True)
@click.option("--verdicts", type=click.Path(path_type=Path), help="Write each verdict here.")
@click.option("--prompts", type=click.Path(path_type=Path), help="Only write the prompts here.")
@click.option("--seed", default=13, help="Of the bootstrap intervals.")
@click.option("--json", "as_json", is_flag=True)
def main(
    files: tuple[Path, ...],
    llm: str | None,
    judge: str | None,
    base_url: str,
    count: int,
    tokens: int,
    given: str,
    embedder: str,
    calls: Path,
    verdicts: Path | None,
    prompts: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Answer, judge and print the share of right answers."""
    share = count // len(files)
    questions = [each for file in files for each in asked(file, share, tokens, given, embedder)]
    if prompts:
        _write(prompts, questions)
        return
    if not llm:
        raise click.UsageError("give --llm or --prompts")
    models = [KeptLlm(spec, base_url, calls) for spec in (llm, judge or llm)]
    judged = [_judged(each, *models) for each in questions]
    if verdicts:
        lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in judged)
        verdicts.write_text("".join(lines), "utf-8")
    show([_scores(judged, given, seed), _costs(models, questions)], as_json=as_json)


def _judged(asked: Asked, llm: KeptLlm, judge: KeptLlm) -> dict[str, Any]:
    said = llm.ask(_system("answer"), asked.prompt, _object("answer", "string"))["answer"]
    graded = f"Question: {asked.question}\nReference: {asked.gold}\nAnswer: {said}\n"
    right = judge.ask(_system("judge"), graded, _object("right", "boolean"))["right"]
    told = {"set": asked.set, "category": asked.category, "question": asked.question}
    return {**told, "gold": asked.gold, "answer": said, "right": bool(right)}


def _system(name: str) -> str:
    return (_HERE / f"{name}.md").read_text("utf-8").strip()


def _object(name: str, type: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": type}}, "required": [name]}


def _scores(judged: Sequence[Mapping[str, Any]], given: str, seed: int) -> Result:
    sets = dict.fromkeys(each["set"] for each in judged)
    rows: list[Mapping[str, str | float]] = []
    for name in sets:
        own = [each for each in judged if each["set"] == name]
        for category in [*dict.fromkeys(each["category"] for each in own), "all"]:
            right = [float(each["right"]) for each in own if category in (each["category"], "all")]
            score = str(figure(right, seed))
            rows.append({"set": name, "category": category, "n": len(right), "right": score})
    meaning = f"context: {given}; in brackets: 95 % of 1,000 bootstrap samples, seed {seed}"
    return Result("Right answers", meaning, rows)


def _costs(models: Sequence[KeptLlm], questions: Sequence[Asked]) -> Result:
    count = EstimatingTokenizer().count
    shown = sum(count(each.context) for each in questions) / len(questions)
    rows: list[Mapping[str, str | float]] = [
        {
            "role": role,
            "model": each.model,
            "calls": each.calls,
            "new_calls": each.paid,
            "dollars": "unknown price" if each.cost is None else f"{each.cost:f}",
        }
        for role, each in zip(("answers", "judge"), models, strict=True)
    ]
    return Result("Calls", f"{shown:,.0f} tokens a context, at most; dollars of all calls", rows)


def _write(folder: Path, questions: Sequence[Asked]) -> None:
    """Write a prompt for each question, and the answers of the set."""
    folder.mkdir(parents=True, exist_ok=True)
    gold = list[dict[str, str]]()
    for number, each in enumerate(questions, start=1):
        (folder / f"{number:03}.txt").write_text(each.prompt, "utf-8")
        told = {name: value for name, value in each._asdict().items() if name != "context"}
        gold.append({"number": f"{number:03}", **told})
    (folder / "gold.json").write_text(json.dumps(gold, ensure_ascii=False, indent=1), "utf-8")
    click.echo(f"{len(gold)} prompts are in {folder}")


if __name__ == "__main__":
    main()
