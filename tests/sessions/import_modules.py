# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Imports the modules in these files, as a target does that has no Ansible: `python tests/sessions/import_modules.py FILE ...`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

PLUGINS = "ansible_collections.edgeops.protection.plugins"


def main(files: list[str]) -> None:
    """Import each; those that do something on a target have a function main."""
    specs = importlib.import_module(f"{PLUGINS}.module_utils._specs.registry").MODULE_SPECS
    for name in [Path(file).stem for file in files]:
        module = importlib.import_module(f"{PLUGINS}.modules.{name}")
        # The others document an action that runs on the control node alone.
        assert name not in specs or module.main
    print(f"{len(files)} modules imported.")


if __name__ == "__main__":
    main(sys.argv[1:])
