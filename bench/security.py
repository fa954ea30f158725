"""Measure the suites of attacks, and write their figures to docs/security.md.

python -m bench.security            print the table
python -m bench.security --write    put it on the page
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.attacks.attack import ATTACKS, failures, ways
from tests.attacks.test_secrets import BY_CLASS, HARMLESS, SECRETS
from tests.regexes.test_growth import slow_patterns, uses

from bench import fairness, whose_words
from bench.masking import costs, dense, ordinary
from bench.sets.deciding import (
    DISGUISES,
    FRESH,
    SETS,
    read_call_pairs,
    tally_advice,
    tally_disguises,
    tally_fresh_calls,
    tally_honest_commands,
)
from bench.sets.guarding import Sample, halves, rates, read_samples
from erstwhile.secrets.masking import mask_text
from erstwhile.secrets.scan import secret_rules

PAGE = Path(__file__).parents[1] / "docs" / "security.md"
GUARDED = Path(__file__).parents[1] / "tests" / "learning" / "guard" / "data"
HEAD = "| suite | figure |\n|---|---|\n"
SUMMARY_HEAD = (
    "| it fails if | attackers with the code | attackers without it | price for honest users |\n"
    "|---|---|---|---|\n"
)
SUMMARY = (
    ("a denied command passes in disguise", "disguised commands, written with the code at hand",
     "disguised commands, written before the code", "everyday commands beside those denials"),
    ("a secret is stored in clear", "secrets in clear, written with the rules at hand",
     "secrets in clear, written before the rules", "harmless texts that are masked"),
    ("a stranger's order becomes an instruction",
     "strangers, obeying model: orders that became instructions",
     "strangers, without the rules, obeying model: orders that became instructions",
     "own hand, no model: instructions not learned"),
    ("a stranger's statement is trusted, and the model obeys him",
     "strangers, obeying model: statements trusted",
     "unseen, obeying model: foreign proposals trusted", "unseen, honest: facts not learned"),
    ("a stranger retires what a person stated",
     "strangers, obeying model: person's facts retired",
     "unseen, obeying model: person's facts retired", "unseen, honest: changes not made"),
)  # fmt: skip
"""What fails, and the suites that show how often: with the code, without it, and the price."""


def quick_rows() -> Iterator[str]:
    """Yield the figures that are measured within seconds; a test measures them again."""
    kinds = {rule.name for rule in secret_rules()}
    told = [(frame.format(each), each) for texts in SECRETS.values() for frame, each in texts]
    masked = sum(secret not in mask_text(text) for text, secret in told)
    before = [*BY_CLASS["secrets"], *BY_CLASS["missed"]]
    clear = sum(secret in mask_text(text) for text, secret in before)
    harmless = [*HARMLESS, *BY_CLASS["harmless"], *BY_CLASS["masked"]]
    changed = sum(mask_text(text) != text for text in harmless)
    yield _row("kinds of secrets that are masked", str(len(kinds)))
    yield _row(
        "secrets in clear, written with the rules at hand", f"{len(told) - masked} of {len(told)}"
    )
    yield _row("secrets in clear, written before the rules", f"{clear} of {len(before)}")
    yield _row("harmless texts that are masked", f"{changed} of {len(harmless)}")
    unread, kept = BY_CLASS["held_out"], BY_CLASS["harmless_held_out"]
    clear = sum(secret in mask_text(text) for text, secret in unread)
    changed = sum(mask_text(text) != text for text in kept)
    yield _row(
        "secrets of a fresh set, held out",
        f"{clear} of {len(unread)} in clear; {changed} of {len(kept)} harmless texts masked",
    )
    yield from _guard_rows("in 16 languages", "payloads", "benign")
    yield from _guard_rows("in five languages beside English and Chinese", "five_languages")


def summary_rows(figures: Iterable[str]) -> Iterator[str]:
    """Yield the rows of the summary from the rows of all suites."""
    found = dict(row.strip("| ").split(" | ", 1) for row in figures)
    for failure, *suites in SUMMARY:
        yield f"| {failure} | {' | '.join(found.get(suite, '–') for suite in suites)} |"


def slow_rows() -> Iterator[str]:
    """Yield the figures of suites that are tests themselves, and the time of masking."""
    yield _row("masking 10 KB of ordinary text, CPU time", _times(costs(ordinary())))
    yield _row("masking 10 KB of which each line may be a secret", _times(costs(dense())))
    for name in SETS:
        found = tally_advice(read_call_pairs(name))
        yield _row(
            f"advice, pairs of calls ({name})",
            f"{found.wrong_allows} wrongly allowed and {found.wrong_denials} wrongly denied of "
            f"{found.other} other acts; {found.right_denials} of {found.same} same acts denied",
        )
    for name in DISGUISES:
        passed = tally_disguises(name)
        yield _row(
            f"disguised commands, {name}",
            f"{len(passed.silent)} of {passed.total} pass in silence",
        )
    honest = tally_honest_commands()
    asked = honest.total - len(honest.silent)
    yield _row("everyday commands beside those denials", f"{asked} of {honest.total} asked about")
    for name in FRESH:
        disguised, plain = (tally_fresh_calls(name, same=same) for same in (True, False))
        yield _row(
            f"calls of fresh sets, {name}",
            f"{len(disguised.silent)} of {disguised.total} disguises pass in silence; "
            f"{plain.total - len(plain.silent)} of {plain.total} everyday calls asked about",
        )
    played = sum(len([*ways(attack)]) for attack in ATTACKS)
    broken = sum(len(failures(attack)) for attack in ATTACKS)
    yield _row(
        "conversations with a model that obeys the attacker",
        f"{broken} of {played} ways through {len(ATTACKS)} conversations succeed",
    )
    yield from fairness.rows()
    for each in whose_words.measured():
        yield _row(each["figure"], f"{each['count']} of {each['of']}")
    patterns = [use for use in uses() if use.pattern]
    yield _row(
        "patterns that take more than linear time on hostile text",
        f"{len(slow_patterns(patterns))} of {len(patterns)}",
    )


def _guard_rows(title: str, *files: str) -> Iterator[str]:
    held_out = [
        each for file in files for each in halves(read_samples(GUARDED / f"{file}.jsonl"))[1]
    ]
    harmless = _harmless_families()
    hostile = [each for each in held_out if each.family not in harmless]
    yield _row(f"guard, hostile texts held out, {title}", _stopped(hostile))
    rest = [each for each in held_out if each.family in harmless]
    yield _row(f"guard, harmless texts held out, {title}", _stopped(rest))


def _harmless_families() -> set[str]:
    return {"harmless", *(each.family for each in read_samples(GUARDED / "benign.jsonl"))}


def _stopped(samples: list[Sample]) -> str:
    total = rates(samples)[-1]
    return f"{total.stopped} of {total.total} stopped"


def _times(costs: Mapping[str, float]) -> str:
    return ", ".join(f"{kind} {taken:.1f} ms" for kind, taken in costs.items())


def _row(suite: str, figure: str) -> str:
    return f"| {suite} | {figure} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the table on the page")
    options = parser.parse_args()
    rows = [*quick_rows(), *slow_rows()]
    figures, summary = "\n".join(rows), "\n".join(summary_rows(rows))
    print(f"{SUMMARY_HEAD}{summary}\n\n{HEAD}{figures}")
    if options.write:
        page = _with_table(PAGE.read_text("utf-8"), HEAD, figures)
        page = _with_table(page, SUMMARY_HEAD, summary)
        PAGE.write_text(page.rstrip("\n") + "\n", "utf-8")


def _with_table(page: str, head: str, rows: str) -> str:
    """Return the page with other rows in the table with this head."""
    before, _, rest = page.partition(head)
    return f"{before}{head}{rows}\n\n" + rest.partition("\n\n")[2]


if __name__ == "__main__":
    main()
