"""Cases of parametrised tests in a JSON file beside the test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def cases(test_file: str) -> Any:
    """Return the content of the JSON file with the name of a test file."""
    return json.loads(Path(test_file).with_suffix(".json").read_text("utf-8"))
