# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.approval import host_plan_id


def test_the_plan_id_of_a_host_depends_on_the_plan_of_each_module() -> None:
    one, two = {"account_protection": "a" * 64}, {"account_protection": "a" * 64, "custom_rules": "b" * 64}
    assert len({host_plan_id(one), host_plan_id(two), host_plan_id({"custom_rules": "a" * 64})}) == 3
    assert host_plan_id(two) == host_plan_id(dict(reversed(two.items())))


def test_modules_that_have_nothing_to_do_do_not_count() -> None:
    assert host_plan_id({}) == host_plan_id({"account_protection": ""}) == ""
    assert host_plan_id({"custom_rules": "b", "account_protection": ""}) == host_plan_id({"custom_rules": "b"})
