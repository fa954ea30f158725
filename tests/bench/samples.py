"""Small samples in the form of the public sets, with invented texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LONGMEMEVAL = Path(__file__).parent / "data" / "longmemeval.json"


def locomo(*qa: dict[str, Any]) -> dict[str, Any]:
    """Return two sessions, in the wrong order."""
    return {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ana",
            "session_10_date_time": "1:56 pm on 8 May, 2023",
            "session_10": [
                {
                    "speaker": "Bob",
                    "dia_id": "D10:1",
                    "text": "Look!",
                    "blip_caption": "a red kite over the beach",
                }
            ],
            "session_2_date_time": "12:09 am on 13 September, 2022",
            "session_2": [{"speaker": "Ana", "dia_id": "D2:1", "text": "I adopted a puppy."}],
            "session_11_date_time": "1:56 pm on 9 May, 2023",
        },
        "qa": list(qa),
    }


def asked(evidence: list[str], category: int = 4, question: str = "What?") -> dict[str, Any]:
    """Return a question of LoCoMo."""
    return {"question": question, "evidence": evidence, "category": category}


def beam(*questions: dict[str, Any]) -> dict[str, Any]:
    """Return two sessions of a user with an assistant."""
    said = (
        (0, 1, "user", "I plan a trip to the mountains in August."),
        (1, 1, "assistant", "Take warm clothes and enough water."),
        (2, 2, "user", "Always use tabs. Now show me a loop that prints the alphabet."),
        (3, 2, "assistant", "for letter in letters: print(letter)"),
    )
    messages = [
        {"id": id, "session": session, "role": role, "date": "March-15-2024", "content": content}
        for id, session, role, content in said
    ]
    return {"id": 1, "messages": messages, "questions": list(questions)}


def about(category: str, question: str, *evidence: int) -> dict[str, Any]:
    """Return a question of BEAM."""
    return {"category": category, "question": question, "evidence": list(evidence)}


def written(folder: Path, name: str, samples: object) -> Path:
    """Write samples as JSON, and return the file."""
    file = folder / name
    file.write_text(json.dumps(samples), "utf-8")
    return file
