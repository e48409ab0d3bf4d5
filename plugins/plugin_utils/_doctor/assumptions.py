# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the collection assumes of Cloudflare's API: the sentence, the public page that it comes
from, and what goes wrong if it does not hold.

docs/assumptions.md is made of this list.
"""

from __future__ import annotations

from dataclasses import dataclass

ONLY_WRITES = "Only a write shows it, and the doctor does not write."


@dataclass(frozen=True)
class Assumption:
    """Something that the collection takes for granted.

    `source` is the title of the page of Cloudflare that says so; an empty one means that no page
    does. `otherwise` is what goes wrong if it does not hold. `shown_by_writes` says that no answer
    to a read can show it.
    """

    name: str
    statement: str
    source: str
    otherwise: str
    shown_by_writes: bool = False


JSON_OBJECTS = "Advanced TCP Protection API: JSON objects"
COMMON_CALLS = "Advanced TCP Protection API: Common API calls"
REFERENCE = "API reference: DDoS Protection"
RATE_LIMITS = "Rate limits (Cloudflare Fundamentals, API)"
RULESETS = "Rulesets API: JSON object"
VIEW_RULESET = "Rulesets API: View a ruleset"
UPDATE_RULESET = "Rulesets API: Update a ruleset"
ZONES = "API reference: Zones"
ANALYTICS = "GraphQL Analytics API: Settings node"

ASSUMPTIONS = (
    Assumption(
        "envelope",
        "Every answer is a JSON object with success, errors, messages and result.",
        COMMON_CALLS,
        "Every module fails, and says what it got instead. Nothing is written.",
    ),
    Assumption(
        "envelope_members",
        "An envelope and its result_info have no members beside the known ones.",
        REFERENCE,
        "Nothing yet. A new member, such as a cursor, may mean that lists come in another way.",
    ),
    Assumption(
        "ids",
        "Every object of a list has an id, a text.",
        REFERENCE,
        "Objects cannot be updated or deleted.",
    ),
    Assumption(
        "fields_present",
        "Objects have every field that the collection manages.",
        JSON_OBJECTS,
        "A field that lacks counts as different from a desired value, so that a run is never idle.",
    ),
    Assumption(
        "fields_known",
        "Objects have no fields beside those that the collection knows.",
        JSON_OBJECTS,
        "The modules leave an unknown field as it is. It may matter for the protection.",
    ),
    Assumption(
        "types",
        "Fields have the types that the collection expects.",
        JSON_OBJECTS,
        "Values that are equal compare as different, or the other way round.",
    ),
    Assumption(
        "words",
        "Fields with a fixed set of words, such as mode and scope, have no other words.",
        JSON_OBJECTS,
        "A rule with an unknown mode counts as one that does not protect.",
    ),
    Assumption(
        "networks",
        "Networks come back as addresses or in CIDR notation.",
        JSON_OBJECTS,
        "A malformed network cannot be managed. The modules warn of it and do not touch it.",
    ),
    Assumption(
        "expressions",
        "The collection can read every expression that Cloudflare returns.",
        "Rules language: Expressions",
        "Two ways to write the same expression count as different, and what a filter matches is"
        " not known.",
    ),
    Assumption(
        "keys",
        "No two objects of a list have the same key, such as the same scope and name.",
        "",
        "The modules keep one of them, and say so; which one decides at Cloudflare is not known.",
    ),
    Assumption(
        "times",
        "Objects say when they were created and modified, in ISO 8601.",
        JSON_OBJECTS,
        "How long a rule has monitored is not known, so that a staged rollout does not go on.",
    ),
    Assumption(
        "totals",
        "The first page of a list says how many objects there are in all.",
        "API reference: Pagination",
        "Lists are read page by page until a page is empty, which takes more calls.",
    ),
    Assumption(
        "page_size",
        "Pages are as large as the collection asks for: 1,000 objects for lists of an account.",
        REFERENCE,
        "Lists take more calls.",
    ),
    Assumption(
        "pages_follow",
        "The second page goes on where the first one ends.",
        "API reference: Pagination",
        "A list may lack objects, and purge would not see them. A module stops if it notices.",
    ),
    Assumption(
        "last_page",
        "A page behind the last one is empty, and not an error.",
        "API reference: Pagination",
        "Lists that come without a total cannot be read, and the modules stop there.",
    ),
    Assumption(
        "date",
        "Every answer has the header Date, within five minutes of the clock of this machine.",
        "HTTP Semantics (RFC 9110)",
        "Entries expire, and staged rollouts go on, too early or too late.",
    ),
    Assumption(
        "rate_limit_headers",
        "Every answer has the headers Ratelimit and Ratelimit-Policy.",
        "Introducing new headers for rate limiting on Cloudflare's API (Changelog)",
        "Calls that others make with the same token are not counted, so that a run may be refused"
        " for five minutes.",
    ),
    Assumption(
        "rate_limit",
        "The rate limit allows what call_budget allows: by default 1,200 calls in 300 seconds.",
        RATE_LIMITS,
        "Cloudflare refuses a large run for some minutes, unless call_budget is lower.",
    ),
    Assumption(
        "error_codes",
        "The codes of refusals are the known ones: 8888 for a product that the account does not"
        " have, 10003 for a phase without rules, 7003 for an unknown id, 10000 and 9109 for"
        " credentials.",
        "",
        "A refusal is told without the hint at what to do.",
    ),
    Assumption(
        "entry_point",
        "Each rule of a ruleset has a ref.",
        VIEW_RULESET,
        "Rules without a ref cannot be named by a task.",
    ),
    Assumption(
        "plans",
        "The plan of a zone is free, pro, business or enterprise.",
        ZONES,
        "The quota of its custom rules is not known, so that check mode does not refuse too many.",
    ),
    Assumption(
        "analytics",
        "The analytics say for each product whether the account has it, and how far back.",
        ANALYTICS,
        "Evidence before mitigation is not known, so that no rule is enabled on evidence.",
    ),
    Assumption(
        "partial_patch",
        "A PATCH leaves the fields alone that it does not name.",
        "Advanced DNS Protection API: Common API calls",
        "An update would reset other fields. The next run would see it, and repair it.",
        shown_by_writes=True,
    ),
    Assumption(
        "bulk_of_prefixes",
        "One call creates up to 300 prefixes, all of them or none.",
        "Advanced TCP Protection API: Endpoints",
        "A failure leaves some prefixes created; the module reads again, and goes on.",
        shown_by_writes=True,
    ),
    Assumption(
        "read_after_write",
        "A read shows what was written just before.",
        "",
        "A result shows the state before, and the next run reports a change that is none.",
        shown_by_writes=True,
    ),
    Assumption(
        "refused_is_not_applied",
        "A write that is refused with a status between 400 and 499, other than 408, was not"
        " applied.",
        RATE_LIMITS,
        "A repeated write creates an object twice; the next run names the duplicate.",
        shown_by_writes=True,
    ),
    Assumption(
        "refs_keep_ids",
        "A replaced list of custom rules keeps the id of each rule with the same ref.",
        UPDATE_RULESET,
        "Analytics and logs lose the history of a rule.",
        shown_by_writes=True,
    ),
    Assumption(
        "shared_prefixes",
        "Advanced TCP Protection and Advanced DNS Protection share the prefixes of an account.",
        "Advanced DNS Protection",
        "The coverage of DNS protection is not what the modules say.",
        shown_by_writes=True,
    ),
    Assumption(
        "write_permission",
        "A permission to write has the name of the permission to read, with Write in its place.",
        "API token permissions",
        "A hint names a permission that does not exist.",
        shown_by_writes=True,
    ),
)
BY_NAME = {assumption.name: assumption for assumption in ASSUMPTIONS}
