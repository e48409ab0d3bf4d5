# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The sessions that read the sources, and make pages of them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nox

from .environment import CACHE, ROOT, changed_files, modules, run

SPELLED = (
    "CONTRIBUTING.md", "README.md", "SECURITY.md", "docs", "examples", "extensions", "playbooks",
    "plugins", "roles", "tests",
)  # fmt: skip


@nox.session(python=False)
def types(session: nox.Session) -> None:
    """Check types, the direction of imports, spelling, prose, shell scripts and the changelog."""
    # mypy and import-linter go by folders: these links give the collection and its tests the names of their imports.
    folder = CACHE / "types"
    protection = folder / "ansible_collections" / "edgeops" / "protection"
    for link, target in ((protection, ROOT), (folder / "tests", ROOT / "tests")):
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    programs = (".ci/install", ".ci/publish_docs", ".ci/run", "extensions/ci/protection")
    run(session, "shellcheck", *programs, requires="lint")
    run(session, "codespell", *SPELLED, requires="lint")
    run(session, "python", "-m", "tests.prose", requires="lint")
    run(session, "python", "-m", "tests.prose.names", requires="lint")
    run(session, "antsibull-changelog", "lint", requires="lint")
    run(session, "antsibull-changelog", "lint-changelog-yaml", "changelogs/changelog.yaml", requires="lint")
    settings = ("--config-file", protection / "pyproject.toml", "--cache-dir", ROOT / ".mypy_cache")
    with session.chdir(folder):
        run(session, "mypy", *settings, "ansible_collections/edgeops/protection/plugins", "tests", requires="lint")
        contract = ("--config", protection / "pyproject.toml", "--no-cache", "--no-logo")
        run(session, "lint-imports", *contract, requires="lint")


@nox.session(python=False)
def lock(session: nox.Session) -> None:
    """Write the newest versions that tests/requirements allows, with their hashes, into its lock.txt."""
    path = ROOT / "tests" / "requirements" / "lock.txt"
    files = sorted(set(path.parent.glob("*.txt")) - {path, path.with_name("octorules.txt")})
    options = ("--universal", "--python-version", "3.13", "--generate-hashes", "--no-annotate", "--no-header")
    compiled = ("pip", "compile", "--quiet", "--upgrade", *options)
    run(session, "uv", *compiled, *files, "--output-file", path, requires="nox")
    licence = "".join(files[0].read_text(encoding="utf-8").splitlines(keepends=True)[:3])
    pins = path.read_text(encoding="utf-8")
    path.write_text(
        f"{licence}\n# `make lock` writes this; .ci/install takes it from Python 3.13 on.\n{pins}", encoding="utf-8"
    )


# The tables of answers and faults follow from these files, and take minutes.
BEYOND_DECLARATIONS = r"plugins/(?:module|plugin)_utils/(?!_schema/)|tests/fake_service/(?!declared)|tests/functional/test_(?:faults|hostile)"


@nox.session(python=False, name="docs-update")
def docs_update(session: nox.Session) -> None:
    """Write the pages and documentation blocks that are generated."""
    run(session, "python", "-m", "tests.documentation")
    if not any(re.match(BEYOND_DECLARATIONS, name) for name in changed_files(session)):
        return
    for page in ("faults", "hostile"):
        text = run(session, "python", "-m", f"tests.functional.test_{page}", silent=True, stderr=None)
        Path("tests", "functional", f"{page}.md").write_text(text, encoding="utf-8")


@nox.session(python=False)
def docs(session: nox.Session) -> None:
    """Build the documentation site; a warning is a failure."""
    source, site = CACHE / "docs" / "source", CACHE / "docs" / "html"
    shutil.rmtree(source.parent, ignore_errors=True)
    shutil.copytree("docs", source / "docs", ignore=shutil.ignore_patterns("site", "docsite"))
    shutil.copytree("docs/site", source, dirs_exist_ok=True)
    for path in (ROOT / "galaxy.yml", *ROOT.glob("*.md")):
        shutil.copy(path, source)
    reference = source / "reference"
    reference.mkdir(mode=0o755)
    options = ("--cleanup", "everything", "--use-current", "--squash-hierarchy", "--fail-on-error")
    collection = ("collection", *options, "--dest-dir", reference, "edgeops.protection")
    run(session, "antsibull-docs", *collection, requires="docs")
    run(session, "sphinx-build", "-q", "-W", "--keep-going", "-b", "html", source, site, requires="docs")
    pages = list((site / "reference").glob("*_module.html"))
    if len(pages) != len(modules()):
        session.error(f"The site has {len(pages)} pages of {len(modules())} modules.")
    session.log(f"The site is {site / 'index.html'}.")
