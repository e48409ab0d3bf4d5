# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A host as one module: its options are those of its parts."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._arguments import read_options
from ansible_collections.edgeops.protection.plugins.module_utils._context import Context
from ansible_collections.edgeops.protection.plugins.module_utils._output import option_failure
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import argument_spec
from ansible_collections.edgeops.protection.plugins.module_utils._specs.host import (
    HOST_SECTIONS,
    HOST_SPECS,
    OF_TASKS,
    OPTION_NAMES,
)
from ansible_collections.edgeops.protection.plugins.module_utils._specs.task import option_errors

from tests.support.connection import CONNECTION

(HOST,) = HOST_SPECS.values()


def test_an_option_of_several_parts_is_the_same_in_each() -> None:
    for part, spec in HOST_SECTIONS.items():
        assert len({*OPTION_NAMES[part].values()}) == len(spec.options)
        for name, argument in spec.options.items():
            if name in ("purge", "limits", *OF_TASKS):  # a host has one for all, or none
                continue
            assert {**argument, "required": None} == {**HOST.options[OPTION_NAMES[part][name]], "required": None}


def test_errors_in_all_collections_are_told_at_once_by_their_names() -> None:
    rule = {"ref": "a", "action": "block", "expression": "ssl"}
    wrong = {
        "accept_risks": ["all"],
        "prefixes": [{"prefix": "nowhere"}],
        "allowlist": [{"prefix": "192.0.2.1"}, {"prefix": "192.0.2.1/32"}],
        "ip_lists": [{"name": "no name"}, {"name": "offices", "items": [{"ip": "office"}]}],
        "custom_rulesets": [{"name": "shield", "rules": [{**rule, "expression": " "}]}],
        "custom_rules": [{**rule, "position": "there"}],
    }
    names = {name: f"baseline_{name}" for name in HOST.options}
    given, context = {**CONNECTION, "zone_id": "x", **wrong}, Context(is_role=True, names=names)
    errors = option_errors(HOST, read_options(argument_spec(HOST), given), context)
    told = option_failure(given, errors, context)
    for option in (
        "zone_id: 'x' is not an id",
        "baseline_accept_risks[0]",
        "baseline_prefixes[0].prefix",
        "baseline_allowlist[1]: 192.0.2.1/32 is named here and in baseline_allowlist[0]",
        "baseline_ip_lists[0].name",
        "baseline_ip_lists[1].items[0].ip",
        "baseline_custom_rulesets[0].rules[0].expression",
        "baseline_custom_rules[0].position",
    ):
        assert option in told["msg"]


def test_an_error_that_several_parts_meet_is_told_once() -> None:
    wrong = {"purge": ["allowlst"], "custom_rules": "login", "ip_lists": "offices"}
    read = read_options(argument_spec(HOST), {**CONNECTION, "zone_id": "5" * 32, **wrong})
    errors = option_errors(HOST, read, Context(is_role=True))
    assert [error.option.path[0] for error in errors] == ["ip_lists", "purge", "custom_rules"]
