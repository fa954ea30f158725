"""Small samples in the form of the public sets, with invented texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
LONGMEMEVAL = DATA / "longmemeval.json"


def locomo(*qa: dict[str, Any]) -> dict[str, Any]:
    """Return two sessions, in the wrong order."""
    return {**json.loads((DATA / "locomo.json").read_text("utf-8")), "qa": list(qa)}


def asked(evidence: list[str], category: int = 4, question: str = "What?") -> dict[str, Any]:
    return {"question": question, "evidence": evidence, "category": category}


def beam(*questions: dict[str, Any]) -> dict[str, Any]:
    """Return two sessions of a user with an assistant."""
    return {**json.loads((DATA / "beam.json").read_text("utf-8")), "questions": list(questions)}


def about(category: str, question: str, *evidence: int) -> dict[str, Any]:
    return {"category": category, "question": question, "evidence": list(evidence)}


def written(folder: Path, name: str, samples: object) -> Path:
    file = folder / name
    file.write_text(json.dumps(samples), "utf-8")
    return file
