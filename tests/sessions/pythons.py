# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The sessions that go through the Pythons and the releases of ansible-core; a Python that is not here is skipped."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Final, NamedTuple

import nox
from nox.command import CommandFailed

from .environment import CACHE, EVIDENCE, PARALLEL, ROOT, VENV, copy_of_checkout, install, missing, modules, run

MODULE_PYTHONS: Final = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")  # on which modules run
TESTS_OF_MODULE_CODE: Final = "tests/unit/plugins/module_utils"
# Unit tests that run the local service, for which the Python of a target may be too old.
LOCAL_SERVICE: Final = tuple(
    f"--ignore={TESTS_OF_MODULE_CODE}/{file}"
    for file in ("_traffic/test_ask.py", "_traffic/test_nodes.py", "_traffic/test_queries.py", "_api/test_orphan.py")
)
OLDEST_REQUESTS: Final = ("requests==2.25.1", "urllib3==1.26.5")


class Cell(NamedTuple):
    """A cell of the matrix: which Pythons may run it, what it requires, and its tests."""

    python: str
    requires: tuple[str, ...]
    tests: tuple[str, ...]


# What each release of ansible-core must do: every case of every module, and the role; and what may differ between them.
ROLE: Final = "tests/e2e/test_baseline.py"
CASES: Final = ("tests/functional/test_idempotence.py",)
SCENES: Final = (
    f"{ROLE}::test_a_host_is_an_account_a_zone_or_both",
    f"{ROLE}::test_the_role_applies_the_approved_plan_and_no_other",
)
OPTIONS: Final = ("tests/functional/test_bad_options.py", "tests/functional/test_any_options.py")
SECRETS: Final = "tests/e2e/test_secrets.py"
PLUGINS: Final = ("tests/e2e/test_inventory.py", "tests/e2e/test_export.py")
HTTP: Final = (
    "tests/unit/plugins/module_utils/_api",
    *(f"tests/functional/test_{name}.py" for name in ("retries", "transport", "calls", "faults")),
)
COMING: Final = "coming"  # the release that may not be there yet, and may still change
MATRIX: Final = {
    # The oldest, which Automation Platform ships.
    "2.16": Cell(">=3.11,<3.13", ("ansible-core==2.16.*",), (*CASES, *SCENES, *OPTIONS, *PLUGINS)),
    "2.16-role": Cell(">=3.11,<3.13", ("ansible-core==2.16.*",), (ROLE, SECRETS)),
    "2.17": Cell(">=3.11,<3.13", ("ansible-core==2.17.*",), (*CASES, *SCENES)),
    "2.18": Cell(">=3.11,<3.14", ("ansible-core==2.18.*",), (*CASES, *SCENES)),
    # The oldest that runs modules in the worker.
    "2.19": Cell(">=3.11,<3.14", ("ansible-core==2.19.*",), (*CASES, *SCENES, *OPTIONS)),
    "2.20": Cell(">=3.12,<3.15", ("ansible-core==2.20.*",), (*CASES, *SCENES)),
    "2.21": Cell(">=3.12,<3.15", ("ansible-core==2.21.*",), (*CASES, *SCENES)),
    # A requirement that names a pre-release takes pre-releases, and stable releases once there are newer ones.
    "2.22": Cell(">=3.13,<3.16", ("ansible-core>=2.22.0rc1,<2.23",), (*CASES, *SCENES)),
    # The oldest requests that a supported system still ships.
    "debian-12": Cell("==3.11.*", ("ansible-core==2.19.*", "requests==2.28.1", "urllib3==1.26.12"), HTTP),
    COMING: Cell(">=3.13,<3.16", ("ansible-core>=2.23.0b1",), (*CASES, ROLE, SECRETS)),
}
OWN_PYTHON = os.environ.get("MATRIX_PYTHON")  # of a job of the workflow; another one takes the first that fits
ONCE_A_WEEK: Final = ("2.16-role", COMING)  # the others run for every change
# Releases that have the ways of a neighbour: in the workflow for every change, on one machine once a week.
BETWEEN: Final = ("2.17", "2.20")


def link(session: nox.Session) -> None:
    """Make the checkout a collection of the session's environment; Ansible finds it in site-packages."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = str(session.run("python", "-c", code, silent=True, log=False)).strip()
    protection = Path(packages, "ansible_collections", "edgeops", "protection")
    protection.parent.mkdir(parents=True, exist_ok=True)
    protection.unlink(missing_ok=True)
    protection.symlink_to(ROOT)


def targets(session: nox.Session) -> None:
    """Import all modules, and run the tests of module code, as on a target: with no Ansible but its module_utils."""
    of_requests = session.name.endswith("oldest-requests")
    oldest = OLDEST_REQUESTS if of_requests else ()
    tests = f"{TESTS_OF_MODULE_CODE}/_api" if of_requests else TESTS_OF_MODULE_CODE  # which alone knows requests
    session.install("pytest", "pytest-xdist", "-r", "tests/unit/requirements.txt", *oldest)
    link(session)
    if session.python == "3.8":
        core = CACHE / "ansible-core-2.19"  # the last that takes Python 3.8 for a target
        words = ("-m", "pip", "install", "--quiet", "--upgrade", "--no-deps", "--target", core, "ansible-core==2.19.*")
        run(session, "python", *words)
    else:
        code = "import ansible, pathlib; print(pathlib.Path(ansible.__file__).parents[1])"
        core = Path(str(run(session, "python", "-c", code, silent=True)).strip())
    sent = CACHE / "targets" / session.name / "ansible"
    sent.mkdir(parents=True, exist_ok=True)
    (sent / "__init__.py").touch()
    (sent / "module_utils").unlink(missing_ok=True)
    (sent / "module_utils").symlink_to(core / "ansible" / "module_utils")
    environment = {"PYTHONPATH": str(sent.parent)}
    session.run("python", "tests/sessions/import_modules.py", *map(str, modules()), env=environment)
    session.run("python", "-m", "pytest", "-q", *PARALLEL, *LOCAL_SERVICE, tests, env=environment)


for version in MODULE_PYTHONS:
    tags = ["targets-all", *(["targets"] if version in (MODULE_PYTHONS[0], MODULE_PYTHONS[-1]) else [])]
    nox.session(name=f"targets-{version}", python=version, tags=tags)(targets)
nox.session(name="targets-oldest-requests", python="3.9", tags=["targets", "targets-all"])(targets)


def matrix(session: nox.Session) -> None:
    """Run the tests that may differ between releases of ansible-core."""
    name = session.name.removeprefix("matrix-")
    cell = MATRIX[name]
    default = run(session, "python", "-c", "import ansible.release as r; print(r.__version__)", silent=True)
    if str(default).startswith(f"{name}.") and not OWN_PYTHON:
        session.skip("make test runs the tests on this release.")
    requirements = (
        Path("tests/requirements", f"{part}.txt").read_text(encoding="utf-8") for part in ("service", "test")
    )
    lines = [line for text in requirements for line in text.splitlines()]
    ours = CACHE / "matrix" / f"{name}.txt"  # a cell names an ansible-core of its own
    ours.parent.mkdir(parents=True, exist_ok=True)
    ours.write_text("\n".join(line for line in lines if not re.match("-r |ansible-core", line)), encoding="utf-8")
    try:
        session.install("--upgrade", "-r", str(ours), *cell.requires)
    except CommandFailed:
        if name != COMING:
            raise
        missing(session, f"{' '.join(cell.requires)} cannot be installed; it may not be there yet.", may_lack=True)
    link(session)
    try:
        session.run("python", "-m", "pytest", "-q", *PARALLEL, *cell.tests)
    except CommandFailed:
        if name != COMING:
            raise
        session.warn("Tests fail on the coming release, which may still change.")


for name, cell in MATRIX.items():
    tags = ["matrix-all", *([] if name in (*ONCE_A_WEEK, *BETWEEN) else ["matrix"])]
    nox.session(name=f"matrix-{name}", python=OWN_PYTHON or cell.python, tags=tags)(matrix)


@nox.session(python=False)
def sanity(session: nox.Session) -> None:
    """Run ansible-test's sanity tests; tests/sanity has what is ignored, each with its reason."""
    run_sanity(session, [VENV / "bin"], "--python", version_of(session, VENV / "bin" / "python"))


@nox.session(python=False, name="sanity-all", tags=EVIDENCE)
def sanity_all(session: nox.Session) -> None:
    """Run them on every Python found."""
    pythons = {version: find_python(version) for version in MODULE_PYTHONS}
    session.log(f"Not checked, since they are not here: {[version for version, path in pythons.items() if not path]}")
    others = [path.parent for path in pythons.values() if path]
    run_sanity(session, [VENV / "bin", *others])
    newest = ROOT / ".nox" / "matrix-2-22" / "bin"
    if newest.exists():
        run_sanity(session, [newest, *others])
    else:
        session.warn("NOT RUN: the sanity tests of ansible-core 2.22; make matrix-2.22 makes its environment.")


def run_sanity(session: nox.Session, folders: list[Path], *words: str) -> None:
    """Run the sanity tests in a copy of the checkout, with the programs of these folders."""
    install(session, "test")
    copy = copy_of_checkout(session, "sanity")
    # ansible-test installs pip with a script from a host of its own; this one takes pip from the package index instead.
    scripts = Path.home() / ".ansible" / "test" / "cache"
    scripts.mkdir(parents=True, exist_ok=True)
    for script in (scripts / f"get_pip_{version}.py" for version in ("24_2", "25_2", "25_3")):
        if not script.exists():
            shutil.copy("tests/sessions/get_pip.py", script)
    (pinned,) = folders[0].parent.glob("lib/python*/site-packages/ansible_test/_data/requirements/sanity.pylint.txt")
    addresses = re.findall(r"@ (https://\S+)", pinned.read_text(encoding="utf-8"))
    if not all(map(answers, addresses)):
        session.warn(
            f"*** NOT TESTED: pylint, which needs {' '.join(addresses)}; that cannot be fetched from here. ***"
        )
        words = (*words, "--skip-test", "pylint")
    output = ansible_test(session, copy, folders, "sanity", *words)
    for sign in ("validate-modules", "import"):
        if f'Running sanity test "{sign}"' not in output:
            session.error(f"ansible-test did not run {sign}.")


def answers(address: str) -> bool:
    """Whether something can be fetched from an address."""
    try:
        with urllib.request.urlopen(address, timeout=20):
            return True
    except OSError:
        return False


def find_python(version: str) -> Path | None:
    """The Python of a version, if it works here; pyenv has shims on PATH for versions that are not installed."""
    command = [f"python{version}", "-c", "import sys; print(sys.executable)"]
    if not shutil.which(command[0]):
        return None
    printed = subprocess.run(command, capture_output=True, text=True, check=False)
    return Path(printed.stdout.strip()) if printed.returncode == 0 else None


def ansible_test(session: nox.Session, copy: Path, folders: list[Path], *words: str) -> str:
    """The output of ansible-test in a copy of the checkout, with the programs of these folders; fails where it does."""
    path = os.pathsep.join([*map(str, folders), "/usr/local/bin", "/usr/bin", "/bin"])
    with session.chdir(copy):
        return str(
            session.run(str(folders[0] / "ansible-test"), *words, "--color", "no", env={"PATH": path}, silent=True)
        )


@nox.session(python=False)
def integration(session: nox.Session) -> None:
    """Run ansible-test integration, on the oldest requests and Python if make targets and make matrix made them."""
    aliases = Path("tests/integration/targets").glob("*/aliases")
    expected = {path.parent.name for path in aliases if "hidden" not in path.read_text("utf-8").splitlines()}
    nox_folder = ROOT / ".nox"
    old = ((VENV, nox_folder / "targets-oldest-requests"), (nox_folder / "matrix-2-19", nox_folder / "targets-3-8"))
    made = [pair for pair in old if all((folder / "bin" / "python").exists() for folder in pair)]
    for controller, target in set(old) - set(made):
        session.warn(f"NOT RUN: {controller.name} with modules on {target.name}; make targets matrix makes them.")
    for controller, target in made or [(VENV, VENV)]:
        pythons = [folder / "bin" / "python" for folder in (controller, target)]
        copy = copy_of_checkout(session, "integration")
        configuration = copy / "tests" / "integration" / "integration_config.yml"
        configuration.write_text(f"local_service_python: {VENV / 'bin' / 'python'}\n", encoding="utf-8")
        versions = [version_of(session, python) for python in pythons]
        where = (f"--controller=origin:python={versions[0]}", f"--target=controller:python={versions[1]}@{pythons[1]}")
        output = ansible_test(session, copy, [controller / "bin"], "integration", *where)
        ran = set(re.findall(r"^Running (\S+) integration test role$(?:.|\n)*? ok=", output, re.MULTILINE))
        if ran != expected:
            session.error(f"ansible-test did not run {expected - ran}.")
        session.log(f"{controller.name} with modules on {target.name}: {len(ran)} targets passed.")


def version_of(session: nox.Session, python: Path) -> str:
    """The minor version of a Python."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return str(session.run(str(python), "-c", code, silent=True, log=False)).strip()
