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
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement

MANIFEST, FILES = "MANIFEST.json", "FILES.json"


def make_reproducible(archive: Path, moment: int) -> None:
    """Write the archive anew, so that it depends on the contents of its files and on `moment` (seconds) alone."""
    with tarfile.open(archive) as opened:
        members = {member.name: member for member in opened.getmembers()}
        contents = {name: opened.extractfile(member).read() for name, member in members.items() if member.isfile()}  # type: ignore[union-attr]
    listing, manifest = json.loads(contents[FILES]), json.loads(contents[MANIFEST])
    listing["files"].sort(key=lambda file: str(file["name"]))
    contents[FILES] = _as_json(listing)
    manifest["file_manifest_file"]["chksum_sha256"] = hashlib.sha256(contents[FILES]).hexdigest()
    contents[MANIFEST] = _as_json(manifest)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as opened:
        # ansible-galaxy looks for these two at the beginning.
        for name in sorted(members, key=lambda name: (name != MANIFEST, name != FILES, name)):
            info, data = tarfile.TarInfo(name), contents.get(name, b"")
            executable = members[name].isdir() or members[name].mode & 0o100
            info.mtime, info.mode, info.size = moment, 0o755 if executable else 0o644, len(data)
            info.type = members[name].type
            opened.addfile(info, io.BytesIO(data))
    archive.write_bytes(gzip.compress(packed.getvalue(), compresslevel=9, mtime=moment))


def _as_json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def bill_of_materials(archive: Path, moment: str) -> dict[str, Any]:
    """The contents and the needs of the archive, as CycloneDX 1.5: its files, ansible-core and the packages of Python."""
    with tarfile.open(archive) as opened:
        named = (MANIFEST, FILES, "meta/runtime.yml", "requirements.txt")
        texts = [opened.extractfile(name).read().decode() for name in named]  # type: ignore[union-attr]
    manifest, listing, runtime = map(yaml.safe_load, texts[:3])
    lines = [line.partition("#")[0].strip() for line in texts[3].splitlines()]
    galaxy = manifest["collection_info"]
    name, version = f"{galaxy['namespace']}.{galaxy['name']}", str(galaxy["version"])
    needed = {Requirement(line).name: line for line in lines if line}
    needed["ansible-core"] = f"ansible-core{runtime['requires_ansible']}"
    packages = [
        {"type": "library", "bom-ref": package, "name": package, "purl": f"pkg:pypi/{package}",
         "properties": [{"name": "requirement", "value": line}]}
        for package, line in needed.items()
    ]  # fmt: skip
    files = [
        {"type": "file", "name": file["name"], "hashes": [{"alg": "SHA-256", "content": file["chksum_sha256"]}]}
        for file in listing["files"]
        if file["ftype"] == "file"
    ]
    identity = {"bom-ref": name, "name": name, "version": version, "purl": f"pkg:generic/{name}@{version}"}
    licences = [{"license": {"id": item}} for item in galaxy["license"]]
    hashes = [{"alg": "SHA-256", "content": checksum(archive)}]
    collection = {"type": "application", **identity, "licenses": licences, "hashes": hashes}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": moment, "component": collection},
        "components": [*packages, *files],
        "dependencies": [{"ref": name, "dependsOn": list(needed)}],
    }


def describe(archive: Path, moment: str) -> list[Path]:
    """Write the bill of materials and the checksums beside the archive; returns their paths."""
    bill = archive.with_name(archive.name.removesuffix(".tar.gz") + ".cdx.json")
    bill.write_bytes(_as_json(bill_of_materials(archive, moment)))
    sums = archive.with_name("SHA256SUMS")
    sums.write_text("".join(f"{checksum(path)}  {path.name}\n" for path in (archive, bill)), encoding="utf-8")
    return [bill, sums]
