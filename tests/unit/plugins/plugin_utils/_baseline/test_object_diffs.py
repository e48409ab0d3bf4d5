# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The diff of a host is one of each object, under its name."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.object_diffs import object_diffs, of_host


def test_each_object_has_its_diff_under_its_name() -> None:
    admin, login = {"action": "block"}, {"action": "managed_challenge"}
    before = {"custom_rules": {"admin": admin}, "status": {"enabled": False}}
    after = {"custom_rules": {"admin": login, "login": login}, "status": {"enabled": True}}
    diffs = [*object_diffs({"before": before, "after": after})]
    assert [(diff["before_header"], diff["before"], diff["after"]) for diff in diffs] == [
        ("custom rule admin", {"custom_rules": {"admin": admin}}, {"custom_rules": {"admin": login}}),
        ("custom rule login", "", {"custom_rules": {"login": login}}),
        ("TCP protection status", {"status": {"enabled": False}}, {"status": {"enabled": True}}),
    ]
    assert of_host("shop", diffs[1])["after_header"] == "shop: custom rule login"


def test_without_a_diff_there_is_none() -> None:
    assert [*object_diffs(None)] == [*object_diffs({})] == []
