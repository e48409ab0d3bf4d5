# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a host as the packed module takes them: those of a connection stand beside what
the host describes."""

from __future__ import annotations

from typing import Any

from .._arguments import read_options
from .._errors import as_one
from .._schema.resource import OptionSpec, without
from .base import Options, argument_spec
from .host import HOST, HOST_OPTIONS
from .host_tasks import BASELINE, OPTIONS_OF_TASKS, TASK_OPTION

# Options of an action on hosts, which the packed module takes as well.
PACKED: OptionSpec = argument_spec(
    HOST, {**OPTIONS_OF_TASKS, "described": {"type": "dict", "default": {}}}
)


def packed(options: Options) -> dict[str, Any]:
    """The options of a host in the form in which they are sent to the packed module."""
    beside = PACKED.keys() - OPTIONS_OF_TASKS.keys()
    packed_options = {name: value for name, value in options.items() if name in beside}
    return {**packed_options, TASK_OPTION: BASELINE, "described": without(options, *beside)}


def unpacked(options: Options) -> dict[str, Any]:
    """The options of a host from those of the packed module. Raises ValueError for wrong ones,
    which the action plugin has reported already.
    """
    described = read_options(HOST_OPTIONS, options["described"])
    if described.errors:
        raise ValueError(as_one(described.errors).message)
    return {**described, **without(options, "described", *OPTIONS_OF_TASKS)}
