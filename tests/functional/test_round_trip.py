# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the info modules return can be given back as it is, ids and timestamps included, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import COLLECTIONS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.account import SUBSETS

from tests.documentation.samples import ACCOUNT_STATE, BESIDE_STATE, RULESETS_STATE, ZONE_STATE
from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, RULESETS, ZONE, Modules

Result = Mapping[str, Any]

ROUND_TRIPS: Mapping[str, tuple[str, Callable[[Result], Result]]] = {
    "account_protection": (
        "protection_info",
        lambda read: {**{name: read[name] for name in COLLECTIONS}, "purge": list(COLLECTIONS)},
    ),
    "protected_prefixes": ("protection_info", lambda read: {"prefixes": read["prefixes"], "purge": True}),
    "allowlist": ("protection_info", lambda read: {"entries": read["allowlist"], "purge": True}),
    "firewall_rules": ("firewall_rules_info", lambda read: {"rules": read["rules"]}),
    "custom_rules": ("custom_rules_info", lambda read: {"rules": read["rules"], "purge": True}),
    "ip_lists": ("protection_info", lambda read: {"lists": read["ip_lists"], "purge": True}),
    "managed_rules": ("managed_rules", lambda read: {"rules": read["rules"], "purge": True}),
    "network_firewall_rules": ("network_firewall_rules", lambda read: {"rules": read["rules"], "purge": True}),
    "ddos_l4_overrides": ("ddos_l4_overrides", lambda read: {"overrides": read["overrides"], "purge": True}),
    "rate_limit_rules": ("rate_limit_rules", lambda read: {"rules": read["rules"], "purge": True}),
    "ddos_l7_overrides": ("ddos_l7_overrides", lambda read: {"overrides": read["overrides"], "purge": True}),
}


@pytest.mark.parametrize("module", ROUND_TRIPS)
def test_results_can_be_given_back_as_options(module: str, service: LocalService, modules: Modules) -> None:
    service.account(ACCOUNT).seed(**ACCOUNT_STATE, lists=BESIDE_STATE["lists"])
    of_zone = {name: RULESETS_STATE[name] for name in ("ddos_l7_overrides", "rate_limit_rules", "managed_rules")}
    service.account(ACCOUNT).seed(**{name: RULESETS_STATE[name] for name in RULESETS_STATE if name not in of_zone})
    service.zone(ZONE).seed(**ZONE_STATE, **of_zone)
    reader, options = ROUND_TRIPS[module]
    whole: dict[str, Any] = {"gather_subset": [*SUBSETS, "ip_lists"]} if reader == "protection_info" else {}
    whole.update({RULESETS[reader]: []} if reader in RULESETS else {})  # without rules, it reads them
    given_back = options(modules.done(reader, **whole))
    assert modules.done(module, **given_back)["changed"] is False
    assert service.writes == []


def test_an_id_that_is_given_back_names_nothing(service: LocalService, modules: Modules) -> None:
    """The network identifies a prefix; another network is another prefix, whatever id stands beside it."""
    service.account(ACCOUNT).seed(**ACCOUNT_STATE)
    (first, *_rest) = modules.done("protection_info")["prefixes"]
    done = modules.done("protected_prefixes", prefixes=[{**first, "prefix": "198.51.100.0/24"}])
    assert [(item["action"], item["key"]) for item in done["operations"]] == [("create", "198.51.100.0/24")]
    assert set(done["operations"][0]["fields"]) == {"prefix", "comment", "excluded"}
