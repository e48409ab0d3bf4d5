# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Iterable

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import wrong_names
from ansible_collections.edgeops.protection.plugins.plugin_utils._inventory.hosts import Directory, Selection, hosts_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import misspelt, misspelt_errors


def told(names: Iterable[str]) -> list[str]:
    """What is said of a host with variables of these names."""
    return [error.message for error in wrong_names(dict.fromkeys(names))]


KNOWN = ["baseline_prefixes", "edge_zone_id", "other", "target", "inventory_hostname", "targeting"]


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("baseline_prefix", "baseline_prefixes"),
        ("baseline_allow_list", "baseline_allowlist"),
        ("baseline_limit", "baseline_limits"),
        ("baseline_custom_rule", "baseline_custom_rules"),
        ("baseline_zzz", None),
    ],
)
def test_an_unknown_variable_is_named_with_the_one_that_is_close(name: str, close: str | None) -> None:
    (sentence,) = told([name, *KNOWN])
    assert sentence == f"{name}: there is no such variable{f' (did you mean {close}?)' if close else ''}"


@pytest.mark.parametrize("name", ["baseline_result", "baseline_report", "baseline_source"])
def test_variables_that_roles_register_or_export_are_not_misspelt(name: str) -> None:
    assert told([name, *KNOWN]) == []


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("edge_zone_idd", "edge_zone_id"),
        ("edge_acount_id", "edge_account_id"),
        ("tagret", "target"),
        ("targe", "target"),
        ("ttargets", "target"),
    ],
)
def test_a_variable_close_to_one_of_the_inventory_or_the_playbooks_is_a_question(name: str, close: str) -> None:
    (sentence,) = told([name, *KNOWN])
    assert sentence == f"{name}: there is no such variable (did you mean {close}?)"


@pytest.mark.parametrize("name", ["edge_region", "edge_team", "targ", "target_ip", "target_network", "retarget_all"])
def test_a_variable_of_the_user_is_none_of_ours(name: str) -> None:
    assert told([name, *KNOWN]) == []


def test_the_variables_of_the_inventory_plugin_are_known() -> None:
    directory = Directory([{"id": "a" * 32, "name": "lima"}], [{"id": "b" * 32, "name": "lima.example"}])
    described = {name for host in hosts_of(directory, Selection()) for name in host.variables}
    assert "edge_zone_plan" in described
    assert told(described) == []


def test_a_misspelt_variable_of_a_role_or_playbook_is_named() -> None:
    known = ("report_directory", "report_fail_on")
    (error,) = misspelt_errors(["report_directroy", *known, "other"], known)
    assert error.message == "report_directroy: there is no such variable (did you mean report_directory?)"


def test_other_variables_with_such_a_prefix_are_the_users_own() -> None:
    assert misspelt(["report_email", "report_directory", "report_directory_old"], ["report_directory"]) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("baseline_custom_rules_state", "baseline_purge: [custom_rules]"),
        ("baseline_max_deletions_percent", "baseline_limits: {max_deletions_percent: ...}"),
        ("baseline_ip_lists_state", "baseline_purge: [ip_lists]"),
    ],
)
def test_an_old_word_is_told_with_the_new_one(old: str, new: str) -> None:
    assert told([old]) == [f"{old}: write {new}"]
