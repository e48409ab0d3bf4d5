# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The entry point of every module that is packed and started: the only file that knows
AnsibleModule."""

from __future__ import annotations

import os
from typing import Any, Mapping

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ._api.adapters import REQUESTS_IMPORT_ERROR
from ._api.progress import has_lost_its_reader, watch
from ._context import context_in
from ._engine import run
from ._specs.base import ModuleSpec, argument_spec


def run_host_module() -> None:
    """Run the module of a whole host, whose options have another form; see run_module."""
    from ._specs.host import HOST_SPECS  # loads all specs
    from ._specs.packing import PACKED, unpacked  # loads all specs

    (spec,) = HOST_SPECS.values()
    module = AnsibleModule(argument_spec=PACKED, supports_check_mode=True)
    try:
        options = unpacked(module.params)
    except ValueError as exc:
        module.fail_json(msg=str(exc))
    _run(spec, module, options)


def run_module(spec: ModuleSpec) -> None:
    """Run a module to its end: one result, or one failure with a message and its details."""
    module = AnsibleModule(argument_spec=argument_spec(spec), supports_check_mode=True)
    _run(spec, module, module.params)


def _run(spec: ModuleSpec, module: AnsibleModule, options: Mapping[str, Any]) -> None:
    if REQUESTS_IMPORT_ERROR:
        module.fail_json(msg=missing_required_lib("requests"), exception=REQUESTS_IMPORT_ERROR)
    watch(has_lost_its_reader)
    is_verbose = getattr(module, "_verbosity", 0) > 0
    context = context_in(os.environ)
    result = run(spec, options, module.check_mode, is_verbose, module.warn, context=context)
    if result.get("failed"):
        module.fail_json(**result)
    module.exit_json(**result)
