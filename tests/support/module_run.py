# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a module in this process, through its own main() and AnsibleModule, against the local service."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from unittest.mock import patch

import pytest
from ansible.module_utils import basic
from ansible.module_utils.common import warnings
from ansible_collections.edgeops.protection.plugins.module_utils._arguments import without_ignored
from ansible_collections.edgeops.protection.plugins.module_utils._context import TASK, Context
from ansible_collections.edgeops.protection.plugins.module_utils._output import option_failure
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import argument_spec
from ansible_collections.edgeops.protection.plugins.module_utils._specs.host import HOST_SECTIONS, OPTION_NAMES
from ansible_collections.edgeops.protection.plugins.module_utils._specs.packing import packed
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE, MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.task import option_errors
from ansible_collections.edgeops.protection.plugins.plugin_utils._module_options import read_arguments

from tests.fake_service import LocalService

try:
    from ansible.module_utils import _internal
    from ansible.module_utils.testing import patch_module_args
except ImportError:  # before ansible-core 2.19
    _internal = None

ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353"
ZONE = "5c2a81f0f7ae4b2d9b1e6f3a7d904c11"
ROLE = Context(is_role=True)
OTHERS = 6  # as many further collections are read before a change that concerns an account's protection
VERBOSE: Mapping[bool, Mapping[str, int]] = {False: {}, True: {"_ansible_verbosity": 1}}
# The option that holds the rules, by the module of the ruleset.
RULESETS = {item.module: item.option for item in MANAGED if item.resource.is_ordered}
OF_HOSTS = ("ip_lists", "custom_rulesets")  # parts of a host that are no modules
# By their names, the specs of all that is run here and writes.
WRITING = {
    **{name: spec for name, spec in MODULE_SPECS.items() if spec.writes and name != HOST_MODULE},
    **{name: HOST_SECTIONS[name] for name in OF_HOSTS},
}
AREA_B = tuple(name for name, spec in {**MODULE_SPECS, **WRITING}.items() if spec.owner == "zone_id")


@contextmanager
def called_with(arguments: Mapping[str, Any]) -> Iterator[None]:
    """Let a module find these arguments, as in a process of its own."""
    if _internal is None:
        with patch.object(basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()):
            yield
    else:  # it is no target any more once a filter plugin was imported
        with patch.object(_internal, "is_controller", False), patch_module_args(arguments):
            yield


def run_main(
    module: str, options: Mapping[str, Any], check: bool = False, verbose: bool = False, context: Context = TASK
) -> dict[str, Any]:
    """The result of a module called with just these options, and with the context of a role; its action refuses
    options without the form of its argument spec."""
    spec, read = read_arguments(module, options)
    if read.errors:
        return option_failure(options, option_errors(spec, read, context), context)
    options = packed(options) if module == HOST_MODULE else without_ignored(argument_spec(spec), options)
    arguments = {**options, "_ansible_check_mode": check, "_ansible_diff": True, **VERBOSE[verbose]}
    printed = io.StringIO()
    warnings._global_warnings.clear()  # a process of its own would begin without any
    main = import_module(f"ansible_collections.edgeops.protection.plugins.modules.{module}").main
    environment = patch.dict(os.environ, context.environment())
    with environment, called_with(arguments), redirect_stdout(printed), pytest.raises(SystemExit):
        main()
    result: dict[str, Any] = json.loads(printed.getvalue())
    result.pop("_ansible_new_secrets", None)  # ansible-core 2.22 and newer take it out
    return result


@dataclass(frozen=True)
class Modules:
    """The modules, with the local service's address, its token and one account or zone filled in, and no call budget."""

    service: LocalService

    def run(
        self, module: str, check: bool = False, context: Context = TASK, verbose: bool = False, **options: Any
    ) -> dict[str, Any]:
        """A module's result, whether it ends well or not; `context` is that of a role."""
        owner = {"zone_id": ZONE} if module in AREA_B else {"account_id": ACCOUNT}
        connection = {"base_url": self.service.base_url, "api_token": self.service.token, "call_budget": 0}
        if module == HOST_MODULE:
            context = ROLE if context is TASK else context
            owner = {} if {"account_id", "zone_id"} & options.keys() else {"account_id": ACCOUNT, "zone_id": ZONE}
        if module not in OF_HOSTS:
            return run_main(module, {**connection, **owner, **options}, check, verbose, context)
        owner = {name: options.pop(name) for name in ("account_id", "zone_id") if name in options} or owner
        own = {OPTION_NAMES[module].get(name, name): value for name, value in options.items()}
        result = run_main(HOST_MODULE, {**connection, **owner, **own}, check, verbose, ROLE)
        names = {ours: theirs for theirs, ours in OPTION_NAMES[module].items()}
        return {names.get(name, name): value for name, value in result.items()}

    def done(self, module: str, check: bool = False, **options: Any) -> dict[str, Any]:
        """The result of a module that must end well."""
        result = self.run(module, check, **options)
        assert not result.get("failed"), result
        return result

    def failed(self, module: str, check: bool = False, **options: Any) -> dict[str, Any]:
        """The result of a module that must fail."""
        result = self.run(module, check, **options)
        assert result.get("failed"), result
        return result

    def lawful(self, module: str, **options: Any) -> dict[str, Any]:
        """The result of a module that ends well, as it was predicted, and leaves nothing to do."""
        return lawful(lambda check: self.done(module, check, **options))


def lawful(run: Callable[[bool], dict[str, Any]]) -> dict[str, Any]:
    """Predict, apply, and apply again; the result, which is as predicted and leaves nothing to do. `run` takes the check mode."""
    predicted, done, again = (run(check) for check in (True, False, False))
    for name in ("operations", "plan_id", "diff", "changed"):
        assert done[name] == predicted[name]
    assert (again["changed"], again["operations"]) == (False, [])
    return done


def warnings_of(result: Mapping[str, Any]) -> str:
    texts = (item["event"]["msg"] if isinstance(item, dict) else item for item in result.get("warnings", []))
    return " ".join(texts)
