"""Tests that the documentation site builds, and that it needs nothing but itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.docs.pages import PAGES, PROJECT, name_of

SITE = PROJECT / "build" / "docs" / "site"
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src"}
"""Elements that a browser loads by itself, and the attribute with the address."""


class Html(HTMLParser):
    """Collects the links, the loaded files and the anchors of one page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.menu: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
            if "md-nav__link" in given.get("class", ""):
                self.menu.append(given["href"])
        if tag in LOADED and LOADED[tag] in given:
            self.loaded.append(given[LOADED[tag]])


@pytest.fixture(scope="module")
def site() -> dict[Path, Html]:
    """Build the site strictly: a link without its target is an error."""
    done = subprocess.run(
        [sys.executable, "-m", "scripts.docs_site"],
        cwd=PROJECT,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {file: Html(file) for file in SITE.rglob("*.html")}


def test_every_page_is_on_the_site(site: dict[Path, Html]) -> None:
    pages = [page for page in PAGES if page.name != "README.md"]
    wanted = {SITE / Path(name_of(page)).with_suffix(".html") for page in pages}
    assert wanted <= set(site)
    assert SITE / "index.html" in site


def test_every_link_leads_to_a_page_and_an_anchor(site: dict[Path, Html]) -> None:
    dead = [(file.name, link) for file, link in _links(site) if _dead(site, file, link)]
    assert dead == []


def test_nothing_is_loaded_from_elsewhere(site: dict[Path, Html]) -> None:
    loaded = {address for page in site.values() for address in page.loaded}
    files = (*SITE.rglob("*.css"), *SITE.rglob("*.svg"))
    styles = "".join(file.read_text("utf-8") for file in files)
    loaded |= set(re.findall(r"(?:url\(|@import )[\"']?(\S+?)[\"')]", styles))
    assert loaded
    assert [each for each in loaded if re.match(r"(?:https?:)?//", each)] == []


def test_the_navigation_has_every_page_of_the_index(site: dict[Path, Html]) -> None:
    index = (PROJECT / "docs" / "README.md").read_text("utf-8")
    listed = re.findall(r"^- \[.+\]\((?!\.\.)(.+)\.md\)$", index, re.MULTILINE)
    reached = {
        (file.parent / link.partition("#")[0]).resolve()
        for file, page in site.items()
        for link in page.menu
    }
    wanted = {SITE / "docs" / f"{place.replace('README', 'index')}.html" for place in listed}
    assert wanted - reached == set()
    assert len(listed) > 50


def test_no_escape_is_shown(site: dict[Path, Html]) -> None:
    assert [file.name for file in site if "\\|" in file.read_text("utf-8")] == []


def test_a_dead_link_is_noticed(site: dict[Path, Html]) -> None:
    index = SITE / "index.html"
    assert _dead(site, index, "missing.html")
    assert _dead(site, index, "#missing")
    assert not _dead(site, index, "docs/faq.html")


def _links(site: dict[Path, Html]) -> Iterator[tuple[Path, str]]:
    for file, page in site.items():
        if file.name != "404.html":  # its links begin at the root of a server
            yield from ((file, link) for link in {*page.links, *page.loaded})


def _dead(site: dict[Path, Html], file: Path, link: str) -> bool:
    if re.match(r"[a-z]+:", link):
        return False
    place, _, anchor = unquote(link).partition("#")
    target = (file.parent / place.partition("?")[0]).resolve() if place else file
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return True
    return bool(anchor) and target in site and anchor not in site[target].anchors
