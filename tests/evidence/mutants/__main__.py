# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes what decides in small ways, one at a time, and asks whether a test notices. Every change that no test notices
must be explained in survivors.txt.

It tries one in sixty of all changes, the same in every run; ONE_IN=1 tries all of them, which takes hours.
FILES="module_utils/_plan/plan.py plugin_utils/_baseline/approval.py" tries these files alone.
With APART=1 unit and functional tests try each mutant apart, and the end says which kind alone kills how many. Each of JOBS
processes has a copy of the checkout of its own and every so many files; what became of their mutants stands in
.cache/mutants as soon as it is known.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .report import FUNCTIONAL, UNIT
from .report import main as report

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / ".cache" / "mutants"
MEASURED = FOLDER / "coverage"
JOBS = int(os.environ.get("JOBS", "2"))
DECIDING = (
    "module_utils/_plan/plan.py module_utils/_plan/reconcile.py "
    "module_utils/_apply/executor.py module_utils/_apply/recovery.py module_utils/_protection/*.py "
    "module_utils/_guard/risks/*.py module_utils/_guard/finders/*.py module_utils/_values/kinds.py module_utils/_expressions/*.py "
    "module_utils/_api/client.py plugin_utils/_baseline/approval.py"
)


def mutate(number: int, files: list[str]) -> None:
    """Try the mutants of files of plugins/ in a copy of the checkout."""
    path = FOLDER / str(number)
    copy = path / "ansible_collections" / "edgeops" / "protection"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".?*", "__pycache__"), symlinks=True)
    settings = {
        "PYTHONPATH": str(path),  # comes before the link in .venv, so that the copy is what is tested
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "HYPOTHESIS_PROFILE": "quick",
    }
    command = [sys.executable, "-m", "tests.evidence.mutants.trials", str(FOLDER), str(MEASURED), *files]
    subprocess.run(command, cwd=copy, env={**os.environ, **settings}, check=True)


def measure() -> None:
    """Run the tests once, and keep which of them runs which line. The trials find out which of them fail anyway."""
    words = ["-q", "-n", str(JOBS), UNIT, FUNCTIONAL, "--cov", "--cov-context=test", "--cov-report="]
    # Only this one notes each test that runs a line, and not the first one alone.
    environment = {**os.environ, "COVERAGE_FILE": str(MEASURED), "COVERAGE_CORE": "ctrace"}
    if subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, env=environment, check=False).returncode > 1:
        raise SystemExit("The tests do not run.")


def files(patterns: str) -> list[str]:
    """The files that match, relative to plugins/; raises SystemExit for a pattern that none matches."""
    root = ROOT / "plugins"
    matches = {pattern: sorted(root.glob(pattern)) for pattern in patterns.split()}
    if missing := [pattern for pattern, paths in matches.items() if not paths]:
        raise SystemExit(f"There is no {', '.join(missing)}.")
    return [str(path.relative_to(root)) for paths in matches.values() for path in paths if path.name != "__init__.py"]


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    measure()
    chosen = files(os.environ.get("FILES", DECIDING))
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(mutate, range(JOBS), [chosen[number::JOBS] for number in range(JOBS)]))
    sys.exit(report(str(FOLDER)))
