# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks that versions and changelog are fit for a release, and names everything that is not: `make release-check`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
VERSION_ADDED = re.compile(r"version_added: [\"']?(?P<version>[\d.]+)")
WITH_VERSIONS = ("plugins", "roles")


def load(path: Path) -> Any:
    """The document of a YAML file."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def parts(version: str) -> tuple[int, ...]:
    """The numbers of a version, to compare it by."""
    return tuple(map(int, version.split(".")))


def problems(root: Path) -> Iterator[str]:
    """What keeps the checkout from being released as the version that galaxy.yml names; a sentence each."""
    galaxy = load(root / "galaxy.yml")
    version = galaxy["version"]
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"galaxy.yml: {version} is not MAJOR.MINOR.PATCH."
        return
    session = (root / "plugins/module_utils/_api/session.py").read_text(encoding="utf-8")
    if f'VERSION = "{version}"' not in session:
        yield f"api/session.py has another version than galaxy.yml, {version}."
    yield from _newer(root, version)
    yield from _requires_ansible(root)
    yield from _changelog(root, version)
    for page, named in (
        ("README.md", f"edgeops-protection-{version}.tar.gz"),
        ("docs/check_inventory.md", f"rev: {version}\n"),
    ):
        if named not in (root / page).read_text(encoding="utf-8"):
            yield f"{page} installs another version than {version}."
    yield from (
        f"galaxy.yml lacks {name}." for name in ("repository", "documentation", "issues") if not galaxy.get(name)
    )


def _requires_ansible(root: Path) -> Iterator[str]:
    """What is wrong with the least release of ansible-core, which runtime.yml, the page of versions and the tests name."""
    least = str((load(root / "meta/runtime.yml") or {}).get("requires_ansible"))
    match = re.fullmatch(r">=(\d+\.\d+)\.0", least)
    if not match:
        yield f"meta/runtime.yml: requires_ansible is {least}, and not >=MAJOR.MINOR.0."
    elif f"| ansible-core | {match[1]} and newer |" not in (root / "docs/versions.md").read_text(encoding="utf-8"):
        yield f"docs/versions.md names another ansible-core than {match[1]} of meta/runtime.yml."


def wrong_tag(version: str, tag: str) -> Iterator[str]:
    """What is wrong with the tag that is released."""
    if tag != version:
        yield f"The tag is {tag}, and galaxy.yml has {version}."


def _newer(root: Path, version: str) -> Iterator[str]:
    """The files with options, modules or roles that a later version than this one adds."""
    for path in sorted(path for folder in WITH_VERSIONS for path in (root / folder).rglob("*") if path.is_file()):
        if path.suffix in (".py", ".yml"):
            added = set(VERSION_ADDED.findall(path.read_text(encoding="utf-8")))
            yield from (
                f"{path.relative_to(root)} has version_added {item}, which is later than {version}."
                for item in sorted(added)
                if parts(item) > parts(version)
            )


def _changelog(root: Path, version: str) -> Iterator[str]:
    releases = load(root / "changelogs/changelog.yaml")["releases"]
    fragments = sorted(path.name for path in (root / "changelogs/fragments").glob("*.yml"))
    if version not in releases:
        yield f"The changelog has no {version}; run antsibull-changelog release."
    elif fragments:
        yield f"Fragments are left that no release of the changelog contains: {', '.join(fragments)}."
    elif not releases[version].get("changes", {}).get("release_summary"):
        yield f"The changelog of {version} has no release_summary."
    if f"## v{version}".replace(".", r"\.") not in (root / "CHANGELOG.md").read_text(encoding="utf-8"):
        yield f"CHANGELOG.md has no section of {version}."


def main(tag: str = "") -> int:
    """Print the problems, also with a tag; 0 if there are none."""
    sentences = list(problems(ROOT))
    sentences += wrong_tag(str(load(ROOT / "galaxy.yml")["version"]), tag) if tag else []
    print("\n".join(sentences) if sentences else "Versions and changelog are fit for a release.")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main(os.environ.get("RELEASE_TAG", "")))
