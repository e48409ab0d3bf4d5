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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(unprotects_addresses) means that the plan would leave addresses outside protection that
        were inside it.
      - V(stops_mitigation) means that the plan would leave addresses, or a part of their traffic,
        that a component mitigates with less than that.
      - V(disables_protection) means that the plan would turn the protection off, or take the last
        working rule from a component, or the last protected prefix from the account.
      - V(lowers_sensitivity) means that the plan would lower the rate, burst or profile sensitivity
        of a rule that is enabled, or that monitors on its way there, or a level of protection, such
        as the security level of a zone.
      - V(skips_monitoring) means that the plan would enable a rule or filter that is new, was
        disabled, or has not monitored for O(limits.min_monitoring_hours).
      - V(drops_traffic) means that the plan would enable a rule or filter that would have dropped
        more of the traffic to a network than C(rollout_evidence) allows, or of which that is not
        known.
      - V(broad_allowlist) means that the plan would let the active entries of the allowlist grow
        beyond O(limits.min_allowlist_prefix_length_ipv4),
        O(limits.min_allowlist_prefix_length_ipv6) or O(limits.max_allowlist_entries).
      - V(allowlists_own_prefix) means that the plan would allow as a source what is one of the
        account's own protected prefixes.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
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
          - The hours count from the last change of the rule or filter, by the clock of Cloudflare.
        type: float
        default: 4.0
      min_allowlist_prefix_length_ipv4:
        description:
          - The shortest IPv4 prefix length in the allowlist that is not a risk.
          - Adjacent networks count as one.
        type: int
        default: 24
      min_allowlist_prefix_length_ipv6:
        description:
          - The shortest IPv6 prefix length in the allowlist that is not a risk.
          - Adjacent networks count as one.
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(disables_protection) means that the plan would turn the protection off, or take the last
        working rule from a component, or the last protected prefix from the account.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
"""

    PREFIXES = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(unprotects_addresses) means that the plan would leave addresses outside protection that
        were inside it.
      - V(disables_protection) means that the plan would turn the protection off, or take the last
        working rule from a component, or the last protected prefix from the account.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(broad_allowlist) means that the plan would let the active entries of the allowlist grow
        beyond O(limits.min_allowlist_prefix_length_ipv4),
        O(limits.min_allowlist_prefix_length_ipv6) or O(limits.max_allowlist_entries).
      - V(allowlists_own_prefix) means that the plan would allow as a source what is one of the
        account's own protected prefixes.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
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
          - Adjacent networks count as one.
        type: int
        default: 24
      min_allowlist_prefix_length_ipv6:
        description:
          - The shortest IPv6 prefix length in the allowlist that is not a risk.
          - Adjacent networks count as one.
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(stops_mitigation) means that the plan would leave addresses, or a part of their traffic,
        that a component mitigates with less than that.
      - V(disables_protection) means that the plan would turn the protection off, or take the last
        working rule from a component, or the last protected prefix from the account.
      - V(lowers_sensitivity) means that the plan would lower the rate, burst or profile sensitivity
        of a rule that is enabled, or that monitors on its way there, or a level of protection, such
        as the security level of a zone.
      - V(skips_monitoring) means that the plan would enable a rule or filter that is new, was
        disabled, or has not monitored for O(limits.min_monitoring_hours).
      - V(drops_traffic) means that the plan would enable a rule or filter that would have dropped
        more of the traffic to a network than C(rollout_evidence) allows, or of which that is not
        known.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
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
          - The hours count from the last change of the rule or filter, by the clock of Cloudflare.
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(stops_mitigation) means that the plan would leave addresses, or a part of their traffic,
        that a component mitigates with less than that.
      - V(disables_protection) means that the plan would turn the protection off, or take the last
        working rule from a component, or the last protected prefix from the account.
      - V(skips_monitoring) means that the plan would enable a rule or filter that is new, was
        disabled, or has not monitored for O(limits.min_monitoring_hours).
      - V(drops_traffic) means that the plan would enable a rule or filter that would have dropped
        more of the traffic to a network than C(rollout_evidence) allows, or of which that is not
        known.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
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
          - The hours count from the last change of the rule or filter, by the clock of Cloudflare.
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - 'V(weakens_zone) means that the plan would have more than O(limits.max_weakened_percent) of
        the rules that block or challenge, and at least three or all of them, stop nothing any more
        of the traffic that each decides about, and that no other rule stops: by removing, disabling
        or narrowing them, turning them into log or skip, or by a skip in front of them.'
      - V(skips_everything) means that the plan would add, enable, widen or move to an earlier place
        a rule that skips, allows or bypasses, and that all plain traffic of a kind matches, such as
        every packet.
      - V(blocks_everything) means that the plan would add, enable or widen a rule that blocks or
        challenges, and that all plain traffic of a kind matches, such as every packet, or would set
        all managed rules, or those of a category, to block for it.
      - V(passes_traffic) means that the plan would let traffic pass, or only challenge it, that is
        stopped today, and O(limits.passes_traffic) is false. It is this risk as well if that is not
        known.
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
      - 'V(weakens_zone) means that the plan would have more than O(limits.max_weakened_percent) of
        the rules that block or challenge, and at least three or all of them, stop nothing any more
        of the traffic that each decides about, and that no other rule stops: by removing, disabling
        or narrowing them, turning them into log or skip, or by a skip in front of them.'
      - V(skips_everything) means that the plan would add, enable, widen or move to an earlier place
        a rule that skips, allows or bypasses, and that all plain traffic of a kind matches, such as
        every packet.
      - V(blocks_everything) means that the plan would add, enable or widen a rule that blocks or
        challenges, and that all plain traffic of a kind matches, such as every packet, or would set
        all managed rules, or those of a category, to block for it.
      - V(passes_traffic) means that the plan would let traffic pass, or only challenge it, that is
        stopped today, and O(limits.passes_traffic) is false. It is this risk as well if that is not
        known.
      - V(blocks_traffic) means that the plan would newly block or challenge more of the past
        requests than O(backtest) allows, or it is not known how many. Undecided requests count as
        blocked.
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
      - V(removes_referenced_list) means that the plan would delete a list that rules refer to, or
        leave it empty.
      - V(skips_everything) means that the plan would add, enable, widen or move to an earlier place
        a rule that skips, allows or bypasses, and that all plain traffic of a kind matches, such as
        every packet.
      - V(blocks_everything) means that the plan would add, enable or widen a rule that blocks or
        challenges, and that all plain traffic of a kind matches, such as every packet, or would set
        all managed rules, or those of a category, to block for it.
      - V(passes_traffic) means that the plan would let traffic pass, or only challenge it, that is
        stopped today, and O(limits.passes_traffic) is false. It is this risk as well if that is not
        known.
      - 'V(weakens_network_firewall) means that the plan would have more than
        O(limits.max_weakened_percent) of the Network Firewall rules that block, and at least three
        or all of them, stop nothing any more of the traffic that each decides about, and that no
        other rule stops: by removing, disabling or narrowing them, turning them into log or skip,
        or by a skip in front of them.'
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
        O(limits.min_monitoring_hours).
      - With V(true), the rule or filter monitors, C(pending) says until when, and the first run
        after that time enables it. With V(false), the task fails unless O(accept_risks) names
        V(skips_monitoring).
    version_added: 1.0.0
    type: bool
    default: false
  rollout_evidence:
    description:
      - Limits that the traffic must meet before a rule or filter is enabled. A task without it
        asks for no traffic.
      - With O(staged_rollout=true), a rule or filter goes on monitoring until it has monitored for
        O(rollout_evidence.hours), and the traffic of these hours, to each network that it decides
        for, would have lost no more than allowed. C(pending) says why it waits.
      - With O(staged_rollout=false), the task fails unless O(accept_risks) names V(drops_traffic).
      - Not known counts as too much. An acceptance of V(drops_traffic) for some networks lets these
        pass, also with O(staged_rollout=true).
      - Needs the permission C(Account Analytics Read) of the account, and takes one query of the
        analytics where something could be enabled.
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
"""

    MANAGED_RULES = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
      - V(blocks_everything) means that the plan would add, enable or widen a rule that blocks or
        challenges, and that all plain traffic of a kind matches, such as every packet, or would set
        all managed rules, or those of a category, to block for it.
      - 'V(weakens_managed_rules) means that the plan would have managed rules stop fewer requests:
        by removing, disabling or narrowing what deploys them, by an override to a weaker action or
        off, or by an exception in front of them.'
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
      - V(skips_everything) means that the plan would add, enable, widen or move to an earlier place
        a rule that skips, allows or bypasses, and that all plain traffic of a kind matches, such as
        every packet.
      - V(blocks_everything) means that the plan would add, enable or widen a rule that blocks or
        challenges, and that all plain traffic of a kind matches, such as every packet, or would set
        all managed rules, or those of a category, to block for it.
      - V(passes_traffic) means that the plan would let traffic pass, or only challenge it, that is
        stopped today, and O(limits.passes_traffic) is false. It is this risk as well if that is not
        known.
      - 'V(weakens_network_firewall) means that the plan would have more than
        O(limits.max_weakened_percent) of the Network Firewall rules that block, and at least three
        or all of them, stop nothing any more of the traffic that each decides about, and that no
        other rule stops: by removing, disabling or narrowing them, turning them into log or skip,
        or by a skip in front of them.'
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
      - V(blocks_everything) means that the plan would add, enable or widen a rule that blocks or
        challenges, and that all plain traffic of a kind matches, such as every packet, or would set
        all managed rules, or those of a category, to block for it.
      - V(weakens_ddos_rules) means that the plan would set an override of managed DDoS rules to
        log, C(eoff) or a lower sensitivity than before, or to a challenge where it blocked, or for
        more traffic, or would have one that blocks or challenges decide no longer. A zone that has
        none has those of its account.
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
      - 'V(weakens_rate_limits) means that the plan would remove, disable or narrow a rate limiting
        rule, turn it into log, or loosen it: more requests, a shorter period for the same number, a
        shorter timeout, or another way to count.'
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
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(lowers_sensitivity) means that the plan would lower the rate, burst or profile sensitivity
        of a rule that is enabled, or that monitors on its way there, or a level of protection, such
        as the security level of a zone.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
"""

    PLAIN_SETTINGS = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
    version_added: 1.0.0
    type: list
    elements: raw
    default: []
"""

    PLAIN_LISTS = r"""
options:
  accept_risks:
    description:
      - The risks that the task accepts. A plan with another risk fails before anything is written,
        in check mode too.
      - An element is a code, or a dictionary of C(code), C(networks), C(resource), C(entries),
        C(expires) and C(reason), which accepts the risk for these networks, and for these keys of
        this resource alone, until then. A failure prints the dictionary to copy. Use dictionaries
        in an inventory, since a code accepts later risks as well.
      - V(mass_deletion) means that the plan would delete five objects or more, and more than
        O(limits.max_deletions_percent) of a list.
      - V(empties_list) means that the plan would leave a list empty by a purge or an expiry, and
        not because the task names each object that it deletes.
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
