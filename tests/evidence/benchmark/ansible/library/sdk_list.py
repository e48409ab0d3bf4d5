# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A module on the vendor's SDK that reads parts of an account, as one would write it in an afternoon."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from cloudflare import Cloudflare

READS: dict[str, Any] = {
    "status": lambda tcp, owner: [tcp.status.get(**owner)],
    "prefixes": lambda tcp, owner: tcp.prefixes.list(**owner, per_page=1000),
    "allowlist": lambda tcp, owner: tcp.allowlist.list(**owner, per_page=1000),
    "syn_flood_rules": lambda tcp, owner: tcp.syn_protection.rules.list(**owner, per_page=1000),
    "syn_flood_filters": lambda tcp, owner: tcp.syn_protection.filters.list(**owner, per_page=1000),
    "out_of_state_tcp_rules": lambda tcp, owner: tcp.tcp_flow_protection.rules.list(**owner, per_page=1000),
    "out_of_state_tcp_filters": lambda tcp, owner: tcp.tcp_flow_protection.filters.list(**owner, per_page=1000),
}


def main() -> None:
    options = {name: {"type": "str", "required": True} for name in ("base_url", "account_id")}
    module = AnsibleModule(
        {
            **options,
            "api_token": {"type": "str", "required": True, "no_log": True},
            "parts": {"type": "list", "elements": "str", "required": True},
        }
    )
    with Cloudflare(api_token=module.params["api_token"], base_url=module.params["base_url"]) as client:
        tcp = client.ddos_protection.advanced_tcp_protection
        owner = {"account_id": module.params["account_id"]}
        parts = {
            part: [item.to_dict(mode="json") for item in READS[part](tcp, owner)] for part in module.params["parts"]
        }
    module.exit_json(changed=False, **parts)


if __name__ == "__main__":
    main()
