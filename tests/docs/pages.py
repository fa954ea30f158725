"""The pages of the project, and the blocks of code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

PROJECT = Path(__file__).resolve().parents[2]
PAGES = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")])
FRAMEWORKS = {
    "agent-framework": "agent_framework",
    "agno": "agno",
    "claude-agent-sdk": "claude_agent_sdk",
    "crewai": "crewai",
    "google-adk": "google.adk",
    "haystack": "haystack",
    "langchain": "langchain",
    "langgraph": "langgraph",
    "llama-index": "llama_index.core",
    "openai-agents": "agents",
    "pydantic-ai": "pydantic_ai",
    "strands": "strands",
}
"""Pages that need a framework, which only `scripts/frameworks` installs, and its module."""


def example_of(page: str) -> Path:
    """Return the example of a page about a framework."""
    return PROJECT / f"examples/with_{page.replace('-', '_')}.py"


def shown_by(example: Path) -> list[str]:
    """Return the output that the docstring of an example shows after "Prints:"."""
    text = example.read_text("utf-8")
    shown = text.split("Prints:\n", 1)[1].split('"""', 1)[0]
    return [line.strip() for line in shown.splitlines() if line.strip()]


EXAMPLES = sorted(
    {*PROJECT.glob("examples/*.py")}
    - {PROJECT / "examples/fastapi_app.py", PROJECT / "examples/chatbot.py"}
    - {*map(example_of, FRAMEWORKS)}
)


_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
"""A fenced block, which may belong to an item of a list."""


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
        yield Block(fence[2], dedent(fence[3]), text.count("\n", 0, fence.start(3)) + 1)


def write_section(page: Path, title: str, text: str) -> None:
    """Put a text in place of the section of a page with this title."""
    before, heading, rest = page.read_text("utf-8").partition(f"## {title}\n")
    _, following, after = rest.partition("\n## ")
    page.write_text(f"{before}{heading}\n{text.strip()}\n{following}{after}", "utf-8")


def name_of(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def anchor(title: str) -> str:
    """Return the anchor of a heading, as links write it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
