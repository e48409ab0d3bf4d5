# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Facts of rules: the action that an option goes with, the size of the answer that a rule sends,
and the fields that expressions may read at their place."""

from __future__ import annotations

from typing import Mapping, NamedTuple

READ = "2026-11-28"  # the day on which these pages were read


class OfAction(NamedTuple):
    """The only action that an option of rules goes with, by a page of the vendor."""

    action: str
    page: str
    read: str = READ


SKIP_PAGE = "Configure a rule with the Skip action"
RESPONSE_PAGE = "Create a custom rule via API"
OPTIONS_OF_ONE_ACTION: Mapping[str, OfAction] = {
    "logging": OfAction("skip", SKIP_PAGE),  # error 20018 of the API
    "response": OfAction("block", RESPONSE_PAGE),
    **dict.fromkeys(("ruleset", "phase", "phases", "products"), OfAction("skip", SKIP_PAGE)),
}


class AnswerContent(NamedTuple):
    """The largest content, in bytes, of the answer that a rule of some phase sends, by a page of
    the vendor."""

    largest: int
    page: str
    read: str = READ


ANSWER_OF_CUSTOM_RULE = AnswerContent(2 * 1024, "Create a custom rule in the dashboard")
ANSWER_OF_RATE_LIMIT = AnswerContent(30 * 1024, "Rate limiting parameters")
CONTENT_TYPES = ("application/json", "text/html", "text/plain", "text/xml")  # of both pages


class Readable(NamedTuple):
    """The fields that may be read at some place, by a page of the vendor."""

    place: str
    fields: frozenset[str]
    page: str
    read: str = READ

    @staticmethod
    def of(place: str, fields: str, page: str) -> Readable:
        """The fields whose names stand in a text."""
        return Readable(place, frozenset(fields.split()), page)


OF_L4_OVERRIDES = Readable.of(
    "overrides of DDoS rules of layers 3 and 4",
    """
ip.dst ip.len ip.proto.num ip.src ip.ttl tcp.dstport tcp.flags tcp.flags.ack tcp.flags.fin
tcp.flags.push tcp.flags.reset tcp.flags.syn tcp.flags.urg tcp.srcport udp.dstport udp.srcport
""",
    "Override expressions for Network-layer DDoS Attack Protection",
)
OF_HTTP_OVERRIDES = Readable.of(
    "overrides of HTTP DDoS rules",
    """
cf.bot_management.ja3_hash cf.bot_management.ja4 cf.client.bot cf.threat_score cf.tls_cipher
cf.tls_client_auth.cert_verified cf.tls_version cf.verified_bot_category http.cookie http.host
http.referer http.request.cookies http.request.full_uri http.request.headers
http.request.headers.names http.request.headers.truncated http.request.headers.values
http.request.method http.request.uri http.request.uri.path http.request.uri.path.extension
http.request.uri.query http.request.version http.user_agent http.x_forwarded_for ip.geoip.asnum
ip.geoip.continent ip.geoip.country ip.geoip.is_in_european_union ip.src ip.src.asnum
ip.src.continent ip.src.country ip.src.is_in_european_union ssl
""",
    "Override expressions for HTTP DDoS Attack Protection",
)


class OfPlan(NamedTuple):
    """Fields that requests have only in zones of some plans, or other parts of rules, by their
    `legacy_id`, with what they require, by a page of the vendor."""

    fields: frozenset[str]
    plans: frozenset[str]
    requires: str
    page: str
    read: str = READ

    @staticmethod
    def of(fields: str, plans: str, requires: str, page: str) -> OfPlan:
        """The row of fields and plans whose names stand in texts."""
        return OfPlan(frozenset(fields.split()), frozenset(plans.split()), requires, page)


# The page "Cloudflare Managed Ruleset", of Pro and above, has the action for all of them.
LOG_IN_OVERRIDE = "the action log in an override of managed rules"
FIELDS_OF_PLANS = (
    OfPlan(
        frozenset({LOG_IN_OVERRIDE}), frozenset({"enterprise"}), "the plan Enterprise", "Actions"
    ),
    OfPlan.of(
        "cf.waf.score cf.waf.score.rce cf.waf.score.sqli cf.waf.score.xss",
        "enterprise",
        "the plan Enterprise",
        "Fields reference: cf.waf.score",
    ),
    OfPlan.of(
        "cf.waf.score.class",
        "business enterprise",
        "the plan Business or above",
        "Fields reference: cf.waf.score.class",
    ),
    OfPlan.of(  # the verified_bot of it is on every plan
        """
cf.bot_management.corporate_proxy cf.bot_management.detection_ids cf.bot_management.ja3_hash
cf.bot_management.ja4 cf.bot_management.js_detection.passed cf.bot_management.score
cf.bot_management.static_resource
""",
        "enterprise",
        "the plan Enterprise with Bot Management",
        "Fields reference: cf.bot_management.score",
    ),
)
