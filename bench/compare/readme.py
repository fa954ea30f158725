"""Write the table of the README from the results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

Results: TypeAlias = Mapping[str, Any]
_SHOWN = ("erstwhile", "mem0", "langgraph", "mcp_memory", "chroma", "lancedb")
_ROWS = (
    ("LoCoMo: evidence in the first ten hits", "locomo_recall@10"),
    ("the same with MiniLM's vectors", "locomo-minilm_recall@10"),
    ("LoCoMo: no hits for another conversation's questions", "locomo_empty_unanswerable"),
    ("deleted texts still in the files", "deleted"),
    ("found after two processes wrote 60 texts", "two_writers"),
    ("found after a change of embedder", "other_embedder"),
    ("CPU time of a recall, 10,000 texts", "recall_cpu_ms_10000"),
    ("CPU time of the import", "import_cpu_ms"),
)
_BLOCK = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", re.DOTALL)


def write_readme(told: Results, truth: Sequence[Results], readme: Path) -> None:
    figures = f"{_table(told['systems'])}\n\n{_truth(truth)}\n"
    text, found = _BLOCK.subn(lambda _: figures, readme.read_text("utf-8"))
    if found != 1:
        raise ValueError(f"{readme.name} has no place for the figures")
    readme.write_text(text, "utf-8")


def _table(systems: Mapping[str, Results]) -> str:
    shown = [systems[name] for name in _SHOWN]
    lines = [["", *(each["title"] for each in shown)], ["---"] * (len(shown) + 1)]
    lines += [[title, *(_cell(each.get(key), key) for each in shown)] for title, key in _ROWS]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: Any, key: str) -> str:
    """Return a share in percent, a time in milliseconds, a count as it is, or that it failed."""
    if isinstance(value, str):
        counted = re.match(r"\d+ of \d+", value)
        return counted[0] if counted else "failed"
    if value is None:
        return "not measured"
    return f"{value:,.{1 if value < 10 else 0}f} ms" if "_ms" in key else f"{100 * value:.0f} %"


def _truth(rows: Sequence[Results]) -> str:
    last = {each["system"]: each["rows"][-1] for each in rows if each["from"] == "changes"}
    ours, mem0, langgraph = (last[name] for name in ("erstwhile", "mem0", "langgraph"))
    return (
        f"Given the same changes of facts, Erstwhile is right about the present in "
        f"{_of(ours['now_right'])} cases\nand about the past in {_of(ours['then_right'])}. "
        f"mem0 is right about the present in {_of(mem0['now_right'])}, LangGraph's\nstore in "
        f"{_of(langgraph['now_right'])}; neither can be asked about the past."
    )


def _of(share: str) -> str:
    return share.replace("/", " of ")
