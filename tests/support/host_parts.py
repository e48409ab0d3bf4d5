# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules that a role runs for a host, run one by one against the local service."""

from __future__ import annotations

from typing import Any

import yaml
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE, lawful, run_main

RISKS = [
    "unprotects_addresses", "stops_mitigation", "disables_protection", "lowers_sensitivity", "skips_monitoring", "broad_allowlist",
    "allowlists_own_prefix", "mass_deletion", "empties_list", "weakens_zone", "skips_everything", "blocks_everything",
    "weakens_network_firewall", "weakens_ddos_rules", "weakens_managed_rules", "weakens_rate_limits",
]  # fmt: skip
LOGIN_LIMIT: dict[str, Any] = {  # on each plan
    "ref": "login",
    "action": "block",
    "expression": 'http.request.uri.path eq "/login"',
    "ratelimit": {
        "characteristics": ["ip.src", "cf.colo.id"],
        "period": 10,
        "requests_per_period": 20,
        "mitigation_timeout": 10,
    },
}


class Loader(yaml.SafeLoader):
    """Reads `!unsafe` texts as texts, as Ansible does."""


def unsafe_text(loader: Loader, node: yaml.ScalarNode) -> Any:
    return loader.construct_scalar(node)


Loader.add_constructor("!unsafe", unsafe_text)


def read_back(text: str) -> dict[str, Any]:
    """The variables in a file."""
    document: dict[str, Any] = yaml.load(text, Loader)
    return document


def host(service: LocalService) -> dict[str, Any]:
    """The variables of the inventory."""
    return {
        "edge_account_id": ACCOUNT,
        "edge_zone_id": ZONE,
        "edge_api_token": service.token,
        "edge_base_url": service.base_url,
        "baseline_call_budget": 0,
        "baseline_retries": 0,
        "baseline_staged_rollout": False,
        "baseline_accept_risks": RISKS,
    }


def lawful_part(part: Part) -> dict[str, Any]:
    """Predict, apply and apply again what a role runs for a host; see Modules.lawful."""

    def run(check_mode: bool) -> dict[str, Any]:
        result = run_module(part, check_mode)
        assert not result.get("failed"), result["msg"]
        return result

    return lawful(run)


def run_module(part: Part, check_mode: bool) -> dict[str, Any]:
    return run_main(part.module, part.options, check_mode, context=part.context)
