"""The pages of the project, and the blocks of code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PAGES = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")])
EXAMPLES = sorted(
    {*PROJECT.glob("examples/*.py")}
    - {PROJECT / "examples/fastapi_app.py", PROJECT / "examples/chatbot.py"}
)

FRAMEWORKS = {
    "claude-agent-sdk": "claude_agent_sdk",
    "google-adk": "google.adk",
    "langchain": "langchain",
    "langgraph": "langgraph",
    "openai-agents": "agents",
    "pydantic-ai": "pydantic_ai",
}
"""Pages that need a framework, which only `scripts/frameworks` installs, and its module."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, and the line of the page on which the text begins."""

    language: str
    text: str
    line: int

    @property
    def runs(self) -> bool:
        """Whether the block is run: Python always, a shell block if it calls `erstwhile`."""
        shell = self.language in ("bash", "console") and "erstwhile " in self.text
        return shell or self.language == "python"


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    for fence in _FENCE.finditer(text):
        yield Block(fence[1], fence[2], text.count("\n", 0, fence.start(2)) + 1)


def name_of(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def anchor(title: str) -> str:
    """Return the anchor of a heading, as links write it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
