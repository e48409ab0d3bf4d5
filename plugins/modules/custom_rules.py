#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: custom_rules
short_description: Manage the WAF custom rules of a Cloudflare zone
version_added: 1.0.0
description:
  - Creates, updates, orders and removes the WAF custom rules of a zone. Custom rules are the
    successor of firewall rules.
  - The O(rules[].ref) identifies a rule.
  - Cloudflare evaluates the rules in their order. Rules that the task does not name keep their
    place, their ids and all their fields, unless O(purge=true).
  - The module reads all rules with one call and writes them with one call. There is no locking. If
    more than two seconds pass between these calls, the module reads once more before it writes, and
    plans again if somebody else has changed the rules. It warns of a change that it overwrites all
    the same.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._backtest
  - edgeops.protection._connection
  - edgeops.protection._zone
  - edgeops.protection._plan
  - edgeops.protection._risks.zone_lists
notes:
  - The module needs the permission C(Zone WAF Write) of the zone. Check mode needs C(Zone WAF
    Read), and with O(validate=true) the permission to write.
  - If rules refer to lists of addresses, the module reads these lists if the plan changes something
    or the task has expectations. It needs the permission C(Account Filter Lists Read) for that, and
    warns if it lacks it.
  - If rules execute custom rulesets, the module reads these. Expectations of requests need the
    permission C(Zone Read), and for a zone of the plan Enterprise C(Account WAF Read), since
    requests meet the custom rules of the account first.
options:
  rules:
    description: The rules. Each may occur once.
    type: list
    elements: dict
    required: true
    suboptions:
      ref:
        description: The name that identifies the rule in its zone. It cannot be changed.
        type: str
        required: true
      action:
        description:
          - The action on a request that matches. After V(log), and after a V(skip) of
            V(products) or V(phases) only, Cloudflare evaluates the next rule. Every other action
            ends the evaluation.
          - If omitted, an existing rule keeps its action. A new rule needs one.
          - A change of the action resets O(rules[].action_parameters) and O(rules[].logging).
        type: str
        choices: [block, challenge, js_challenge, managed_challenge, log, skip]
      expression:
        description:
          - The requests that match, in the Rules language. White space outside of quotes makes no
            difference.
          - It has at most 4,096 characters.
          - If omitted, an existing rule keeps its expression. A new rule needs one.
        type: str
      description:
        description: A free text. An empty text clears it. If omitted, an existing description
          stays.
        type: str
      enabled:
        description:
          - Whether the rule is enabled. If omitted, an existing rule keeps its value, and a new
            rule gets V(true).
        type: bool
      action_parameters:
        description:
          - The target of the action V(skip), at least one field, or how the action V(block)
            responds.
          - The parameters, with those in O(rules[].api_fields), replace all existing ones. If omitted, the existing parameters stay.
        type: dict
        suboptions:
          ruleset:
            description: With V(current), the request skips all custom rules that follow.
            type: str
            choices: [current]
          phase:
            description: With V(current), the request skips the rest of the phase.
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
                description: The body of the answer.
                type: str
                required: true
              content_type:
                description: The content type of the body, for example V(text/plain).
                type: str
                required: true
      logging:
        description:
          - The logging of requests that the rule skips. If omitted, an existing rule keeps its
            value, and Cloudflare logs the requests of a new rule.
        type: dict
        suboptions:
          enabled:
            description: Whether Cloudflare logs the requests.
            type: bool
            required: true
      expires:
        description:
          - From when on the rule counts as absent, by the clock of Cloudflare. The first run after
            that deletes it.
          - A timestamp with offset such as V(2027-01-31T18:00:00+01:00), or a date such as
            V(2027-01-31), which means its end in UTC.
          - Cloudflare does not know it. If omitted, the rule does not expire.
        version_added: 1.0.0
        type: str
      api_fields:
        description:
          - Fields of the rule that this module has no option for, with the names and values of the
            API, such as C(exposed_credential_check). The module sends them as they are. A null
            removes a field.
          - Parameters without an option stand in C(action_parameters) here.
          - Fields that neither an option nor this dictionary names stay as they are.
        version_added: 1.0.0
        type: dict
      position:
        description:
          - The place of a new rule, V(first), V(last), V(before REF) or V(after REF) with the ref
            of another rule.
          - If omitted, the new rule becomes the last. The module does not move existing rules,
            unless O(purge=true).
        type: str
  state:
    description:
      - With V(present), the module creates or updates the rules that the task names.
      - With V(absent), the module deletes them. It reads only their O(rules[].ref).
    type: str
    choices: [present, absent]
    default: present
  purge:
    description:
      - Whether the zone gets these rules and no others, in this order. Rules that O(ignore)
        matches stay.
      - An empty list requires V(empties_list) in O(accept_risks).
    version_added: 1.0.0
    type: bool
    default: false
  ignore:
    description:
      - Patterns of the refs of rules that somebody else manages, such as V(partner-*).
        O(purge=true) leaves these rules where they are, each behind the rule before it that does
        not move either. Otherwise the module leaves them alone anyway.
      - In a pattern, V(*) stands for any characters, V(?) for one, and V([ab]) for one of some.
        Case matters.
      - A pattern must not match a rule of the task, unless the entry has nothing but the O(rules[].ref).
        With O(purge=true) such an entry says where the rule of somebody else stands. The module
        puts the other rules before and behind it. A rule that does not exist is left out.
    type: list
    elements: str
    default: []
  validate:
    description:
      - Whether Cloudflare validates the planned rules in check mode, for example their
        expressions. Nothing is written.
      - The token then needs the permission to write in check mode too.
    type: bool
    default: false
  expectations:
    description:
      - Expectations of single requests after the plan. A plan that leaves an expectation
        unmet or undecided is refused before anything is written, in check mode too. O(accept_risks)
        does not accept it.
      - The module evaluates them offline. See
        U(https://github.com/edgeops/ansible-protection/blob/main/docs/expectations.md).
    version_added: 1.0.0
    type: list
    elements: dict
    suboptions:
      description:
        description: The expectation, in words. The default says what the request gives.
        type: str
      request:
        description:
          - A request, as far as it matters. A field of a rule that it does not give is not known.
          - Its keys are C(source), C(method), C(scheme), C(host), C(path), C(query), C(uri),
            C(country), C(continent), C(asn), C(user_agent), C(referer), C(headers), C(cookies),
            C(tls_version), C(tls_cipher), and C(fields) for any other field of the Rules
            language.
        type: dict
      packet:
        description:
          - Not for this module. M(edgeops.protection.account_protection) checks packets.
        type: dict
      expect:
        description:
          - V(blocked), V(challenged), V(skipped), V(logged) or V(allowed).
          - A request that is skipped or logged is allowed as well.
        type: raw
        required: true
      rule:
        description: The ref of the rule that must decide.
        type: str
seealso:
  - module: edgeops.protection.custom_rules_info
  - module: edgeops.protection.firewall_rules
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
# Create these rules, or update them to match. All other rules stay, in their order.
- name: Let the office skip all rules, and challenge logins
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: office
        action: skip
        action_parameters:
          ruleset: current
        expression: ip.src in {192.0.2.0/24}
        position: first
      - ref: login
        action: managed_challenge
        expression: http.request.uri.path eq "/login"

# A new rule goes to its position. Existing rules are not moved.
- name: Block a network with a custom response
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: blocked
        action: block
        action_parameters:
          response:
            status_code: 403
            content: Ask the operators.
            content_type: text/plain
        expression: ip.src in {203.0.113.0/24}
        position: after office

# Delete all other rules, and reorder these. The fields that the task omits stay.
- name: Have exactly these rules, in this order
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: login
      - ref: office
      - ref: blocked
    purge: true

- name: Have exactly these rules, and those of the partner
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: office
      - ref: login
      - ref: blocked
    purge: true
    ignore: [partner-*]

- name: Remove a rule
  edgeops.protection.custom_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: login
    state: absent
"""

# `make docs-update` writes this block.
RETURN = r"""
zone_id:
  description: The id of the zone.
  version_added: 1.0.0
  returned: success
  type: str
  sample: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
rules:
  description: All custom rules of the zone afterwards, in the order in which Cloudflare evaluates
    them.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives. Check mode returns none for a rule that the run
        would create.
      type: str
      sample: cd447e35b8b648fe842e3d437204e52d
    ref:
      description: The name that identifies the rule.
      type: str
      sample: office
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
      sample: the office passes
    enabled:
      description: Whether the rule is enabled.
      type: bool
      sample: true
    action_parameters:
      description: The target of the action V(skip), or the response of the action V(block). Other
        rules have none.
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
unmanaged:
  description:
    - The rules afterwards that O(rules) does not name, in the order in which Cloudflare evaluates
      them.
    - With O(purge=true), these are the rules that O(ignore) matches.
  version_added: 1.0.0
  returned: success
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: custom_rule
    key:
      description: The key of the object.
      type: str
      sample: office
    weakens:
      description: Whether the object takes protection away from what the task names, such as
        an excluded prefix, an allowlist entry, a filter that is disabled, or a rule that skips
        before others. It is null if it may.
      type: bool
      sample: false
    reason:
      description: How it takes protection away, or what it does to all plain traffic, as a sentence
        without its subject; empty if it does neither.
      type: str
      sample: may let requests pass that custom rule login would stop
    since:
      description: When the object last changed, null if Cloudflare does not say.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
weaker:
  description:
    - The rules that protect less before this run than after it, by their expression, their place
      or their parameters, or since they do not exist, are off or have another kind of action.
  version_added: 1.0.0
  returned: when there are such rules
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: custom_rule
    key:
      description: The key of the rule.
      type: str
      sample: login
    certain:
      description: Whether it is proven; an expression that is not understood may match more or
        less than another one.
      type: bool
      sample: true
    reason:
      description: The weakness of the rule, as a sentence without its subject.
      type: str
      sample: matches fewer requests than described and has the action managed_challenge, and
        the baseline says block
expectations:
  description: The expectations of the task, and what holds after the plan.
  version_added: 1.0.0
  returned: when O(expectations) names some and the plan was made
  type: list
  elements: dict
  contains:
    description:
      description: The expectation, in words.
      type: str
      sample: the form is closed
    expected:
      description: The outcome that is expected, or a dictionary of outcomes by component.
      type: raw
      sample: blocked
    actual:
      description: The outcome, V(undecided) if it is not known. If components differ, a dictionary
        by component.
      type: raw
      sample: blocked
    rule:
      description: Whatever decides, null if nothing does or if it is not known. If components
        differ, a dictionary by component.
      type: raw
      sample: login
    met:
      description: Whether the expectation holds; null if that is undecided.
      type: bool
      sample: true
    reasons:
      description: The unknown parts of the request or packet, of a rule or of a list.
      type: list
      elements: str
      sample: []
    skips:
      description: The checks beside the rules that a request skips, such as products.
      type: list
      elements: str
      sample: []
    before:
      description: The C(actual), C(rule) and C(met) of the state before the plan.
      type: dict
      sample: {actual: allowed, rule: null, met: false}
backtest:
  description: The past requests that the plan would newly block, challenge or let pass.
  version_added: 1.0.0
  returned: when O(backtest) is given and the plan changes something
  type: dict
  contains:
    since:
      description: The beginning of the time that the requests cover, null if records of a file
        do not have their time.
      type: str
      sample: '2026-02-28T09:15:02+00:00'
    until:
      description: The end of that time.
      type: str
      sample: '2026-03-01T09:15:02+00:00'
    known:
      description: Whether all requests are known, and enough of them.
      type: bool
      sample: true
    unknown:
      description: The unknown parts and their reasons, a sentence each.
      type: list
      elements: str
      sample: []
    requests:
      description: The number of requests, null if none is known. The numbers of analytics are
        estimates.
      type: int
      sample: 91500
    samples:
      description: The number of requests that the analytics or the file have seen of them.
      type: int
      sample: 9150
    newly_blocked:
      description: The requests that pass today, and that the plan would block or challenge, or
        block where it challenges them.
      type: dict
      contains:
        requests:
          description: The number of requests, null if none is known.
          type: int
          sample: 0
        percent:
          description: The percentage of the requests that the existing rules do not block, null
            if there are none.
          type: float
          sample: 0.0
    newly_passed:
      description: The requests that are blocked or challenged today, and that would pass.
      type: dict
      contains:
        requests:
          description: The number of requests, null if none is known.
          type: int
          sample: 0
        percent:
          description: The percentage of the requests that the existing rules do not block, null
            if there are none.
          type: float
          sample: 0.0
    undecided:
      description: The requests of which that is not known.
      type: dict
      contains:
        requests:
          description: The number of requests, null if none is known.
          type: int
          sample: 1500
        percent:
          description: The percentage of the requests that the existing rules do not block, null
            if there are none.
          type: float
          sample: 1.639
        fields:
          description: The fields that the source of the requests lacks, and whatever else of
            the rules is not known.
          type: list
          elements: str
          sample: [cf.client.bot]
    rules:
      description: The planned rules that are new or changed, or would newly stop requests, or
        may; those that stop most come first.
      type: list
      elements: dict
      contains:
        requests:
          description: The requests that it would newly block or challenge.
          type: int
          sample: 0
        percent:
          description: The percentage of the requests that the existing rules do not block, null
            if there are none.
          type: float
          sample: 0.0
        ref:
          description: The rule.
          type: str
          sample: admin
        action:
          description: Its action.
          type: str
          sample: block
        already:
          description: The requests that it would stop, and that the existing rules stop as well.
          type: int
          sample: 0
        undecided:
          description: The requests that it may stop.
          type: int
          sample: 1500
        examples:
          description: The heaviest of the requests that it would newly stop, or else may stop;
            the values of the fields that it reads, and C(requests).
          type: list
          elements: dict
          sample: [{http.request.uri.path: /admin, requests: 1500}]
risks:
  description: The risks of the plan. A failed task returns those that it does not accept, any
    other task those that it accepts.
  version_added: 1.0.0
  returned: when the plan has risks
  type: list
  elements: dict
  contains:
    code:
      description: The code of the risk, as O(accept_risks) takes it.
      type: str
      sample: blocks_traffic
    message:
      description: The consequence, in a sentence.
      type: str
      sample: Of the requests that pass today, 0 % would be blocked or challenged, and at most
        0.1 % may be. Of 1.639 % it is not known, without cf.client.bot.
    networks:
      description: The networks that the risk concerns.
      type: list
      elements: str
      sample: []
    addresses:
      description: How many addresses these networks have; large numbers of IPv6 addresses are
        counted in /64 networks.
      type: str
      sample: no addresses
    entries:
      description: The keys of the objects whose change is the risk.
      type: list
      elements: str
      sample: [admin]
    reason:
      description: Why the task accepts the risk, as O(accept_risks) says it; null where it does
        not.
      type: str
      sample: null
diff:
  description:
    - The managed fields of the rules that change, before and after, by ref, and the order of
      the rules when it changes.
    - Check mode returns the same as the run that follows.
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The objects before, by collection and key.
      type: dict
      sample:
        custom_rules:
          login:
            ref: login
            action: managed_challenge
            expression: http.request.uri.path eq "/login"
            description: ''
            enabled: true
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        custom_rules:
          login:
            ref: login
            action: block
            expression: http.request.uri.path in {"/login" "/form"}
            description: ''
            enabled: true
operations:
  description:
    - The changes in the order in which the module makes them; empty when nothing changes.
    - Check mode returns the same as the run that follows.
  returned: success, and failure after the plan was made
  type: list
  elements: dict
  contains:
    action:
      description: V(create), V(update) or V(delete).
      type: str
      sample: update
    resource:
      description: The kind of object.
      type: str
      sample: custom_rule
    key:
      description: The key of the object.
      type: str
      sample: login
    fields:
      description: The values that the module sends. For an object that exists, these are the
        changed fields.
      type: dict
      sample:
        action: block
        expression: http.request.uri.path in {"/login" "/form"}
    before:
      description: The values that change, as they are; null for a field that the object lacks.
        For an object that the module deletes, these are all its values, and for a new object
        there are none.
      type: dict
      sample:
        action: managed_challenge
        expression: http.request.uri.path eq "/login"
plan_id:
  description:
    - The fingerprint of the plan, as O(expected_plan) takes it; an empty text for a plan without
      operations.
    - Two plans have the same exactly if they make the same changes to the same existing values
      of the same owner.
    - Check mode returns the same as the run that follows.
  version_added: 1.0.0
  returned: success, and failure after the plan was made
  type: str
  sample: c0564198b7c31b701421779a88f45ca4221a0eb32eaaae3912909c57674e3978
ineffective:
  description:
    - The objects of the task that cannot work after the plan, as far as that is proven. See U(https://github.com/edgeops/ansible-protection/blob/main/docs/ineffective.md).
  version_added: 1.0.0
  returned: when the task names rules, filters, overrides, entries of the allowlist or items of
    a list
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: custom_rule
    key:
      description: The key of the object.
      type: str
      sample: inside
    kind:
      description: 'The reason in a word: V(never), V(shadowed), V(duplicate), V(unreachable),
        V(outside) or V(covered).'
      type: str
      sample: unreachable
    by:
      description: The keys of the objects that it is ineffective by, the fewest; none if that
        is its own fault.
      type: list
      elements: str
      sample: []
    reason:
      description: The reason, as a sentence.
      type: str
      sample: it names private or reserved sources alone, and no request of the internet has them
expired:
  description: The objects of the task that count as absent, since they expired.
  version_added: 1.0.0
  returned: when something expired
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: custom_rule
    key:
      description: The key of the object.
      type: str
      sample: attack
    expires:
      description: When it expired, in UTC.
      type: str
      sample: '2026-03-01T00:00:00+00:00'
put_back:
  description: The operations of a second plan, in the shape of RV(operations). It puts back what
    another writer changed while this run replaced the list.
  version_added: 1.0.0
  returned: when another writer changed the list meanwhile
  type: list
  elements: dict
  sample:
    - action: create
      resource: custom_rule
      key: theirs
      fields:
        ref: theirs
        action: skip
        expression: ip.src in {192.0.2.0/24}
        description: the office passes
        enabled: true
        action_parameters: {ruleset: current}
        logging: {enabled: true}
        position: 3
      before: {}
done:
  description: The operations that were applied, in the shape of RV(operations).
  returned: failure after writing began
  type: list
  elements: dict
  sample: []
left:
  description: The operations that were not applied, in the shape of RV(operations).
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: delete
      resource: custom_rule
      key: office
      fields: {}
      before:
        ref: office
        action: skip
        expression: ip.src in {192.0.2.0/24}
        description: the office passes
        enabled: true
        action_parameters: {ruleset: current}
        logging: {enabled: true}
    - action: delete
      resource: custom_rule
      key: login
      fields: {}
      before:
        ref: login
        action: managed_challenge
        expression: http.request.uri.path eq "/login"
        description: ''
        enabled: true
unknown:
  description: The operations that may have been applied, in the shape of RV(operations). The
    answer of Cloudflare was lost.
  returned: failure after writing began
  type: list
  elements: dict
  sample:
    - action: delete
      resource: custom_rule
      key: office
      fields: {}
      before:
        ref: office
        action: skip
        expression: ip.src in {192.0.2.0/24}
        description: the office passes
        enabled: true
        action_parameters: {ruleset: current}
        logging: {enabled: true}
    - action: delete
      resource: custom_rule
      key: login
      fields: {}
      before:
        ref: login
        action: managed_challenge
        expression: http.request.uri.path eq "/login"
        description: ''
        enabled: true
calls:
  description: The number of calls to Cloudflare, repeated calls included.
  returned: with C(-v)
  type: int
  sample: 4
error:
  description: The call that failed, and the answer of Cloudflare.
  returned: failure of a call to Cloudflare
  type: dict
  contains:
    method:
      description: The HTTP method of the call.
      type: str
      sample: PUT
    path:
      description: The path of the call behind the base URL.
      type: str
      sample: zones/5c2a81f0f7ae4b2d9b1e6f3a7d904c11/rulesets/phases/http_request_firewall_custom/entrypoint
    status:
      description: The HTTP status, null where there was no answer.
      type: int
      sample: 403
    errors:
      description: The errors that Cloudflare returned.
      type: list
      elements: dict
      contains:
        code:
          description: The error code, null where Cloudflare gave none.
          type: int
          sample: 10000
        message:
          description: The message.
          type: str
          sample: Authentication error
        pointer:
          description: A JSON pointer to the part of the request that Cloudflare refused, null
            where Cloudflare gave none.
          type: str
          sample: null
    ray:
      description: The Ray ID, by which Cloudflare's support finds the call, null where the answer
        had none.
      type: str
      sample: d4735e3a265e16ee-LOC
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["custom_rules"])


if __name__ == "__main__":
    main()
