"""Build the documentation site in `build/docs/site`, or serve it while you write.

`python -m scripts.docs_site [--serve]`; `scripts/docs` runs it in its own environment. The pages
keep their places in the repository, so that a link works on the site and in a checkout.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from scripts.docs_site import commands, functions, mcp_tools, records
from scripts.docs_site.markdown import write
from scripts.docs_site.navigation import INDEX, navigation

PROJECT = Path(__file__).resolve().parents[2]
BUILD = PROJECT / "build" / "docs"
REFERENCE = "docs/reference/api"
COPIED = (
    "*.md",
    "CITATION.cff",
    "docs/**/*.*",
    "bench/README.md",
    "clients/*/README.md",
    "deploy/*",
    "examples/*.*",
    "src/**/export.schema.json",
    "tests/attacks/README.md",
)


def main() -> None:
    stage(BUILD)
    action = ["serve"] if "--serve" in sys.argv else ["build", "--strict", "--clean"]
    command = [sys.executable, "-m", "zensical", *action]
    sys.exit(subprocess.run(command, cwd=BUILD, check=False).returncode)


def stage(folder: Path) -> None:
    """Write pages and configuration into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    for file in {each for pattern in COPIED for each in PROJECT.glob(pattern)}:
        place = pages / file.relative_to(PROJECT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    made = {f"{REFERENCE}/{name}.md": text for name, text in reference().items()}
    for name, text in made.items():
        write(pages / name, text)
    head, title, rest = (PROJECT / "zensical.toml").read_text("utf-8").partition("[project]\n")
    nav = navigation((PROJECT / INDEX).read_text("utf-8"), made)
    write(folder / "zensical.toml", f"{head}{title}{nav}{rest}")


def reference() -> dict[str, str]:
    """Return the generated pages by name."""
    return {
        **functions.pages(),
        "records": records.page(),
        "commands": commands.page(),
        "mcp_tools": mcp_tools.page(),
    }


if __name__ == "__main__":
    main()
