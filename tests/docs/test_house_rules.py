"""Tests of rules for every text in the project."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import erstwhile
from tests.docs.pages import PAGES, PROJECT, anchor, blocks, name_of

DECISIONS = [page for page in PAGES if page.parent.name == "decisions" and page.name != "README.md"]
GUIDES = [PROJECT / "ARCHITECTURE.md", PROJECT / "CONTRIBUTING.md"]
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FORBIDDEN = re.compile(
    r"/(?:work|root|home)/\w|(?:pypi\.org|pythonhosted\.org|--(?:extra-)?index-url|--find-links)/?\w?"
)
"""Absolute paths of a machine, and addresses of a package registry."""
_IGNORED = re.compile(r"\.|__pycache__$|build$|dist$|.*\.egg-info$")


def test_the_readme_is_short_and_shows_code_early() -> None:
    readme = PROJECT / "README.md"
    assert len(readme.read_text("utf-8").splitlines()) < 150
    assert min(block.line for block in blocks(readme) if block.language == "python") < 15


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_resolve(page: Path) -> None:
    """Check that every relative link names an existing file and heading."""
    for target in _LINK.findall(page.read_text("utf-8")):
        if "://" in target:
            continue
        place, _, heading = target.partition("#")
        file = (page.parent / place).resolve() if place else page
        assert file.exists(), f"{target} is not there"
        titles = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE) if heading else ()
        assert not heading or heading in map(anchor, titles), f"{target} names no heading"


def test_every_page_is_reached_from_the_readme() -> None:
    reached, ahead = set[Path](), [PROJECT / "README.md"]
    while ahead:
        page = ahead.pop()
        reached.add(page)
        links = [link.partition("#")[0] for link in _LINK.findall(page.read_text("utf-8"))]
        found = {(page.parent / link).resolve() for link in links if link.endswith(".md")}
        ahead += found - reached
    assert set(PAGES) <= reached, sorted(map(name_of, set(PAGES) - reached))


def test_no_page_installs_from_a_registry() -> None:
    """Erstwhile is not published: pages install from a checkout."""
    command = re.compile("pip install [\"']?erstwhile")
    assert not [page for page in PAGES if command.search(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", [*GUIDES, *DECISIONS], ids=name_of)
def test_every_named_file_exists(page: Path) -> None:
    """Look for each path below the package, or for the end of a path."""
    named = set(re.findall(r"`([\w/]+\.(?:py|sql|toml|txt))`", page.read_text("utf-8")))
    folders = ("src/erstwhile", "scripts", "tests")
    files = [f"/{file}" for folder in folders for file in (PROJECT / folder).rglob("*.*")]
    files += [f"/{file.name}" for file in PROJECT.glob("*.toml")]
    assert [each for each in named if not any(file.endswith(f"/{each}") for file in files)] == []


@pytest.mark.parametrize("record", DECISIONS, ids=lambda record: record.stem)
def test_a_decision_has_a_date_a_status_and_three_parts(record: Path) -> None:
    text = record.read_text("utf-8")
    status = r"accepted|superseded by \[.+\]\([\w-]+\.md\)"
    assert re.match(rf"# .+\n\nDate: \d{{4}}-\d\d-\d\d\nStatus: (?:{status})\n", text)
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == ["Context", "Decision", "Consequences"]
    index = (record.parent / "README.md").read_text("utf-8")
    assert f"- [{text.splitlines()[0].removeprefix('# ')}]({record.name})" in index


def test_no_text_names_this_machine_or_a_registry() -> None:
    texts = {name_of(file): file.read_text("utf-8") for file in _texts() if file != Path(__file__)}
    assert not {
        name: found[0] for name, text in texts.items() if (found := _FORBIDDEN.search(text))
    }


def test_the_commands_of_the_readme_can_be_run() -> None:
    """Check that they are executable, that bash can parse them, and that CI runs one of them."""
    scripts = [PROJECT / "scripts" / "demo", PROJECT / "scripts" / "test", PROJECT / ".ci" / "run"]
    assert all(os.access(script, os.X_OK) for script in scripts)
    for script in (*scripts, PROJECT / "scripts" / "environment.sh"):
        command = ["bash", "-n", str(script)]
        subprocess.run(command, check=True, timeout=300)
    assert scripts[2].read_text("utf-8").splitlines()[1].endswith('/../scripts/test"')


def test_the_citation_has_the_version_of_the_package() -> None:
    citation = (PROJECT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [erstwhile.__version__]


def test_every_dependency_has_a_reason() -> None:
    """Compare pyproject.toml with the decision record on dependencies."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    wanted = [*project["project"]["dependencies"], *(each for extra in extras for each in extra)]
    wanted += project["build-system"]["requires"]
    reasons = (PROJECT / "docs" / "decisions" / "dependencies.md").read_text("utf-8")
    names = {re.split(r"[^\w.-]", each)[0] for each in wanted}
    used = reasons.partition("Considered and not used")[0]
    assert set(re.findall(r"\*\*([\w.-]+)\*\*", used)) == names


def _texts() -> Iterator[Path]:
    """Yield the files that could be committed; git is not needed."""
    for folder, folders, names in os.walk(PROJECT):
        folders[:] = [name for name in folders if name == ".ci" or not _IGNORED.match(name)]
        for name in names:
            file = Path(folder, name)
            if name != ".git" and b"\0" not in file.read_bytes():  # a file in a worktree
                yield file
