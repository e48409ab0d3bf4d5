# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private to the collection: it may change with any version."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(unprotects_addresses), V(stops_mitigation),
        V(disables_protection), V(lowers_sensitivity), V(skips_monitoring), V(drops_traffic),
        V(broad_allowlist), V(allowlists_own_prefix), V(mass_deletion), V(empties_list). A plan with
        another risk fails before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      min_monitoring_hours:
        description:
          - The hours that a rule or filter must monitor before it is enabled.
        type: float
        default: 4.0
      min_allowlist_prefix_length_ipv4:
        description:
          - The shortest IPv4 prefix length in the allowlist that is not a risk.
        type: int
        default: 24
      min_allowlist_prefix_length_ipv6:
        description:
          - The shortest IPv6 prefix length in the allowlist that is not a risk.
        type: int
        default: 48
      max_allowlist_entries:
        description:
          - The number of active entries of the allowlist above which another entry is a risk.
        type: int
        default: 200
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
"""

    STATUS = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(disables_protection). A plan with another risk fails
        before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
"""

    PREFIXES = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(unprotects_addresses), V(disables_protection),
        V(mass_deletion), V(empties_list). A plan with another risk fails before anything is
        written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
"""

    ALLOWLIST = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(broad_allowlist), V(allowlists_own_prefix),
        V(mass_deletion), V(empties_list). A plan with another risk fails before anything is
        written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      min_allowlist_prefix_length_ipv4:
        description:
          - The shortest IPv4 prefix length in the allowlist that is not a risk.
        type: int
        default: 24
      min_allowlist_prefix_length_ipv6:
        description:
          - The shortest IPv6 prefix length in the allowlist that is not a risk.
        type: int
        default: 48
      max_allowlist_entries:
        description:
          - The number of active entries of the allowlist above which another entry is a risk.
        type: int
        default: 200
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
"""

    PROTECTION_RULES = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(stops_mitigation), V(disables_protection),
        V(lowers_sensitivity), V(skips_monitoring), V(drops_traffic), V(mass_deletion),
        V(empties_list). A plan with another risk fails before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      min_monitoring_hours:
        description:
          - The hours that a rule or filter must monitor before it is enabled.
        type: float
        default: 4.0
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
"""

    PROTECTION_FILTERS = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(stops_mitigation), V(disables_protection),
        V(skips_monitoring), V(drops_traffic), V(mass_deletion), V(empties_list). A plan with
        another risk fails before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      min_monitoring_hours:
        description:
          - The hours that a rule or filter must monitor before it is enabled.
        type: float
        default: 4.0
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
"""

    ZONE_RULES = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(weakens_zone), V(skips_everything),
        V(blocks_everything), V(passes_traffic), V(weakens_rate_limits), V(weakens_managed_rules). A
        plan with another risk fails before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      max_weakened_percent:
        description:
          - The percentage of the rules that block or challenge above which it is a risk that they
            no longer do so.
        type: int
        default: 30
      passes_traffic:
        description:
          - Whether a plan may let traffic pass that is blocked or challenged today. If it is false,
            such a plan is a risk.
        type: bool
        default: true
"""

    ZONE_LISTS = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(mass_deletion), V(empties_list), V(weakens_zone),
        V(skips_everything), V(blocks_everything), V(passes_traffic), V(blocks_traffic),
        V(weakens_rate_limits), V(weakens_managed_rules). A plan with another risk fails before
        anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
      max_weakened_percent:
        description:
          - The percentage of the rules that block or challenge above which it is a risk that they
            no longer do so.
        type: int
        default: 30
      passes_traffic:
        description:
          - Whether a plan may let traffic pass that is blocked or challenged today. If it is false,
            such a plan is a risk.
        type: bool
        default: true
"""

    LISTS_OF_ADDRESSES = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(mass_deletion), V(empties_list),
        V(removes_referenced_list), V(skips_everything), V(blocks_everything), V(passes_traffic),
        V(weakens_network_firewall), V(weakens_ddos_rules). A plan with another risk fails before
        anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
      passes_traffic:
        description:
          - Whether a plan may let traffic pass that is blocked or challenged today. If it is false,
            such a plan is a risk.
        type: bool
        default: true
      max_weakened_percent:
        description:
          - The percentage of the rules that block or challenge above which it is a risk that they
            no longer do so.
        type: int
        default: 30
"""

    STAGED_ROLLOUT = r"""
options:
  staged_rollout:
    description:
      - Whether a rule or filter with the desired mode V(enabled) monitors first, for
        O(limits.min_monitoring_hours). C(pending) says until when, and the first run after that
        time enables it.
    version_added: 1.0.0
    type: bool
    default: false
  rollout_evidence:
    description:
      - Limits that the traffic must meet before a rule or filter is enabled; not known counts as
        too much. It needs the permission C(Account Analytics Read).
    version_added: 1.0.0
    type: dict
    suboptions:
      hours:
        description: The hours of traffic to look at, above V(0).
        type: float
        default: 24.0
      max_would_drop_percent:
        description: How many of a hundred packets to one network may be lost, from V(0) to V(100).
        type: float
        default: 0.1
      max_would_drop_packets:
        description: How many packets to one network may be lost. Left out, only the percentage
          counts.
        type: int
seealso:
  - name: From monitoring to mitigation
    description: The stages of O(staged_rollout), and the evidence that enables a rule.
    link: https://github.com/edgeops/ansible-protection/blob/main/docs/rollout.md
"""

    MANAGED_RULES = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(mass_deletion), V(empties_list), V(blocks_everything),
        V(weakens_managed_rules). A plan with another risk fails before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
"""

    NETWORK_FIREWALL = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(mass_deletion), V(empties_list), V(skips_everything),
        V(blocks_everything), V(passes_traffic), V(weakens_network_firewall). A plan with another
        risk fails before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
      passes_traffic:
        description:
          - Whether a plan may let traffic pass that is blocked or challenged today. If it is false,
            such a plan is a risk.
        type: bool
        default: true
      max_weakened_percent:
        description:
          - The percentage of the rules that block or challenge above which it is a risk that they
            no longer do so.
        type: int
        default: 30
"""

    OVERRIDES = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(mass_deletion), V(empties_list), V(blocks_everything),
        V(weakens_ddos_rules). A plan with another risk fails before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
"""

    RATE_LIMITS = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(mass_deletion), V(empties_list), V(blocks_traffic),
        V(weakens_rate_limits). A plan with another risk fails before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
"""

    ZONE_SETTINGS = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(lowers_sensitivity). A plan with another risk fails
        before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
"""

    PLAIN_SETTINGS = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts. A plan with another risk fails before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
"""

    PLAIN_LISTS = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts, of V(mass_deletion), V(empties_list). A plan with another
        risk fails before anything is written.
      - An element is a code, or a dictionary with C(code), C(entries), C(expires) and more, as a
        failure prints it.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
  limits:
    description:
      - Limits from which on a plan is a risk.
    version_added: 1.0.0
    type: dict
    suboptions:
      max_deletions_percent:
        description:
          - The percentage of a list above which deletions in one plan are a risk.
        type: int
        default: 30
"""
