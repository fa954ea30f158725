"""Install Erstwhile with each extra in a fresh environment, and with all compatible extras in one.

\b
python -m bench.extras                 a row for each extra, then all together; takes minutes
python -m bench.extras --only serve    only this extra; can be repeated
python -m bench.extras --together      only the environment with all compatible extras

An environment that uv finds inconsistent, or in which the package cannot be imported, is an error.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bench.compare.process import CHECKOUT
from bench.report import Result, show

APART = {
    "encrypted": "its apsw replaces the plain one; see docs/how-to/encrypt.md",
    "crewai": "it needs mcp 1",
    "strands": "it needs an mcp older than 2.2",
}
"""The extras that are not in the common environment, with the reason."""
_CODE = "import erstwhile; erstwhile.open(':memory:').remember('Ana lives in Porto')"


def extras() -> list[str]:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    return [name for name in project["optional-dependencies"] if name != "dev"]


def installed(names: str) -> dict[str, str | float]:
    """Install a set of extras, check it, and return what it takes."""
    with TemporaryDirectory() as folder:
        python = str(Path(folder, "bin", "python"))
        _uv("venv", "--python", sys.executable, folder)
        _uv(
            "pip", "install", "--python", python, f"{CHECKOUT}[{names}]" if names else str(CHECKOUT)
        )
        _uv("pip", "check", "--python", python)
        subprocess.run([python, "-I", "-c", _CODE], check=True, cwd=folder)
        library = next(Path(folder, "lib").glob("python*/site-packages"))
        size = sum(each.stat().st_size for each in library.rglob("*") if each.is_file())
        packages = len(list(library.glob("*.dist-info")))
    return {"extra": names or "none", "packages": packages, "mib": round(size / 2**20)}


def _uv(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "uv", "--quiet", *words], check=True)


@click.command(help=__doc__)
@click.option("--only", multiple=True, type=click.Choice(extras()), help="Only this extra.")
@click.option("--together", is_flag=True, help="Only all compatible extras in one environment.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def main(only: tuple[str, ...], together: bool, as_json: bool) -> None:
    wanted = [] if together else [*only] or ["", *extras()]
    rows = [installed(each) for each in wanted]
    if not only:
        common = ",".join(name for name in extras() if name not in APART)
        rows.append({**installed(common), "extra": "all that go together"})
    apart = "; ".join(f"{name}: {reason}" for name, reason in APART.items())
    show([Result("Installed, with all dependencies", f"apart: {apart}", rows)], as_json=as_json)


if __name__ == "__main__":
    main()
