"""The files in `deploy`: each passes its linter, and nginx really passes requests on."""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import ssl
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from erstwhile.servers.tokens import TokenFile
from tests.docs.pages import PROJECT
from tests.servers.http_server import PATIENCE, send
from tests.servers.test_serve import running, wait_until

DEPLOY = PROJECT / "deploy"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
OPENSSL = shutil.which("openssl")
HOST = "memory.example"
FRAMEWORKS = {
    "adk", "agent-framework", "agno", "claude-agent-sdk", "crewai", "haystack", "langchain",
    "langgraph", "llama-index", "openai-agents", "pydantic-ai", "strands",
}  # fmt: skip
"""The extras for programs that run an agent themselves."""


def own_program(name: str) -> str:
    """Return a program of the environment in which the tests run."""
    return str(Path(sysconfig.get_path("scripts"), name))


def checked(*line: str) -> str:
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_dockerfile_passes_its_linter() -> None:
    checked(own_program("hadolint"), "--failure-threshold", "info", str(DEPLOY / "Dockerfile"))


def test_the_image_has_every_extra_of_a_server() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    [installed] = re.findall(r'"\.\[([a-z0-9,]+)\]"', (DEPLOY / "Dockerfile").read_text("utf-8"))
    extras = set(project["optional-dependencies"])
    assert {*installed.split(",")} == extras - FRAMEWORKS - {"dev"}


def test_the_image_has_the_apsw_that_encrypts() -> None:
    """Two packages have a module of one name: the last one that is installed wins."""
    *_, last = re.findall(r"pip install .*", (DEPLOY / "Dockerfile").read_text("utf-8"))
    assert "--force-reinstall --no-deps 'apsw-sqlite3mc" in last


def test_the_compose_file_has_the_form_of_its_schema() -> None:
    line = (own_program("check-jsonschema"), "--builtin-schema", "vendor.compose-spec")
    checked(*line, str(DEPLOY / "compose.yaml"))


@pytest.mark.parametrize("name", ["test", "release"])
def test_a_workflow_has_the_form_of_its_schema(name: str) -> None:
    line = (own_program("check-jsonschema"), "--builtin-schema", "vendor.github-workflows")
    checked(*line, str(PROJECT / ".github" / "workflows" / f"{name}.yml"))


def test_the_files_start_the_server_with_options_that_it_has() -> None:
    """A renamed option would otherwise be found when a container does not start."""
    texts = [(DEPLOY / name).read_text("utf-8") for name in ("Dockerfile", "compose.yaml")]
    unit = (DEPLOY / "erstwhile.service").read_text("utf-8")
    help_text = checked(sys.executable, "-m", "erstwhile", "serve", "--help")
    for option in ("--host", "--behind-proxy", "--workers", "--allow-host", "--tokens",
                   "--person-token"):  # fmt: skip
        assert option in help_text
        assert any(option in text for text in (*texts, unit))


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd")
def test_the_unit_is_valid_and_hardened(tmp_path: Path) -> None:
    unit = tmp_path / "erstwhile.service"
    text = (DEPLOY / "erstwhile.service").read_text("utf-8")
    unit.write_text(text.replace("/opt/erstwhile/bin/erstwhile", sys.executable), "utf-8")
    checked("systemd-analyze", "verify", str(unit))
    told = checked("systemd-analyze", "security", "--offline=true", str(unit))
    level = float(told.split("exposure level for erstwhile.service: ")[1].split()[0])
    assert level < 2


@pytest.mark.skipif(not (NGINX and OPENSSL), reason="there is no nginx, or no openssl")
def test_requests_pass_through_nginx(tmp_path: Path) -> None:
    """With encryption, the name of the host, a token, and the limit of a body."""
    secret = TokenFile(tmp_path / "t").make("test").secret
    options = ("--workers", "2", "--allow-host", HOST)
    with running(tmp_path, *options) as served, proxy(tmp_path, served.port) as port:
        assert ask(port, "POST", "/v1/facts", secret, {"text": "Tea is green"}) == 200
        assert ask(port, "GET", "/v1/facts", secret) == 200
        assert ask(port, "GET", "/v1/facts", "wrong") == 401
        assert ask(port, "GET", "/v1/facts", secret, host="evil.example") == 421
        assert ask(port, "POST", "/v1/facts", secret, {"text": "x" * 5_000_000}) == 413
        for path in ("/healthz", "/readyz", "/metrics"):
            assert ask(port, "GET", path, secret) == 404


def ask(
    port: int, method: str, path: str, secret: str, body: object = None, host: str = HOST
) -> int:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE, context=context)
    headers = {"Host": host, "Authorization": f"Bearer {secret}"}
    return send(port, method, path, headers, body, connection=connection).status


@contextmanager
def proxy(folder: Path, server: int) -> Iterator[int]:
    """Run nginx with the file of `deploy`, with other ports and a certificate of its own."""
    assert NGINX
    assert OPENSSL
    certificate, key = folder / "a.pem", folder / "a.key"
    line = [OPENSSL, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    checked(*line, "-subj", f"/CN={HOST}", "-keyout", str(key), "-out", str(certificate))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    for old, new in {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "    listen [::]:443 ssl;\n": "",
        "127.0.0.1:8765": f"127.0.0.1:{server}",
        "/etc/ssl/memory.example.pem": str(certificate),
        "/etc/ssl/memory.example.key": str(key),
    }.items():
        assert old in text
        text = text.replace(old, new)
    whole = folder / "nginx.conf"
    kept = "".join(
        f"{name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole.write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{kept}{text}\n}}\n",
        "utf-8",
    )
    checked(NGINX, "-t", "-c", str(whole), "-p", str(folder))
    process = subprocess.Popen(
        [NGINX, "-c", str(whole), "-p", str(folder)], stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: _connects(port))
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _connects(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), 1):
        return True
