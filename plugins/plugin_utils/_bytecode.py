# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Loads the modules of this collection as Python loads any other, with the bytecode that it keeps
beside them.

The loader of Ansible would compile them in each run, which takes longer than a task does. Whoever
imports this does so before all others.

With EDGEOPS_PROTECTION_FAST_PATH=0 in the environment, no shortcut of this collection is taken:
neither this one, nor modules in the worker process, nor one task that predicts all hosts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader

from ansible.utils.collection_loader import AnsibleCollectionConfig

FAST_PATH = os.environ.get("EDGEOPS_PROTECTION_FAST_PATH", "").lower() not in (
    "0",
    "false",
    "no",
    "off",
)
OWN_PACKAGES = __name__.rpartition(".plugin_utils.")[0]
PRIVATE = tuple(f"{OWN_PACKAGES}.{name}._" for name in ("module_utils", "plugin_utils"))


class ByFile:
    """Finds the private modules of this collection by their files."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, _target: object = None
    ) -> ModuleSpec | None:
        """The spec of a private module of this collection; None for a package without a file,
        and for all other modules."""
        if not name.startswith(PRIVATE) or not path:
            return None
        finder = FileFinder(path[0], (SourceFileLoader, [".py"]))
        spec = finder.find_spec(name)
        return spec if spec and spec.loader else None


FINDER = AnsibleCollectionConfig.collection_finder
# Whoever stands before the finder of Ansible, as a test of imports does, stays there.
if FAST_PATH and FINDER in sys.meta_path:
    sys.meta_path.insert(sys.meta_path.index(FINDER), ByFile())
