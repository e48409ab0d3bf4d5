# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes what decides in small ways, one at a time, and asks whether a test notices. Every change that no test notices
must be explained in survivors.txt.

FILES="module_utils/_plan/plan.py plugin_utils/_baseline/approval.py" tries these files alone, ONE_IN=10 a tenth of
all mutants. Each file has a copy of the checkout of its own, so that
JOBS files are tried at once; what became of its mutants stands in .cache/mutants as soon as it is known.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .report import main as report

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / ".cache" / "mutants"
MEASURED = FOLDER / "functional.coverage"
DECIDING = (
    "module_utils/_plan/plan.py module_utils/_plan/ordering.py module_utils/_plan/reconcile.py "
    "module_utils/_apply/executor.py module_utils/_apply/recovery.py module_utils/_protection/*.py "
    "module_utils/_guard/risks/*.py module_utils/_values/kinds.py module_utils/_expressions/*.py "
    "module_utils/_api/client.py plugin_utils/_baseline/approval.py"
)


def mutate(file: str) -> Path:
    """Try all mutants of a file of plugins/ in a copy of the checkout; returns the session with the results."""
    session = FOLDER / f"{file.replace('/', '.')}.sqlite"
    session.unlink(missing_ok=True)
    path = FOLDER / file
    copy = path / "ansible_collections" / "edgeops" / "protection"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".?*", "__pycache__"), symlinks=True)
    settings = {
        "PYTHONPATH": str(path),  # comes before the link in .venv, so that the copy is what is tested
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "HYPOTHESIS_PROFILE": "quick",
    }
    command = [sys.executable, "-m", "tests.evidence.mutants.trials", file, str(session), str(MEASURED)]
    subprocess.run(command, cwd=copy, env={**os.environ, **settings}, check=True)
    return session


def measure() -> None:
    """Run the functional tests once, and keep which of them runs which line."""
    context = ["--cov", "--cov-context=test", "--cov-report="]
    command = [sys.executable, "-m", "pytest", "-q", "-n", os.environ.get("JOBS", "2"), "tests/functional", *context]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "COVERAGE_FILE": str(MEASURED)}, check=True)


def files(patterns: str) -> list[str]:
    """The files that match, relative to plugins/; raises SystemExit for a pattern that none matches."""
    root = ROOT / "plugins"
    matches = {pattern: sorted(root.glob(pattern)) for pattern in patterns.split()}
    if missing := [pattern for pattern, paths in matches.items() if not paths]:
        raise SystemExit(f"There is no {', '.join(missing)}.")
    return [str(path.relative_to(root)) for paths in matches.values() for path in paths if path.name != "__init__.py"]


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    measure()
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        sessions = list(pool.map(mutate, files(os.environ.get("FILES", DECIDING))))
    sys.exit(report(list(map(str, sessions))))
