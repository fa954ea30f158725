"""Run the Python and shell blocks of a page, in order, in the current folder.

Call it as `python -m tests.docs.run_page page.md`. A comment `# -> text` promises the output or the
value of the statement before it; `…` in it stands for any text. The promises of a shell block are
compared with the whole output of the block.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from tests.docs.pages import Block, blocks

_PROMISE = re.compile(r"# -> (.*)$")
_SHELL = f'set -euo pipefail\nerstwhile() {{ {quote(sys.executable)} -m erstwhile "$@"; }}\n'


def main() -> None:
    page = Path(sys.argv[1])
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.runs and block.language == "python":
            run_python(page, block, names)
        elif block.runs:
            run_shell(page, block)


def run_python(page: Path, block: Block, names: dict[str, Any]) -> None:
    statements = ast.parse(block.text).body
    lines = block.text.splitlines()
    starts = [statement.lineno - 1 for statement in statements]
    for statement, start, end in zip(statements, starts, [*starts[1:], len(lines)], strict=True):
        printed = _output(ast.increment_lineno(statement, block.line - 1), page, names)
        _compare(_promises(lines[start:end]), printed, f"{page}:{block.line + start}")


def run_shell(page: Path, block: Block) -> None:
    command = ["bash", "-c", _SHELL + block.text]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    place = f"{page}:{block.line}"
    if done.returncode:
        sys.exit(f"{place}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    _compare(_promises(block.text.splitlines()), done.stdout, place)


def _output(statement: ast.stmt, page: Path, names: dict[str, Any]) -> str:
    """Return the output of a statement; for an expression also its value, as `print` shows it."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if isinstance(statement, ast.Expr):
            value = eval(_compiled(ast.Expression(statement.value), page), names)  # noqa: S307
            if value is not None:
                print(value)
        else:
            exec(_compiled(ast.Module([statement], []), page), names)  # noqa: S102
    return printed.getvalue()


def _compiled(tree: ast.Module | ast.Expression, page: Path) -> Any:
    return compile(tree, str(page), "eval" if isinstance(tree, ast.Expression) else "exec")


def _promises(lines: Sequence[str]) -> list[str]:
    return [found[1].strip() for line in lines if (found := _PROMISE.search(line))]


def _compare(promised: list[str], printed: str, place: str) -> None:
    output = [line.strip() for line in printed.splitlines()]
    kept = len(promised) == len(output) and all(map(_fits, promised, output))
    if promised and not kept:
        sys.exit(f"{place}: promised\n  {promised}\nbut it prints\n  {output}")


def _fits(promise: str, line: str) -> bool:
    return bool(re.fullmatch(".*".join(map(re.escape, promise.split("…"))), line))


if __name__ == "__main__":
    main()
