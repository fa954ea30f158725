"""Count the hostile and the harmless texts that the guard stops, by set and by family.

python -m bench.guard [--data FOLDER] [--json]

Our own texts are in tests/learning/guard/data. Public texts are read from FOLDER, and skipped if
they are not there. Rules were tuned on every second text of each set; the others were held out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.report import Result, show
from bench.sets.guarding import Sample, halves, rates, read_samples
from erstwhile.secrets.masking import mask_text

OWN = Path(__file__).parents[1] / "tests" / "learning" / "guard" / "data"
DATA = Path(__file__).parents[2] / "shared" / "data"
STRUCTURES = (
    "confusables", "encoded-content", "injection-structural", "template-integrity",
    "url-exfiltration",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="where the public texts are")
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    options = parser.parse_args()
    results = [
        _result("our own hostile texts", read_samples(OWN / "payloads.jsonl")),
        _result("our own harmless texts", read_samples(OWN / "benign.jsonl")),
        _result("our own texts in five languages", read_samples(OWN / "five_languages.jsonl")),
        _masked("our own secrets in sentences", read_samples(OWN / "told_secrets.jsonl")),
    ]
    try:
        results += [_result(name, samples) for name, samples in _public(options.data)]
    except OSError as error:
        print(f"The public texts are left out: {error}", file=sys.stderr)
    show(results, as_json=options.json)


def _result(title: str, samples: list[Sample]) -> Result:
    tuned, held_out = ({each.family: each for each in rates(half)} for half in halves(samples))
    rows = [
        {
            "family": family,
            "tuned on": f"{tuned[family].stopped} of {tuned[family].total}"
            if family in tuned
            else "",
            "held out": f"{line.stopped} of {line.total}",
        }
        for family, line in held_out.items()
    ]
    return Result(title, "How many were held or refused, of how many.", rows)


def _masked(title: str, samples: list[Sample]) -> Result:
    rows = []
    for family in ("told", "harmless"):
        tuned, held_out = (
            f"{sum(mask_text(each.text) != each.text for each in half)} of {len(half)}"
            for half in halves([each for each in samples if each.family == family])
        )
        rows.append({"family": family, "tuned on": tuned, "held out": held_out})
    return Result(title, "In how many something was masked, of how many.", rows)


def _public(data: Path) -> Iterator[tuple[str, list[Sample]]]:
    """Yield each set in its own order, so that its halves stay equal."""
    for name in STRUCTURES:
        lines = _lines(data / "threat" / "jamjet" / name / "in-repo.jsonl")
        texts = [_labelled(line["text"], line["expect"]["decision"]) for line in lines]
        yield f"jamjet {name}", texts
    lines = _lines(data / "threat" / "agent_redteam_zh.jsonl")
    chinese = [
        (line["category"], _labelled(line["context"], line["gold"]["decision"])) for line in lines
    ]
    wanted = [
        text
        for category, text in chinese
        if category == "prompt_injection" or text.family == "harmless"
    ]
    yield "agent_redteam_zh", wanted
    for name in ("one", "two"):
        prompts = json.loads((data / "benign" / f"NotInject_{name}.json").read_text("utf-8"))
        yield f"NotInject {name}", [_labelled(each["prompt"]) for each in prompts]
    yield (
        "GSM8K",
        [_labelled(line["question"]) for line in _lines(data / "benign/gsm8k_test.jsonl")],
    )
    yield "LoCoMo turns", [*map(_labelled, _turns(data / "locomo" / "locomo10.json"))]


def _labelled(text: str, decision: str = "allow") -> Sample:
    return Sample(text, "harmless" if decision == "allow" else "hostile")


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _turns(file: Path) -> Iterator[str]:
    for each in json.loads(file.read_text("utf-8")):
        for session in each["conversation"].values():
            if isinstance(session, list):
                yield from (turn["text"] for turn in session if turn.get("text"))


if __name__ == "__main__":
    main()
