# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two archives of the same files are equal, whenever and wherever they were built, and ansible-galaxy takes them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.sessions.packing import checksum, describe, make_reproducible
from tests.support.ansible_run import REPOSITORY

MOMENT = 1_800_000_000
GALAXY = "namespace: edgeops\nname: protection\nversion: 1.2.0\nreadme: README.md\nauthors: [a]\nlicense: [GPL-3.0-or-later]\n"
FILES = {
    "galaxy.yml": GALAXY,
    "README.md": "# A collection\n",
    "requirements.txt": "# A comment\nrequests>=2.25,<3\n",
    "meta/runtime.yml": 'requires_ansible: ">=2.16.0"\n',
    "plugins/modules/b.py": "b\n",
    "plugins/modules/a.py": "a\n",
}


def program(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def galaxy(*words: str | Path) -> None:
    environment = {**os.environ, "ANSIBLE_GALAXY_SERVER_LIST": "", "ANSIBLE_GALAXY_DISABLE_GPG_VERIFY": "1"}
    command = [program("ansible-galaxy"), "collection", *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, text=True, env=environment)


def built(folder: Path, names: list[str], age: int) -> Path:
    """An archive of files that were made in this order, and so long ago."""
    source = folder / "source"
    for name in names:
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FILES[name], encoding="utf-8")
        os.utime(path, (MOMENT - age, MOMENT - age))
    os.chmod(source / "plugins" / "modules" / "a.py", 0o600 if age else 0o664)
    galaxy("build", "--output-path", folder, source)
    return folder / "edgeops-protection-1.2.0.tar.gz"


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    paths = [
        built(tmp_path_factory.mktemp("one"), sorted(FILES), 0),
        built(tmp_path_factory.mktemp("two"), sorted(FILES, reverse=True), 86400),
    ]
    assert paths[0].read_bytes() != paths[1].read_bytes()  # as ansible-galaxy makes them
    for path in paths:
        make_reproducible(path, MOMENT)
    return paths


def test_two_builds_are_equal(archives: list[Path]) -> None:
    one, two = archives
    assert one.read_bytes() == two.read_bytes()
    with tarfile.open(one) as opened:
        assert {member.mtime for member in opened} == {MOMENT}
        assert {(member.uid, member.uname) for member in opened} == {(0, "")}
        assert opened.getnames()[:2] == ["MANIFEST.json", "FILES.json"]
    make_reproducible(one, MOMENT)
    assert one.read_bytes() == two.read_bytes()


def test_ansible_galaxy_installs_and_verifies_it(archives: list[Path], tmp_path: Path) -> None:
    galaxy("install", "--offline", "--collections-path", tmp_path, archives[0])
    galaxy("verify", "--offline", "--collections-path", tmp_path, "edgeops.protection")
    assert (tmp_path / "ansible_collections/edgeops/protection/plugins/modules/a.py").read_text() == "a\n"


def test_the_bill_of_materials_and_the_checksums_describe_it(archives: list[Path], tmp_path: Path) -> None:
    archive = Path(shutil.copy(archives[0], tmp_path))
    bill, sums = describe(archive, "2027-01-15T08:00:00+00:00")
    document = json.loads(bill.read_text(encoding="utf-8"))
    assert (document["bomFormat"], document["metadata"]["component"]["version"]) == ("CycloneDX", "1.2.0")
    components = {item["name"]: item for item in document["components"]}
    assert {"ansible-core", "requests", "README.md", "plugins/modules/a.py"} <= components.keys()
    assert components["requests"]["properties"][0]["value"] == "requests>=2.25,<3"
    assert components["ansible-core"]["properties"][0]["value"] == "ansible-core>=2.16.0"
    assert sums.read_text(encoding="utf-8").splitlines()[0] == f"{checksum(archive)}  {archive.name}"
    subprocess.run(["sha256sum", "--check", "--strict", sums.name], cwd=tmp_path, check=True, capture_output=True)
    again = describe(archive, "2027-01-15T08:00:00+00:00")
    assert bill.read_bytes() == again[0].read_bytes()


def test_the_collection_itself_has_what_the_bill_reads() -> None:
    assert "requests" in (REPOSITORY / "requirements.txt").read_text(encoding="utf-8")
    assert "requires_ansible" in (REPOSITORY / "meta" / "runtime.yml").read_text(encoding="utf-8")
