# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All of an account and a zone is read, with the options of the role."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT_RESOURCES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import AUDIT_LOG, ONBOARDED, ZONE
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    OF_CONNECTION,
    host_part,
    settings_of,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.analytics import ANALYTICS
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.answers import (
    RETRIES,
    HostAnswer,
    resources_to_read,
)

from tests.support.ansible_run import REPOSITORY

ACCOUNT, ZONE_ID, TOKEN = "a" * 32, "b" * 32, "token-of-nobody"
URL = "https://api.example/client/v4"


def test_every_resource_of_an_owner_is_read_once() -> None:
    of_account = resources_to_read("account_id")
    assert {resource.path for resource in (*ACCOUNT_RESOURCES, ONBOARDED, AUDIT_LOG, ANALYTICS)} <= {
        resource.path for resource in of_account
    }
    assert {ZONE.path, CUSTOM_RULES.path, FIREWALL_RULES.path} <= {item.path for item in resources_to_read("zone_id")}
    assert len({resource.path for resource in of_account}) == len(of_account)
    assert not [resource.path for resource in of_account if resource.path.count("{") > 1]


@pytest.mark.parametrize(("row", "owner"), [("an account", "account_id"), ("a zone", "zone_id")])
def test_the_page_names_all_that_is_read(row: str, owner: str) -> None:
    page = (REPOSITORY / "docs" / "doctor.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith(f"| {row} |"))
    resources = resources_to_read(owner)
    assert f"| {len(resources)} |" in line
    names = [HostAnswer(resource).about for resource in resources]
    assert [name for name in names if name not in line] == []


def test_options_of_the_role_beat_those_of_the_inventory() -> None:
    values = {"edge_account_id": ACCOUNT, "edge_api_token": TOKEN, "baseline_timeout": 7, "baseline_base_url": URL}
    part = host_part("frankfurt", {**values, "edge_base_url": "https://other.example/client/v4"})
    settings = settings_of(part, "account_id", RETRIES, lambda text: None)
    assert (settings.timeout, settings.base_url, settings.retries) == (7.0, URL, 1)


def test_a_host_needs_no_address_of_the_service() -> None:
    part = host_part("frankfurt", {"edge_account_id": ACCOUNT, "edge_api_token": TOKEN})
    assert settings_of(part, "account_id", RETRIES, print).base_url == "https://api.cloudflare.com/client/v4"


def test_only_variables_of_the_connection_are_read() -> None:
    assert "edge_api_token" in OF_CONNECTION and "baseline_ca_path" in OF_CONNECTION
    assert not [name for name in OF_CONNECTION if name.endswith(("rules", "prefixes", "risks"))]
