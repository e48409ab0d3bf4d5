# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes an archive of ansible-galaxy reproducible, and describes it: checksums, and a bill of materials.

ansible-galaxy writes the files in the order of the directories, with the time of the build.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

MANIFEST, FILES = "MANIFEST.json", "FILES.json"
CHECKSUMS = "SHA256SUMS"
EXECUTABLE = 0o100


def make_reproducible(archive: Path, moment: int) -> None:
    """Write the archive anew, so that it depends on the contents of its files and on `moment` (seconds) alone."""
    contents, modes = _read(archive)
    listing = json.loads(contents[FILES])
    listing["files"].sort(key=lambda file: str(file["name"]))
    contents[FILES] = _as_json(listing)
    manifest = json.loads(contents[MANIFEST])
    manifest["file_manifest_file"]["chksum_sha256"] = hashlib.sha256(contents[FILES]).hexdigest()
    contents[MANIFEST] = _as_json(manifest)
    first = (MANIFEST, FILES)  # where ansible-galaxy looks for them
    names = [*first, *sorted(modes.keys() - set(first))]
    archive.write_bytes(_packed([(name, contents.get(name), modes[name]) for name in names], moment))


def _read(archive: Path) -> tuple[dict[str, bytes], dict[str, int]]:
    """The contents of the files, and the modes of files and directories."""
    contents: dict[str, bytes] = {}
    modes: dict[str, int] = {}
    with tarfile.open(archive) as opened:
        for member in opened.getmembers():
            file = opened.extractfile(member) if member.isfile() else None
            if file is not None:
                contents[member.name] = file.read()
            elif not member.isdir():
                raise ValueError(f"{member.name} is neither a file nor a directory")
            executable = file is None or member.mode & EXECUTABLE
            modes[member.name] = 0o755 if executable else 0o644
    return contents, modes


def _as_json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()


def _packed(members: list[tuple[str, bytes | None, int]], moment: int) -> bytes:
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as opened:
        for name, data, mode in members:
            info = tarfile.TarInfo(name)
            info.mtime, info.mode = moment, mode
            info.type = tarfile.DIRTYPE if data is None else tarfile.REGTYPE
            info.size = len(data or b"")
            opened.addfile(info, io.BytesIO(data or b""))
    return gzip.compress(tar.getvalue(), compresslevel=9, mtime=moment)


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def bill_of_materials(archive: Path, moment: str) -> dict[str, Any]:
    """What the archive is made of and needs, as CycloneDX 1.5: its files, ansible-core and the packages of Python."""
    contents, _modes = _read(archive)
    galaxy = json.loads(contents[MANIFEST])["collection_info"]
    version = str(galaxy["version"])
    name = f"{galaxy['namespace']}.{galaxy['name']}"
    collection = {
        "type": "application",
        "bom-ref": name,
        "name": name,
        "version": version,
        "purl": f"pkg:generic/{name}@{version}",
        "licenses": [{"license": {"id": item}} for item in galaxy["license"]],
        "hashes": [{"alg": "SHA-256", "content": checksum(archive)}],
    }
    needed = {
        "ansible-core": yaml.safe_load(contents["meta/runtime.yml"])["requires_ansible"],
        **_requirements(contents),
    }
    packages = [
        {
            "type": "library",
            "bom-ref": package,
            "name": package,
            "purl": f"pkg:pypi/{package}",
            "properties": [{"name": "requirement", "value": f"{package}{versions}"}],
        }
        for package, versions in needed.items()
    ]
    files = [
        {"type": "file", "name": file["name"], "hashes": [{"alg": "SHA-256", "content": file["chksum_sha256"]}]}
        for file in json.loads(contents[FILES])["files"]
        if file["ftype"] == "file"
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": moment, "component": collection},
        "components": [*packages, *files],
        "dependencies": [{"ref": name, "dependsOn": list(needed)}],
    }


def _requirements(contents: Mapping[str, bytes]) -> dict[str, str]:
    """The packages that requirements.txt names, with their versions."""
    lines = (line.partition("#")[0].strip() for line in contents["requirements.txt"].decode().splitlines())
    named = [line for line in lines if line]
    names = [line[: min((line.find(mark) for mark in "<>=~! " if mark in line), default=len(line))] for line in named]
    return {name: line.removeprefix(name) for name, line in zip(names, named, strict=True)}


def describe(archive: Path, moment: str) -> list[Path]:
    """Write the bill of materials and the checksums beside the archive; returns their paths."""
    bill = archive.with_name(archive.name.removesuffix(".tar.gz") + ".cdx.json")
    bill.write_bytes(_as_json(bill_of_materials(archive, moment)))
    sums = archive.with_name(CHECKSUMS)
    sums.write_text("".join(f"{checksum(path)}  {path.name}\n" for path in (archive, bill)), encoding="utf-8")
    return [bill, sums]
