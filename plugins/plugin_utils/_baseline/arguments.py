# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The arguments of the role baseline: the argument of each of its variables, which is that of
the option it fills."""

from __future__ import annotations

from ...module_utils._schema.registry import MODULES
from ...module_utils._specs.base import argument_spec
from ...module_utils._specs.registry import MODULE_SPECS
from .._variables import Argument, Arguments
from .variables import EXPECTED_PLAN, INVENTORY, OPTIONS, SNAPSHOT_DIRECTORY, SNAPSHOT_KEEP


def _arguments_of(module: str) -> dict[str, Argument]:
    options = argument_spec(MODULE_SPECS[module])
    return {variable: options[option] for option, variable in OPTIONS[module].items()}


BASELINE: Arguments = {
    **{name: argument for module in MODULES for name, argument in _arguments_of(module).items()},
    EXPECTED_PLAN: {"type": "raw"},
    SNAPSHOT_DIRECTORY: {"type": "str"},
    SNAPSHOT_KEEP: {"type": "int"},
}
# With the variables of the inventory, which fill those of the role.
OF_HOST: Arguments = {**BASELINE, **{theirs: BASELINE[ours] for ours, theirs in INVENTORY.items()}}
