"""Write docs/benchmarks.md and its plots from the results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from bench.compare.plots import bars

Systems: TypeAlias = Mapping[str, Mapping[str, Any]]
_BENCH = Path(__file__).parents[1]
_HEAD = Path(__file__).with_name("page.md")
_FIGURES = (
    ("recall_cpu_ms_1000", "recall, 1,000 texts", "ms"),
    ("recall_cpu_ms_10000", "recall, 10,000 texts", "ms"),
    ("recall_cpu_ms_100000", "recall, 100,000 texts", "ms"),
    ("add_cpu_ms_10000", "add one, 10,000 texts", "ms"),
    ("add_cpu_ms_100000", "add one, 100,000 texts", "ms"),
    ("bulk_cpu_ms_10000", "add in bulk, each", "ms"),
    ("first_memory_cpu_ms", "process with a first memory", "ms"),
    ("import_cpu_ms", "import", "ms"),
    ("cold_cpu_ms_10000", "process with a first recall, 10,000", "ms"),
    ("cold_mib_10000", "memory of that process", "MiB"),
    ("disk_bytes_each_10000", "disk, each text", "bytes"),
    ("mib", "installed", "MiB"),
    ("packages", "packages", ""),
    ("syncs_each", "syncs of one add", ""),
    ("writes_each", "writes of one add", ""),
)
_PLOTS = ("recall_cpu_ms_10000", "add_cpu_ms_10000")
_TRIED = (
    ("killed", "`kill -9` while adding"),
    ("two_writers", "two writers"),
    ("deleted", "deleted, then looked for in the bytes"),
    ("other_embedder", "vectors of another length"),
)
_SCORED = ("set", "system", "store", "level", "recall_any", "recall_all", "ndcg", "tokens")
_LOST = "locomo_empty_answerable"
"""The only share that should be small."""
_FOUND = (
    ("locomo_recall@10", "LoCoMo recall@10"),
    ("locomo_ndcg@10", "nDCG@10"),
    ("locomo-minilm_recall@10", "with MiniLM, recall@10"),
    ("locomo-minilm_ndcg@10", "with MiniLM, nDCG@10"),
    ("beam_recall@10", "BEAM recall@10"),
    ("beam_ndcg@10", "nDCG@10 of BEAM"),
    ("madial-zh_recall@10", "MADial Chinese recall@10"),
    ("locomo_empty_unanswerable", "nothing found: questions of another conversation"),
    (_LOST, "nothing found: own questions"),
)


def write_page(told: Mapping[str, Any], docs: Path) -> None:
    systems: Systems = told["systems"]
    scores = _read("score")
    asked = {str(each["set"]): each["questions"] for each in scores}
    for figure, title, unit in _FIGURES:
        if figure in _PLOTS:
            values = {
                str(each["title"]): each[figure]
                for each in systems.values()
                if isinstance(each.get(figure), float)
            }
            drawn = bars(f"{title}: CPU {unit}", values)
            (docs / "images" / f"benchmark-{figure.partition('_')[0]}.svg").write_text(drawn)
    parts = {
        "date": told["date"],
        "machine": told["machine"],
        "python": told["python"],
        "load": f"{told['load'][0]:.0f}",
        "minutes": f"{told['minutes']:.0f}",
        "limit": told.get("limit", "a minute"),
        "questions": ", ".join(f"{n:,} of {name}" for name, n in asked.items()),
        "ratios": _table(_ratios(systems)),
        "worse": "\n".join((*_dearer(systems), *_found_less(systems), *_ranked_worse(scores))),
        "tried": _table(_words(systems, _TRIED)),
        "found": _table(_words(systems, _FOUND)),
        "systems": _table(_described(systems)),
        "truth": _table(_truth(_read("truth"))),
        "scores": _table(_scores(scores)),
    }
    text = _HEAD.read_text("utf-8")
    for name, part in parts.items():
        text = text.replace("{{" + name + "}}", part)
    (docs / "benchmarks.md").write_text(text, "utf-8")


def _read(folder: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((_BENCH / folder / "results.json").read_text("utf-8"))
    return found


def _ratios(systems: Systems) -> Iterator[dict[str, str]]:
    """Yield each figure of ours, and the cost of each peer divided by it."""
    ours = systems["erstwhile"]
    peers = [each for name, each in systems.items() if name != "erstwhile"]
    for figure, title, unit in _FIGURES:
        known = ours.get(figure)
        yield {"": title, "Erstwhile": f"{_cell(known)} {unit}".strip()} | {
            each["title"]: _ratio(each.get(figure), known) for each in peers
        }


def _ratio(theirs: Any, ours: Any) -> str:
    if isinstance(theirs, str):
        return "failed"
    if theirs is None or not isinstance(ours, int | float) or not ours:
        return "–"
    return f"{_number(theirs / ours)} ×" if theirs / ours < 10 else f"{theirs / ours:,.0f} ×"


def _dearer(systems: Systems) -> Iterator[str]:
    """Yield each figure with the peers that cost less by at least a twentieth."""
    ours = systems["erstwhile"]
    for figure, title, _ in _FIGURES:
        if not isinstance(ours.get(figure), int | float):
            continue
        less = [
            str(each["title"])
            for name, each in systems.items()
            if name != "erstwhile"
            and isinstance(each.get(figure), int | float)
            and each[figure] < ours[figure] * 0.95
        ]
        if less:
            yield f"- {title}: {', '.join(less)}"


def _found_less(systems: Systems) -> Iterator[str]:
    """Yield the shares of questions in which a peer is better by more than half a hundredth."""
    ours = systems["erstwhile"]
    for figure, title in _FOUND:
        sign = -1 if figure == _LOST else 1
        better = {
            str(each["title"]): each[figure]
            for each in systems.values()
            if isinstance(each.get(figure), float)
            and isinstance(ours.get(figure), float)
            and sign * (each[figure] - ours[figure]) > 0.005
        }
        if better:
            told = ", ".join(f"{name} {_number(value)}" for name, value in better.items())
            yield f"- {title}: Erstwhile {_number(ours[figure])}; {told}."


def _ranked_worse(scores: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the means of the scores in which BM25 is better."""
    known = {
        (each["set"], each["store"], each["level"], each["depth"], each["system"]): each
        for each in scores
    }
    for (*where, system), ours in known.items():
        if system != "erstwhile":
            continue
        theirs = known[(*where, "bm25")]
        for metric in ("recall_any", "recall_all", "ndcg"):
            mean, other = (str(each[metric]).partition(" ")[0] for each in (ours, theirs))
            if other > mean:
                place = f"{where[0]}, a store for {where[1]}, {where[2]}s, first {where[3]}"
                yield f"- {metric}, {place}: Erstwhile {mean}; BM25 {other}."


def _words(systems: Systems, wanted: Sequence[tuple[str, str]]) -> Iterator[dict[str, str]]:
    for each in systems.values():
        yield {"": each["title"]} | {title: _cell(each.get(figure)) for figure, title in wanted}


def _described(systems: Systems) -> Iterator[dict[str, str]]:
    for each in systems.values():
        yield {"": each["title"], "version": each.get("version", "-"), "measured as": each["says"]}


def _truth(results: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    for each in results:
        last = each["rows"][-1]
        yield {
            "system": each["system"],
            "given": each["from"],
            "true, and said": last["true_found"],
            "said, but no longer true": last["stale_said"],
            "right now": last["now_right"],
            "right then": last["then_right"],
        }


def _scores(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """Yield what is in the first ten; the file has the first five, too."""
    for each in rows:
        if each["depth"] != 5:
            shown = (
                "set",
                "system",
                "store",
                "level",
                "recall_any",
                "recall_all",
                "ndcg",
                "tokens",
            )
            yield {name: str(each[name]) for name in shown}


def _cell(value: Any) -> str:
    if value is None:
        return "not measured"
    if isinstance(value, str):
        return value if len(value) < 90 else f"{value[:87]}…"
    return _number(value)


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2g}" if value else "0"


def _table(rows: Any) -> str:
    known = [{name: str(cell).replace("|", "/") for name, cell in row.items()} for row in rows]
    head = list(known[0])
    lines = [head, ["---"] * len(head), *([row.get(name, "") for name in head] for row in known)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
