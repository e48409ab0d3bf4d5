# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  accept_risks:
    description:
      - The risks that the task may take. A plan that carries another one fails before anything is written, in check
        mode too, and says which networks and entries are concerned.
      - An element is a code, which accepts every such risk, or a dictionary that binds the acceptance. A failure prints
        the dictionary that accepts just what it refuses.
      - A dictionary has C(code), and of C(networks), C(entries), C(expires) and C(reason) what it needs. C(networks)
        and C(entries) are the networks and keys that may be concerned; a risk that concerns others is refused.
      - From C(expires) on, by the service's clock, the acceptance does not count. It is a timestamp with offset, or a
        date, which means its end in UTC. C(reason) is returned with the accepted risk.
      - A dictionary belongs into an inventory, since a code that stays there accepts later risks as well.
      - V(unprotects_addresses) leaves addresses outside protection that were inside it.
      - V(stops_mitigation) leaves addresses whose attacks a component mitigates with monitoring only.
      - V(disables_protection) switches the protection off, or removes or disables the last rule that makes a component
        work, or the last protected prefix.
      - V(skips_monitoring) enables a rule or filter that is new, was disabled, or has not monitored for
        O(min_monitoring_hours).
      - V(broad_allowlist) lets the active entries of the allowlist grow beyond O(min_allowlist_prefix_length_ipv4),
        O(min_allowlist_prefix_length_ipv6) or O(max_allowlist_entries).
      - V(allowlists_own_prefix) allows a network of the account's own protected prefixes as a source.
      - V(mass_deletion) deletes at least five objects that are more than O(max_deletions_percent) of a list.
      - V(empties_list) leaves a list empty that was not, by a purge. To remove by name what a task names is not this
        risk.
    version_added: 0.2.0
    type: list
    elements: raw
    default: []
  max_deletions_percent:
    description: How much of a list may be deleted at once, in percent, without being a risk.
    version_added: 0.2.0
    type: int
    default: 30
  min_monitoring_hours:
    description:
      - How long a rule or filter has to monitor before it is enabled, in hours.
      - It is counted from the time at which the rule or filter was last changed, by the service's clock.
    version_added: 0.2.0
    type: float
    default: 4.0
  min_allowlist_prefix_length_ipv4:
    description: The length of the widest IPv4 network that may be allowed without being a risk. Adjacent
      networks count as one.
    version_added: 0.2.0
    type: int
    default: 24
  min_allowlist_prefix_length_ipv6:
    description: The length of the widest IPv6 network that may be allowed without being a risk. Adjacent
      networks count as one.
    version_added: 0.2.0
    type: int
    default: 48
  max_allowlist_entries:
    description: How many entries of the allowlist may be active without being a risk.
    version_added: 0.2.0
    type: int
    default: 200
"""

    LISTS = r"""
options:
  accept_risks:
    description:
      - The risks that the task may take. A plan that carries another one fails before anything is written, in check
        mode too, and says which entries are concerned.
      - An element is a code, which accepts every such risk, or a dictionary that binds the acceptance. A failure prints
        the dictionary that accepts just what it refuses.
      - A dictionary has C(code), and of C(networks), C(entries), C(expires) and C(reason) what it needs. C(networks)
        and C(entries) are the networks and keys that may be concerned; a risk that concerns others is refused.
      - From C(expires) on, by the service's clock, the acceptance does not count. It is a timestamp with offset, or a
        date, which means its end in UTC. C(reason) is returned with the accepted risk.
      - A dictionary belongs into an inventory, since a code that stays there accepts later risks as well.
      - V(mass_deletion) deletes at least five objects that are more than O(max_deletions_percent) of a list.
      - V(empties_list) leaves a list empty that was not, by a purge. To remove by name what a task names is not this
        risk.
    version_added: 0.2.0
    type: list
    elements: raw
    default: []
  max_deletions_percent:
    description: How much of a list may be deleted at once, in percent, without being a risk.
    version_added: 0.2.0
    type: int
    default: 30
"""

    STAGED_ROLLOUT = r"""
options:
  staged_rollout:
    description:
      - What to do about a mode V(enabled) that would be a risk, because nothing has been monitored for
        O(min_monitoring_hours).
      - With V(true), the rule or filter monitors for now, RV(pending) says until when, and the first run after that
        time enables it. With V(false), the task fails unless O(accept_risks) names V(skips_monitoring).
    version_added: 0.2.0
    type: bool
    default: false
"""
