# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The event source edgeops.protection.traffic: docs/events.md describes its options and events."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

DOCUMENTATION = r"""
short_description: Tell when packets begin and end to be dropped, or would be dropped
description:
  - Polls the analytics of Cloudflare accounts, and emits an event when Advanced TCP Protection or
    Advanced DNS Protection begins to drop packets to a network, or would drop them if it did not
    only monitor, and when that ends.
  - If the traffic cannot be read, it says so once, asks again later and later, and misses nothing.
options:
  accounts:
    description: The ids of the accounts.
    type: list
    elements: str
    required: true
  components:
    description: The components of the protection. DNS protection costs a query of its own.
    type: list
    elements: str
    choices: [syn_flood, out_of_state_tcp, dns]
    default: [syn_flood, out_of_state_tcp]
  interval:
    description: The seconds of traffic that each poll looks at, and between two polls.
    type: float
    default: 60
  delay:
    description: The seconds after which the analytics have all traffic of a time.
    type: float
    default: 120
  min_packets_per_second:
    description: >-
      From how many packets per second on, to one network on average of an interval, something is an
      event.
    type: float
    default: 100
  api_token:
    description: >-
      The API token, with the permission Account Analytics Read. By default that in
      E(CLOUDFLARE_API_TOKEN).
    type: str
  base_url:
    description: >-
      The URL of the Cloudflare API. By default that in E(CLOUDFLARE_BASE_URL), or Cloudflare's.
    type: str
notes:
  - It also takes C(timeout), C(retries), C(max_wait), C(call_budget), C(call_budget_period),
    C(validate_certs) and C(ca_path), as the modules do.
  - It needs the Python package requests beside ansible-rulebook.
"""

EXAMPLES = r"""
- edgeops.protection.traffic:
    accounts: [023e105f4ecef8ad9ca31a8372d0c353]
    interval: 60
    min_packets_per_second: 1000
"""


def _find_collection() -> None:
    """Let Python find the collection of this file, which ansible-rulebook runs alone."""
    folders = Path(__file__).absolute().parents
    roots = [folder.parent for folder in folders if folder.name == "ansible_collections"]
    sys.path.extend(str(root) for root in roots[:1] if str(root) not in sys.path)


async def main(queue: Any, args: dict[str, Any]) -> None:
    """Emit events until ansible-rulebook ends."""
    _find_collection()
    from ansible_collections.edgeops.protection.plugins.plugin_utils._events.source import (
        run_source,
    )

    await run_source(queue, args)
