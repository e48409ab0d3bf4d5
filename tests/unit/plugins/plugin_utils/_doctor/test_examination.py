# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which parts of a host are read, and with which connection; tests/functional/test_doctor.py reads them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._doctor.examination import (
    OF_CONNECTION,
    parts_to_read,
    settings_of,
)

ACCOUNT, ZONE, TOKEN = "a" * 32, "b" * 32, "token-of-nobody"
URL = "https://api.example/client/v4"


@pytest.mark.parametrize(
    ("variables", "modules"),
    [
        ({"edge_account_id": ACCOUNT}, ["account_protection"]),
        ({"edge_zone_id": ZONE}, ["custom_rules"]),
        ({"edge_zone_name": "shop.example"}, ["custom_rules"]),
        ({"edge_account_id": ACCOUNT, "baseline_zone_id": ZONE}, ["account_protection", "custom_rules"]),
    ],
)
def test_an_account_and_a_zone_are_read_as_far_as_the_host_has_them(
    variables: dict[str, Any], modules: list[str]
) -> None:
    parts = parts_to_read("frankfurt", {**variables, "edge_api_token": TOKEN, "edge_base_url": URL})
    assert [part.module for part in parts] == modules
    settings = [settings_of(part, lambda text: None) for part in parts]
    assert {item.base_url for item in settings} == {URL}


def test_options_of_the_role_beat_those_of_the_inventory() -> None:
    values = {"edge_account_id": ACCOUNT, "edge_api_token": TOKEN, "baseline_timeout": 7, "baseline_base_url": URL}
    (part,) = parts_to_read("frankfurt", {**values, "edge_base_url": "https://other.example/client/v4"})
    settings = settings_of(part, lambda text: None)
    assert (settings.timeout, settings.base_url, settings.retries) == (7.0, URL, 1)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, "is neither an account nor a zone"),
        ({"edge_account_id": ACCOUNT}, "lacks credentials"),
        ({"edge_account_id": "x", "edge_api_token": TOKEN}, "edge_account_id: 'x' is not an id"),
        ({"edge_account_id": ACCOUNT, "edge_api_token": TOKEN, "baseline_timeout": "x"}, "timeout"),
    ],
)
def test_a_wrong_variable_is_told_by_its_name(variables: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        [settings_of(part, lambda text: None) for part in parts_to_read("frankfurt", variables)]


def test_only_variables_of_the_connection_are_read() -> None:
    assert "edge_api_token" in OF_CONNECTION and "baseline_ca_path" in OF_CONNECTION
    assert not [name for name in OF_CONNECTION if name.endswith(("rules", "prefixes", "risks"))]
