"""Run the tests of clients/typescript under Node, against a real server with a memory in a file.

scripts/typescript
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import erstwhile
from tests.servers.http_server import http_servers

CLIENT = Path(__file__).resolve().parents[2] / "clients" / "typescript"


def main() -> int:
    with (
        http_servers() as servers,
        TemporaryDirectory() as folder,
        erstwhile.open(Path(folder, "agent.db")) as memory,
    ):
        given = {"ERSTWHILE_ADDRESS": servers.address, "ERSTWHILE_TOKEN": servers.token(memory)}
        tests = [str(each) for each in sorted(CLIENT.glob("test/*.test.js"))]
        node = shutil.which("node") or "node"
        done = subprocess.run([node, "--test", *tests], env={**os.environ, **given}, check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
