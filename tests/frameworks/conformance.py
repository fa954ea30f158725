"""Write what the tests against the real frameworks found into docs/conformance.md.

scripts/frameworks --write calls it with the reports of pytest.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tests.docs.pages import PROJECT, example_of, write_section

_SECTION = "Agent frameworks"
MAX_GLUE = 6
_HEAD = """`scripts/frameworks --write` writes this section. It runs every adapter against the
current package of its framework. All adapters fulfil one contract (`tests/frameworks/contract.py`):
only its user reads a text, which comes back as data and is stored once; no language model is
needed; sync and async agree; errors are those of the framework, or the run continues. A
sequence is a list of random calls, whose answers are compared with those of the framework's own
class. Glue is the number of lines of the [example](../examples) that name Erstwhile; more than
six are an error.

| framework | version | suite, or own class as the oracle | passed | failed | skipped | glue |
|---|---|---|---|---|---|---|"""


class Adapter(NamedTuple):
    """A tested adapter: its page, its package, and with what it is compared."""

    page: str
    package: str
    compared: str


ADAPTERS = {
    "test_langgraph": Adapter(
        "langgraph",
        "langgraph",
        "`langgraph-checkpoint-conformance`: all; `InMemoryStore`: 200 sequences; tools of LangMem",
    ),
    "test_langchain": Adapter(
        "langchain",
        "langchain",
        "`langchain-tests` for retrievers: all; `InMemoryChatMessageHistory`: 200 sequences",
    ),
    "test_openai_agents": Adapter(
        "openai-agents", "openai-agents", "`SQLiteSession`: 200 sequences"
    ),
    "test_pydantic_ai": Adapter("pydantic-ai", "pydantic-ai-slim", "runs with a scripted model"),
    "test_adk": Adapter(
        "google-adk",
        "google-adk",
        "`InMemorySessionService`, `InMemoryMemoryService`: 200 sequences each; `adk web`",
    ),
    "test_strands": Adapter("strands", "strands-agents", "`TestMemoryStore`: 200 sequences"),
    "test_agno": Adapter("agno", "agno", "`DecisionLogStore`: 200 sequences"),
    "test_agent_framework": Adapter(
        "agent-framework", "agent-framework-core", "`InMemoryHistoryProvider`: 200 sequences"
    ),
    "test_llama_index": Adapter(
        "llama-index", "llama-index-core", "`SQLAlchemyChatStore`: 200 sequences"
    ),
    "test_claude_agent": Adapter(
        "claude-agent-sdk", "claude-agent-sdk", "`run_session_store_conformance`: all"
    ),
    "test_crewai": Adapter("crewai", "crewai", "`LanceDBStorage`, no searches: 200 sequences"),
    "test_haystack": Adapter("haystack", "haystack-ai", "runs with a scripted model"),
    "test_anthropic_tool": Adapter(
        "anthropic-tool", "anthropic", "see `tests/integrations/test_memory_files.py`"
    ),
    "test_mem0": Adapter("mem0", "mem0ai", "mem0's `Memory`, no searches: 200 sequences"),
}


class Report(NamedTuple):
    """What the tests of one adapter found."""

    version: str
    counts: Counter[str]
    skipped: Counter[str]


def main() -> None:
    reports = read(Path(each) for each in sys.argv[1:])
    rows = [_row(adapter, reports[test]) for test, adapter in ADAPTERS.items()]
    reasons = sum((each.skipped for each in reports.values()), Counter[str]())
    lines = [f"- {count} skipped: {reason}" for reason, count in sorted(reasons.items())]
    page = PROJECT / "docs" / "conformance.md"
    write_section(page, _SECTION, "\n".join([_HEAD, *rows, "", *lines]))
    if failed := sum(each.counts["failed"] for each in reports.values()):
        sys.exit(f"{failed} tests failed; see docs/conformance.md")


def read(files: Iterator[Path]) -> dict[str, Report]:
    """Return the results by the module of the test."""
    found = dict[str, Report]()
    for file in files:
        suite = ElementTree.parse(file).getroot().find("testsuite")  # noqa: S314 (our own file)
        assert suite is not None
        versions = {each.get("name"): each.get("value") for each in suite.iter("property")}
        for case in suite.iter("testcase"):
            name = ".".join(str(case.get("classname")).split(".")[2:3])
            if name not in ADAPTERS:  # a page, or a module whose framework is in the other one
                continue
            version = str(versions.get(ADAPTERS[name].package))
            report = found.setdefault(name, Report(version, Counter(), Counter()))
            skipped = case.find("skipped")
            failed = case.find("failure") is not None or case.find("error") is not None
            report.counts["failed" if failed else "passed" if skipped is None else "skipped"] += 1
            if skipped is not None:
                report.skipped[str(skipped.get("message"))] += 1
    return found


def glue(example: Path) -> int:
    """Count the lines of an example that name something of Erstwhile, or the memory."""
    tree = ast.parse(example.read_text("utf-8"))
    imports = [each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom)]
    ours = [each for each in imports if "erstwhile" in ast.unparse(each)]
    names = {alias.asname or alias.name for each in ours for alias in each.names} | {"memory"}
    lines = {each.lineno for each in ours}
    for each in ast.walk(tree):
        if isinstance(each, ast.Name) and each.id in names:
            lines.add(each.lineno)
    return len(lines)


def _row(adapter: Adapter, report: Report) -> str:
    example = example_of(adapter.page)
    lines = glue(example)
    if lines > MAX_GLUE:
        sys.exit(f"{example.name} has {lines} lines of glue; at most {MAX_GLUE} are allowed")
    counts = " | ".join(str(report.counts[each]) for each in ("passed", "failed", "skipped"))
    page = f"how-to/{adapter.page}.md"
    has_page = (PROJECT / "docs" / page).exists()
    name = f"[{adapter.package}]({page})" if has_page else adapter.package
    return f"| {name} | {report.version} | {adapter.compared} | {counts} | {lines} |"


if __name__ == "__main__":
    main()
