#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: custom_ruleset
short_description: Manage a custom ruleset of an account or zone, with its deployment
version_added: 1.0.0
description:
  - Creates, updates and deletes a custom ruleset of the WAF with its rules, and the rule that
    deploys it. That is a rule with the action C(execute) in the entry point of the phase
    C(http_request_firewall_custom), where the custom rules of the account or zone stand.
  - The O(name) identifies the ruleset. The module makes it before its deployment, and removes the
    deployment before the ruleset. It finds an existing deployment by the ruleset that it executes,
    whatever its ref.
  - Rules that the task does not name keep their place, their ids and all their fields, unless
    O(purge=true).
  - The module reads the rulesets, this ruleset and the entry point with a call each. In each of the
    two, it adds or deletes up to three rules, or changes one, with a call for each, and writes more
    changes with one call. It notices what another writer changes at the same time.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._backtest
  - edgeops.protection._connection
  - edgeops.protection._plan
  - edgeops.protection._risks.zone_lists
notes:
  - The module needs the permission C(Zone WAF Write) of the zone, or C(Account WAF Write) of the
    account. Check mode needs C(Zone WAF Read) or C(Account WAF Read).
  - If rules refer to lists of addresses, the module reads these lists if the plan changes
    something. It needs the permission C(Account Filter Lists Read) for that, and warns if it lacks
    it.
  - Only accounts with zones of the plan Enterprise have custom rulesets. Each zone may have some,
    and their rules count for the number of rules that the plan of the zone allows.
options:
  account_id:
    description:
      - The id of the account whose ruleset it is, 32 hexadecimal digits, instead of O(zone_id).
      - If a task names neither, the module uses the environment variable E(CLOUDFLARE_ACCOUNT_ID),
        unless that of the zone is set too.
    type: str
  zone_id:
    description:
      - The id of the zone whose ruleset it is, 32 hexadecimal digits.
      - If a task names neither, the module uses the environment variable E(CLOUDFLARE_ZONE_ID),
        unless that of the account is set too.
    type: str
  zone_name:
    description:
      - The domain of the zone, instead of O(zone_id). The module finds the zone with one call more.
      - The credentials need the permission C(Zone Read) of the zone too.
      - If several zones have the name, in several accounts, the task fails and lists their ids.
    type: str
    version_added: 1.0.0
  name:
    description: The name of the ruleset. It cannot be changed.
    type: str
    required: true
  description:
    description: A free text. An empty text clears it. If omitted, an existing description stays.
    type: str
  rules:
    description:
      - The rules. Each may occur once. If omitted, existing rules stay.
      - With O(state=absent), the rules to delete. The ruleset stays then.
    type: list
    elements: dict
    suboptions:
      ref:
        description: The name that identifies the rule in its ruleset. It cannot be changed.
        type: str
        required: true
      action:
        description:
          - The action on a request that matches. After V(log), and after a V(skip) of
            V(products) or V(phases) only, Cloudflare evaluates the next rule. Every other action
            ends the evaluation.
          - A new rule needs one.
        type: str
        choices: [block, challenge, js_challenge, managed_challenge, log, skip]
      expression:
        description:
          - The requests that match, in the Rules language. White space outside of quotes makes no
            difference.
          - It has at most 4,096 characters.
          - A new rule needs one.
        type: str
      description:
        description: A free text. An empty text clears it. If omitted, an existing description
          stays.
        type: str
      enabled:
        description:
          - Whether the rule is enabled. A new rule gets V(true) by default.
        type: bool
      action_parameters:
        description:
          - The target of the action V(skip), at least one field, or how the action V(block)
            responds.
          - The parameters, with those in O(rules[].api_fields), replace all existing ones. If omitted, the existing parameters stay.
        type: dict
        suboptions:
          ruleset:
            description: With V(current), the request skips the rules of this ruleset that follow.
            type: str
            choices: [current]
          phase:
            description: With V(current), the request skips the rest of the phase. A ruleset of an
              account takes no such rule.
            type: str
            choices: [current]
          phases:
            description: The phases that the request skips.
            type: list
            elements: str
            choices: [http_ratelimit, http_request_sbfm, http_request_firewall_managed]
          products:
            description: The products that the request skips.
            type: list
            elements: str
            choices: [zoneLockdown, uaBlock, bic, hot, securityLevel, rateLimit, waf]
          response:
            description: The answer to a request that the rule blocks.
            type: dict
            suboptions:
              status_code:
                description: The HTTP status, from 400 to 499.
                type: int
                required: true
              content:
                description: The body of the answer, at most 2 KB.
                type: str
                required: true
              content_type:
                description: The content type of the body.
                type: str
                choices: [application/json, text/html, text/plain, text/xml]
                required: true
      logging:
        description:
          - The logging of requests that the rule skips; it goes with the action V(skip) alone. If
            omitted, an existing rule keeps its value, and Cloudflare logs the requests of a new
            rule.
        type: dict
        suboptions:
          enabled:
            description: Whether Cloudflare logs the requests.
            type: bool
            required: true
      staged:
        description:
          - The steps of a rule that blocks or challenges. It is written with the action V(log), and gets its action by the first run
            after O(rules[].staged.hours) at which it would have stopped few enough of the requests. C(pending) says why it waits.
          - Where the plan of the zone does not have the action V(log), the rule gets its action at once, unless a backtest of
            the past requests finds more; that is the risk V(blocks_traffic).
          - A rule that stops requests already keeps its action. Cloudflare does not know this option.
        version_added: 1.0.0
        type: dict
        suboptions:
          hours:
            description: How many hours the rule logs, and are examined. Another change of the rule begins anew.
            type: float
            default: 24
          max_stopped_percent:
            description: How many of a hundred requests the rule may have matched. Not known is too much.
            type: float
            default: 0.1
      expires:
        description:
          - From when on the rule counts as absent, as a date, which ends in UTC, or a timestamp with an offset.
        version_added: 1.0.0
        type: str
      api_fields:
        description:
          - Fields of the rule without an option, with the names and values of the API. A null removes a field.
        version_added: 1.0.0
        type: dict
      position:
        description:
          - The place of a new rule, V(first), V(last), V(before REF) or V(after REF), by default the last.
          - Only O(purge=true) moves an existing rule.
        type: str
  deploy:
    description:
      - The rule of the entry point that executes the ruleset. If omitted, an existing one stays as
        it is, and the module makes none. An empty dictionary removes it.
    type: dict
    suboptions:
      ref:
        description: The name that identifies a new deployment among the rules of the entry point.
          The default is the name of the ruleset. An existing deployment keeps its ref.
        type: str
      expression:
        description:
          - The requests that meet the rules of the ruleset, in the Rules language; V(true) for all.
          - That of an account must contain C(cf.zone.plan eq "ENT").
          - If omitted, an existing deployment keeps its expression. A new one needs one.
        type: str
      enabled:
        description: Whether requests meet the ruleset. If omitted, an existing deployment keeps its
          value, and a new one gets V(true).
        type: bool
      position:
        description:
          - The place of a new deployment among the rules of the entry point, V(first), V(last),
            V(before REF) or V(after REF) with the ref of another rule.
          - If omitted, it becomes the last. The module does not move an existing deployment.
        type: str
  expires:
    description:
      - From when on the ruleset counts as absent, by the clock of Cloudflare. The first run after
        that deletes it with its deployment.
    version_added: 1.0.0
    type: str
  state:
    description:
      - With V(present), the module creates or updates the ruleset, the rules that the task names
        and the deployment.
      - With V(absent), the module removes each deployment of the ruleset, and then the ruleset with
        all its rules. If the task gives O(rules), it deletes these rules alone.
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether the ruleset gets the O(rules) and no others, in this order. Rules that
        O(ignore) matches stay.
      - An empty list requires V(empties_list) in O(accept_risks).
    version_added: 1.0.0
    type: bool
    default: false
  ignore:
    description:
      - Patterns of the refs of rules that somebody else manages, such as V(partner-*). O(purge=true) leaves them where
        they are.
      - An entry of the task with nothing but its O(rules[].ref) says where such a rule stands.
    type: list
    elements: str
    default: []
seealso:
  - module: edgeops.protection.custom_rules
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
- name: Challenge what is no browser, in front of all other rules of the zone
  edgeops.protection.custom_ruleset:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    name: Bots
    description: rules against bots
    rules:
      - ref: no-agent
        action: managed_challenge
        expression: http.user_agent eq ""
      - ref: curl
        action: block
        expression: starts_with(http.user_agent, "curl/")
    deploy:
      expression: not starts_with(http.request.uri.path, "/api/")
      position: first

- name: Disable the deployment of a ruleset
  edgeops.protection.custom_ruleset:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    name: Bots
    deploy:
      enabled: false
    accept_risks:
      - {code: weakens_zone, resource: custom_rule, entries: [curl of the ruleset Bots, no-agent of the ruleset Bots]}

- name: Have exactly one rule in a ruleset of the account
  edgeops.protection.custom_ruleset:
    account_id: 023e105f4ecef8ad9ca31a8372d0c353
    name: Sanctions
    rules:
      - ref: networks
        action: block
        expression: ip.src in {203.0.113.0/24}
    deploy:
      expression: cf.zone.plan eq "ENT"
    purge: true

- name: Remove a rule from a ruleset
  edgeops.protection.custom_ruleset:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    name: Bots
    rules:
      - ref: no-agent
    state: absent

- name: Remove a ruleset and its deployment
  edgeops.protection.custom_ruleset:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    name: Bots
    state: absent
"""

# `make docs-update` writes this block.
RETURN = r"""
pending:
  description: The rules that log, and get their actions in a later run.
  version_added: 1.0.0
  returned: when a rule with O(rules[].staged) waits
  type: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: custom_ruleset_rule
    key:
      description: The key of the object.
      type: str
      sample: Bots cart
    mode:
      description: The desired mode.
      type: str
      sample: block
    reason:
      description: V(time) if it has to monitor longer, V(evidence) if it would have dropped too
        much, or V(unknown).
      type: str
      sample: time
    not_before:
      description: When the object can be enabled, null if that does not depend on the time or
        is not known.
      type: str
      sample: null
    would_drop_percent:
      description: The percentage of packets to the worst network that would have been dropped,
        null if it is not known.
      type: float
      sample: null
    would_drop_packets:
      description: The number of these packets, null if it is not known.
      type: int
      sample: null
    networks:
      description: The networks that would lose too much, or may.
      type: list
      elements: str
      sample: []
    advice:
      description: Advice on packets that would have been dropped, a sentence for each reason.
      type: list
      elements: str
      sample: []
    message:
      description: The same as a sentence.
      type: str
      sample: rule cart of the ruleset Bots logs, and gets its action by the first run that finds
        out since when.
account_id:
  description: The id of the account.
  version_added: 1.0.0
  returned: success, if the ruleset is of an account
  type: str
  sample: 023e105f4ecef8ad9ca31a8372d0c353
zone_id:
  description: The id of the zone.
  version_added: 1.0.0
  returned: success, if the ruleset is of a zone
  type: str
  sample: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
ruleset:
  description: The ruleset afterwards, null when it is absent.
  returned: success
  type: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new ruleset lacks in check mode.
      type: str
      sample: db7c54ddfafd40fea6a3bc893bbf63df
    name:
      description: The name that identifies the ruleset.
      type: str
      sample: Bots
    description:
      description: The description of the ruleset.
      type: str
      sample: rules against bots
    version:
      description: The version of the ruleset, which grows with each change.
      type: str
      sample: '1'
    last_updated:
      description: When the ruleset was last changed.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
    rules:
      description: The rules of the ruleset, in the order in which Cloudflare evaluates them.
      type: list
      elements: dict
      contains:
        id:
          description: The id that Cloudflare gives, which a new rule lacks in check mode.
          type: str
          sample: c8c36f8dcb6347c28093f68bfaf1c086
        ref:
          description: The name that identifies the rule.
          type: str
          sample: probe
        action:
          description: The action on a request that matches.
          type: str
          sample: skip
        expression:
          description: The requests that the rule matches.
          type: str
          sample: ip.src in {192.0.2.0/24}
        description:
          description: The description of the rule.
          type: str
          sample: no browser
        enabled:
          description: Whether the rule is enabled.
          type: bool
          sample: true
        action_parameters:
          description: The target of the action V(skip), or the response of the action V(block).
            Other rules have none.
          type: dict
          sample: {ruleset: current}
        logging:
          description: Whether Cloudflare logs requests that the rule skips.
          type: dict
          sample: {enabled: true}
        version:
          description: The version of the rule, which grows with each change.
          type: str
          sample: '1'
        last_updated:
          description: When the rule was last changed.
          type: str
          sample: '2026-03-01T09:15:02.310412+00:00'
    deploy:
      description: The rule of the entry point that executes the ruleset, null if there is none.
      type: dict
      contains:
        ref:
          description: The name that identifies the rule.
          type: str
          sample: Bots
        expression:
          description: The requests that the rule matches.
          type: str
          sample: not ssl
        enabled:
          description: Whether the rule is enabled.
          type: bool
          sample: true
        position:
          description: Its place among the rules of the entry point, as the option takes it.
          type: str
          sample: first
unmanaged:
  description:
    - The rules of the ruleset afterwards that O(rules) does not name, in the order in which Cloudflare
      evaluates them. Each is judged beside the rules that O(rules) names.
  version_added: 1.0.0
  returned: success
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: custom_ruleset_rule
    key:
      description: The key of the object.
      type: str
      sample: Bots no-agent
    weakens:
      description: Whether the object takes protection away from what the task names, null if
        it may.
      type: bool
      sample: true
    reason:
      description: How it does, as a sentence without its subject, or empty.
      type: str
      sample: 'leaves requests challenged (managed_challenge) that are blocked under the baseline:
        every request with http.user_agent ""'
    since:
      description: When the object last changed, null if Cloudflare does not say.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
diff:
  description:
    - The managed fields of the ruleset, its rules and its deployment, as far as they change,
      before and after, and the order of rules when it changes. C({NAME}) stands for the id of
      the ruleset with this name, which may be made only then.
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The objects before, by collection and key.
      type: dict
      sample: {custom_rules_order: [office, login], rules of Bots_order: []}
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        custom_rules:
          Bots:
            ref: Bots
            action: execute
            expression: not ssl
            description: ''
            enabled: true
            action_parameters: {id: '{Bots}'}
        custom_rulesets:
          Bots:
            name: Bots
            description: rules against bots
            kind: custom
            phase: http_request_firewall_custom
        rules of Bots:
          Bots crawlers:
            ref: crawlers
            action: block
            expression: cf.client.bot
            description: ''
            enabled: true
          Bots inside:
            ref: inside
            action: log
            expression: ip.src in {10.0.0.0/8}
            description: ''
            enabled: true
          Bots no-agent:
            ref: no-agent
            action: managed_challenge
            expression: http.user_agent eq ""
            description: no browser
            enabled: true
          Bots probe:
            logging: {enabled: true}
            ref: probe
            action: skip
            expression: ip.src in {192.0.2.0/24}
            description: ''
            enabled: true
            action_parameters: {ruleset: current}
        custom_rules_order: [Bots, office, login]
        rules of Bots_order: [Bots crawlers, Bots no-agent, Bots probe, Bots inside]
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["custom_ruleset"])


if __name__ == "__main__":
    main()
