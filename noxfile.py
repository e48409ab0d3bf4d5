# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of the collection, a session each: `make NAME` runs the session NAME, or those with the tag NAME.

antsibull-nox.toml has the sessions of antsibull-nox. Sessions without a Python of their own run in .venv, where people
work, too; .ci/install makes it. The others have environments in .nox.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import antsibull_nox
import nox

ROOT = Path(__file__).parent

nox.needs_version = ">=2026.10"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = "GITHUB_ACTIONS" in os.environ
nox.options.reuse_existing_virtualenvs = True
nox.options.stop_on_first_error = True
# Each run of Ansible would compile all of it again; the bytecode stands outside of the tree, which archives are made of.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.update(
    PYTHONPYCACHEPREFIX=str(ROOT / ".cache" / "bytecode"),
    UV_NATIVE_TLS="true",
    UV_NO_PROGRESS="1",
    UV_SYSTEM_CERTS="true",
)
# antsibull-nox runs ansible-galaxy, which stands beside nox. pyenv's shims are there for all its versions, and work for
# some.
pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions").glob("3.*/bin")
os.environ["PATH"] = os.pathsep.join(
    [os.environ["PATH"], str(Path(sys.executable).parent), *map(str, sorted(pyenv))]
)

antsibull_nox.load_antsibull_nox_toml()
sys.path.insert(0, str(ROOT))  # which only `python -m nox` does

from tests.sessions import archive, pythons, quick, running, sources  # noqa: E402

__all__ = ["archive", "pythons", "quick", "running", "sources"]
