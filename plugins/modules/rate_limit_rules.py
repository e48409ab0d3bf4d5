#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: rate_limit_rules
short_description: Manage rate limiting rules of a zone, in their order
version_added: 1.0.0
description:
  - Creates, updates, orders and removes the rate limiting rules of a zone. Such a rule counts the
    requests that it matches, and acts on clients that send too many.
  - The O(rules[].ref) identifies a rule.
  - Cloudflare evaluates the rules in their order. Rules that the task does not name keep their
    place, their ids and all their fields, unless O(purge=true).
  - The module reads all rules with one call. It adds or deletes up to three rules, or changes one,
    with a call for each, and writes more changes with one call for the whole list. It notices what
    another writer changes at the same time, and loses nothing of that without a warning.
extends_documentation_fragment:
  - edgeops.protection._attributes
  - edgeops.protection._attributes.write
  - edgeops.protection._connection
  - edgeops.protection._zone
  - edgeops.protection._plan
  - edgeops.protection._risks.rate_limits
notes:
  - The module needs the permission C(Zone WAF Write) of the zone. Check mode needs C(Zone WAF
    Read), and with O(validate=true) the permission to write.
  - The plan of the zone says how many rules it may have, and which of their fields. A task beyond
    that is refused in check mode too.
  - Cloudflare counts in each data center by itself.
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
          - The action on a request of which there are too many. V(log) only logs it.
          - A new rule needs one.
        type: str
        choices: [block, challenge, js_challenge, managed_challenge, log]
      expression:
        description:
          - The requests on which the rule acts, and that it counts unless
            O(rules[].ratelimit.counting_expression) says otherwise, in the Rules language. White
            space outside of quotes makes no difference.
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
          - How the action V(block) responds. Other actions take none.
          - The parameters, with those in O(rules[].api_fields), replace all existing ones. If
            omitted, the existing parameters stay.
        type: dict
        suboptions:
          response:
            description: The answer to a request that the rule blocks. By itself, Cloudflare answers
              with the HTTP status 429.
            type: dict
            suboptions:
              status_code:
                description: The HTTP status, from 400 to 499.
                type: int
                required: true
              content:
                description: The body of the answer, at most 30 KB.
                type: str
                required: true
              content_type:
                description: The content type of the body.
                type: str
                choices: [application/json, text/html, text/plain, text/xml]
                required: true
      ratelimit:
        description:
          - The limit. A new rule needs O(rules[].ratelimit.characteristics),
            O(rules[].ratelimit.period) and O(rules[].ratelimit.requests_per_period).
          - The fields have the names of the API. What the task leaves out stays as it is.
        type: dict
        suboptions:
          characteristics:
            description:
              - The parts of a request by which Cloudflare tells the clients apart, such as
                V(ip.src), C(http.host) or C(http.request.headers["x-api-key"]). Each combination of
                their values has a counter of its own.
              - V(cf.colo.id) must be one of them, since each data center counts by itself.
                V(ip.src) and V(cf.unique_visitor_id) exclude each other. Names of headers are in
                lower case.
            type: list
            elements: str
          period:
            description:
              - The seconds in which the requests count. The API's page lists V(10), V(60), V(120),
                V(300), V(600) and V(3600). The module warns of others, of which the page on the
                plans has some.
            type: int
          requests_per_period:
            description: The number of requests in the period beyond which the rule acts.
            type: int
          mitigation_timeout:
            description:
              - The seconds for which the rule acts on a client. With V(0), it acts on the requests
                beyond the limit.
              - On the plans Free, Pro and Business, a challenge needs V(0), and the action V(block)
                another value.
            type: int
          counting_expression:
            description: The requests that count, where it is not those of the expression. It may
              read fields of the response. An empty text makes it the expression again.
            type: str
          requests_to_origin:
            description: Whether only requests count that the cache does not answer. It is not
              possible with a list in the expression.
            type: bool
      staged:
        description:
          - The steps of a rule that blocks or challenges. It is written with the action V(log), and gets its action by the first run
            after O(rules[].staged.hours) at which it would have stopped few enough of the requests. C(pending) says why it waits.
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
      - Patterns of the refs of rules that somebody else manages, such as V(partner-*). O(purge=true) leaves them where
        they are.
      - An entry of the task with nothing but its O(rules[].ref) says where such a rule stands.
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
  measure:
    description:
      - Whether to return how many requests of one client in one period the rules of the task would
        have counted. It writes nothing more, and refuses nothing.
      - It costs one query of the analytics for each rule and hour, and needs the permission
        C(Analytics Read) of the zone.
    type: bool
    default: false
  measure_hours:
    description: The hours to look back.
    type: float
    default: 24
seealso:
  - module: edgeops.protection.custom_rules
  - module: edgeops.protection.ddos_l7_overrides
author:
  - The edgeops.protection authors (@edgeops)
"""

EXAMPLES = r"""
# The credentials come from module_defaults, see the notes.
# Create this rule, or update it to match. All other rules stay, in their order.
- name: Take five logins a minute from each address
  edgeops.protection.rate_limit_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: login
        action: block
        expression: http.request.uri.path eq "/login"
        ratelimit:
          characteristics: [cf.colo.id, ip.src]
          period: 60
          requests_per_period: 5
          mitigation_timeout: 600

- name: Take ten logins, which is meant
  edgeops.protection.rate_limit_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: login
        ratelimit:
          requests_per_period: 10
    accept_risks:
      - code: weakens_rate_limits
        resource: rate_limit_rule
        entries: [login]
        reason: offices behind one address

- name: Remove a rule
  edgeops.protection.rate_limit_rules:
    zone_id: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
    rules:
      - ref: trial
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
      sample: rate_limit_rule
    key:
      description: The key of the object.
      type: str
      sample: slow
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
      sample: rate limiting rule slow logs, and gets its action by the first run that finds out
        since when.
zone_id:
  description: The id of the zone.
  version_added: 1.0.0
  returned: success
  type: str
  sample: 5c2a81f0f7ae4b2d9b1e6f3a7d904c11
measured:
  description: The requests that each rule of the task counts, with its planned values. Periods
    begin at full multiples of their length.
  version_added: 1.0.0
  returned: when O(measure) is V(true)
  type: list
  elements: dict
  contains:
    ref:
      description: The name of the rule.
      type: str
      sample: api
    period:
      description: The seconds of a period.
      type: int
      sample: 60
    clients:
      description: The number of clients, as the characteristics tell them apart; null if it is
        not known, as all numbers.
      type: int
      sample: null
    requests:
      description: The number of requests.
      type: int
      sample: null
    p50:
      description: In half of the periods in which a client sent any request, it sent no more
        than so many.
      type: int
      sample: null
    p95:
      description: The same for 95 % of the periods.
      type: int
      sample: null
    p99:
      description: The same for 99 % of the periods.
      type: int
      sample: null
    p99_9:
      description: The same for 99.9 % of the periods.
      type: int
      sample: null
    known:
      description: Whether all of that is known.
      type: bool
      sample: false
    unknown:
      description: The reasons why it is not, such as a characteristic that the analytics do not
        have.
      type: list
      elements: str
      sample:
        - Cloudflare samples these requests, so that it does not count single ones.
rules:
  description: All rate limiting rules of the zone afterwards, in the order in which Cloudflare
    evaluates them.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: The id that Cloudflare gives, which a new rule lacks in check mode.
      type: str
      sample: 52acf873e9734538a9d8982b77998ac5
    ref:
      description: The name that identifies the rule.
      type: str
      sample: login
    action:
      description: The action on a request of which there are too many.
      type: str
      sample: block
    expression:
      description: The requests on which the rule acts.
      type: str
      sample: http.request.uri.path eq "/login"
    description:
      description: The description of the rule.
      type: str
      sample: five logins a minute
    enabled:
      description: Whether the rule is enabled.
      type: bool
      sample: true
    action_parameters:
      description: The response of the action V(block). Other rules have none.
      type: dict
      sample:
        response:
          status_code: 429
          content: Later.
          content_type: text/plain
    ratelimit:
      description: The limit, in the names of the API.
      type: dict
      contains:
        characteristics:
          description: The parts of a request by which Cloudflare tells the clients apart.
          type: list
          elements: str
          sample: [cf.colo.id, ip.src]
        period:
          description: The seconds in which the requests count.
          type: int
          sample: 60
        requests_per_period:
          description: The number of requests in the period beyond which the rule acts.
          type: int
          sample: 5
        mitigation_timeout:
          description: The seconds for which the rule acts on a client.
          type: int
          sample: 600
        counting_expression:
          description: The requests that count, where it is not those of the expression.
          type: str
          sample: http.request.uri.path eq "/login" and http.response.code eq 401
        requests_to_origin:
          description: Whether only requests count that the cache does not answer.
          type: bool
          sample: false
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
    - Custom rules that skip rules of O(rules) come first.
  version_added: 1.0.0
  returned: success
  type: list
  elements: dict
  contains:
    resource:
      description: The kind of object.
      type: str
      sample: rate_limit_rule
    key:
      description: The key of the object.
      type: str
      sample: login
    weakens:
      description: Whether the object takes protection away from what the task names, null if
        it may.
      type: bool
      sample: false
    reason:
      description: How it does, as a sentence without its subject, or empty.
      type: str
      sample: ''
    since:
      description: When the object last changed, null if Cloudflare does not say.
      type: str
      sample: '2026-03-01T09:15:02.310412+00:00'
diff:
  description:
    - The managed fields of the rules that change, before and after, by ref, and the order of
      the rules when it changes.
  returned: success, and failure after the plan was made
  type: dict
  contains:
    before:
      description: The objects before, by collection and key.
      type: dict
      sample:
        rate_limit_rules:
          api:
            ref: api
            action: block
            expression: starts_with(http.request.uri.path, "/api/")
            description: ''
            enabled: true
            ratelimit:
              characteristics: [cf.colo.id, ip.src]
              period: 60
              requests_per_period: 100
              mitigation_timeout: 60
    after:
      description: The objects afterwards, by collection and key.
      type: dict
      sample:
        rate_limit_rules:
          api:
            ref: api
            action: block
            expression: starts_with(http.request.uri.path, "/api/")
            description: ''
            enabled: true
            ratelimit:
              characteristics: [cf.colo.id, ip.src]
              period: 60
              requests_per_period: 50
              mitigation_timeout: 60
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_module
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def main() -> None:
    run_module(MODULE_SPECS["rate_limit_rules"])


if __name__ == "__main__":
    main()
