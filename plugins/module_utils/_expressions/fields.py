# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields that expressions name, and the check of an expression of a task before any request.

The vendor describes filters in "JSON objects" (Advanced TCP Protection API): the fields ip.src,
ip.dst, tcp.srcport and tcp.dstport, no functions, and at most 8,192 characters. A custom rule's
expression has at most 4,096.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import AbstractSet, Any, Callable, Mapping

from .._errors import Unread
from .._text import did_you_mean
from .._values.address_set import EVERYTHING, Ranges
from .._values.kinds import AN_EXPRESSION, Value, parse_filled_text
from .grammar import (
    WHITE_SPACE,
    WORD,
    Comparison,
    addresses_of,
    leaves,
    normalise_expression,
    numbers_of,
    parse,
    place_of,
    quoted,
    tokens_of,
)

HIGHEST_PORT = 65535


ALL_PORTS: Ranges = [(0, HIGHEST_PORT)]
FILTER_FIELDS: Mapping[str, Ranges] = {  # with all of their values
    "ip.src": EVERYTHING,
    "ip.dst": EVERYTHING,
    "tcp.srcport": ALL_PORTS,
    "tcp.dstport": ALL_PORTS,
}


def values_of(leaf: Comparison) -> Ranges:
    """The values that meet a comparison of a field that filters know; raises Unread for any
    other."""
    if leaf.field in FILTER_FIELDS:
        is_port = FILTER_FIELDS[leaf.field] is ALL_PORTS
        return numbers_of(leaf, 0, HIGHEST_PORT) if is_port else addresses_of(leaf)
    name, *rest = leaf.field.split()
    what = f"filters know no field {quoted(name)}"
    if "(" in rest[:1]:
        what = f"{quoted(name)} is a function, and filters know none"
    raise Unread(f"{what}, only {', '.join(FILTER_FIELDS)}", at=leaf.start, malformed=False)


FIELD = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+", re.IGNORECASE)
SSL = "ssl"  # a field without a dot
NEAR = 0.75  # how alike names of fields are of which one may be meant
OPEN = ("http.request.jwt.",)  # what follows is named by the claims of a token
REQUEST_FIELDS = """
cf.api_gateway.auth_id_present cf.api_gateway.fallthrough_detected
cf.api_gateway.request_violates_schema cf.bot_management.corporate_proxy
cf.bot_management.detection_ids cf.bot_management.ja3_hash cf.bot_management.ja4
cf.bot_management.js_detection.passed cf.bot_management.score cf.bot_management.signed_agent
cf.bot_management.static_resource cf.bot_management.verified_bot cf.client.bot cf.colo.name
cf.colo.region cf.edge.client_port cf.edge.client_tcp cf.edge.l4.delivery_rate cf.edge.server_ip
cf.edge.server_port cf.hostname.metadata cf.llm.prompt.custom_topic_categories
cf.llm.prompt.detected cf.llm.prompt.injection_score cf.llm.prompt.pii_categories
cf.llm.prompt.pii_detected cf.llm.prompt.token_count cf.llm.prompt.unsafe_topic_categories
cf.llm.prompt.unsafe_topic_detected cf.metal.id cf.random_seed cf.ray_id cf.response.1xxx_code
cf.response.error_type cf.threat_score cf.timings.client_quic_rtt_msec
cf.timings.client_tcp_rtt_msec cf.timings.edge_msec cf.timings.origin_ttfb_msec
cf.timings.worker_msec cf.tls_cipher cf.tls_ciphers_sha1 cf.tls_client_auth.cert_chain_rfc9440
cf.tls_client_auth.cert_chain_rfc9440_too_large cf.tls_client_auth.cert_fingerprint_sha1
cf.tls_client_auth.cert_fingerprint_sha256 cf.tls_client_auth.cert_issuer_dn
cf.tls_client_auth.cert_issuer_dn_legacy cf.tls_client_auth.cert_issuer_dn_rfc2253
cf.tls_client_auth.cert_issuer_serial cf.tls_client_auth.cert_issuer_ski
cf.tls_client_auth.cert_not_after cf.tls_client_auth.cert_not_before
cf.tls_client_auth.cert_presented cf.tls_client_auth.cert_revoked cf.tls_client_auth.cert_rfc9440
cf.tls_client_auth.cert_rfc9440_too_large cf.tls_client_auth.cert_serial
cf.tls_client_auth.cert_ski cf.tls_client_auth.cert_subject_dn
cf.tls_client_auth.cert_subject_dn_legacy cf.tls_client_auth.cert_subject_dn_rfc2253
cf.tls_client_auth.cert_verified cf.tls_client_extensions_sha1 cf.tls_client_extensions_sha1_le
cf.tls_client_hello_length cf.tls_client_random cf.tls_version cf.verified_bot_category
cf.waf.auth_detected cf.waf.content_scan.has_failed cf.waf.content_scan.has_malicious_obj
cf.waf.content_scan.has_obj cf.waf.content_scan.num_malicious_obj cf.waf.content_scan.num_obj
cf.waf.content_scan.obj_results cf.waf.content_scan.obj_sizes cf.waf.content_scan.obj_types
cf.waf.credential_check.disposable_email cf.waf.credential_check.password_leaked
cf.waf.credential_check.username_and_password_leaked cf.waf.credential_check.username_leaked
cf.waf.credential_check.username_password_similar cf.waf.score cf.waf.score.class cf.waf.score.rce
cf.waf.score.sqli cf.waf.score.xss cf.worker.upstream_zone cf.zone.name cf.zone.plan
http.cookie http.host http.referer http.request.accepted_languages http.request.body.form
http.request.body.form.names http.request.body.form.values http.request.body.mime
http.request.body.multipart http.request.body.multipart.content_dispositions
http.request.body.multipart.content_transfer_encodings http.request.body.multipart.content_types
http.request.body.multipart.filenames http.request.body.multipart.names
http.request.body.multipart.values http.request.body.raw http.request.body.size
http.request.body.truncated http.request.cookies http.request.full_uri http.request.headers
http.request.headers.names http.request.headers.truncated http.request.headers.values
http.request.method http.request.timestamp.msec http.request.timestamp.sec http.request.uri
http.request.uri.args http.request.uri.args.names http.request.uri.args.values
http.request.uri.path http.request.uri.path.extension http.request.uri.query http.request.version
http.response.code http.response.content_type.media_type http.response.headers
http.response.headers.names http.response.headers.values http.user_agent http.x_forwarded_for
ip.geoip.asnum ip.geoip.continent ip.geoip.country ip.geoip.is_in_european_union
ip.geoip.subdivision_1_iso_code ip.geoip.subdivision_2_iso_code ip.src ip.src.asnum ip.src.city
ip.src.continent ip.src.country ip.src.is_in_european_union ip.src.lat ip.src.lon
ip.src.metro_code ip.src.postal_code ip.src.region ip.src.region_code
ip.src.subdivision_1_iso_code ip.src.subdivision_2_iso_code ip.src.timezone.name
raw.http.request.body.raw raw.http.request.full_uri raw.http.request.headers
raw.http.request.headers.names raw.http.request.headers.values raw.http.request.uri
raw.http.request.uri.args raw.http.request.uri.args.names raw.http.request.uri.args.values
raw.http.request.uri.path raw.http.request.uri.path.extension raw.http.request.uri.query
raw.http.response.headers raw.http.response.headers.names raw.http.response.headers.values
"""
KNOWN_FIELDS = frozenset(REQUEST_FIELDS.split())


def names_in(expression: str) -> list[str]:
    """The fields of an expression, each once; none of an expression that cannot be read, which is
    refused anyway."""
    try:
        tokens = tokens_of(expression)
    except Unread:
        return []
    following = [*(token.text for token in tokens[1:]), ""]
    both = zip(tokens, following)
    words = [token.text for token, after in both if token.kind == WORD and after != "("]
    return list(dict.fromkeys(name for name in words if name == SSL or FIELD.fullmatch(name)))


def unknown_names(expression: str, known: AbstractSet[str] = KNOWN_FIELDS) -> list[str]:
    """The fields of an expression that are not among the known ones."""
    names = (name for name in names_in(expression) if name != SSL)
    return [name for name in names if not is_known_field(name, known)]


def doubts(expression: str, known: AbstractSet[str] = KNOWN_FIELDS) -> str:
    """The doubt that an expression reads unknown fields, with its verb; an empty text if every
    field is known."""
    names = unknown_names(expression, known)
    unknown = [f"{quoted(name)}{did_you_mean(name.lower(), known, NEAR)}" for name in names]
    if not unknown:
        return ""
    noun = "a field" if len(unknown) == 1 else "fields"
    return f"reads {noun} that this collection does not know: {', '.join(unknown)}"


def is_known_field(name: str, known: AbstractSet[str] = KNOWN_FIELDS) -> bool:
    """Return whether a field is among the known ones, or one of those that claims name."""
    return name in known or name.startswith(OPEN)


PACKET_NAMES = """
cf.colo.name cf.colo.region icmp icmp.code icmp.type ip ip.dst ip.dst.asnum ip.dst.country
ip.geoip.country ip.hdr_len ip.len ip.opt.type ip.proto ip.proto.num ip.src ip.src.asnum
ip.src.country ip.ttl sip tcp tcp.dstport tcp.flags tcp.flags.ack tcp.flags.cwr tcp.flags.ecn
tcp.flags.fin tcp.flags.push tcp.flags.reset tcp.flags.syn tcp.flags.urg tcp.srcport udp
udp.dstport udp.srcport
"""
PACKET_FIELDS = frozenset(PACKET_NAMES.split())


try:
    import octorules_wirefilter
except ImportError:  # the parser of the vendor's own engine is optional
    vendor_parser: Callable[..., dict[str, Any]] | None = None
else:
    vendor_parser = octorules_wirefilter.parse_expression

LONGEST_RULE = 4096
LONGEST_OVERRIDE = 4000  # of managed DDoS rules
LONGEST_FILTER = 8192
FILTER_SCHEME: str | None = "magic_firewall"  # packets
RULE_SCHEME: str | None = None  # requests
ERROR = re.compile(r"[^\n]*\((\d+):(\d+)\):\n[^\n]*\n *\^+ (.+)", re.DOTALL)
UNCERTAIN = re.compile(
    r"unknown identifier|invalid (?:kind|type|number) of argument|cannot perform this operation"
)
# Documented, and not known to the library.
FALSELY_REFUSED = ("true", "false", "is_timed_hmac_valid_v0")


def check_filter(expression: str) -> list[str]:
    """Warnings of what Cloudflare may refuse in a filter's expression; raises Unread for what it
    does refuse."""
    warnings: dict[str, str] = {}
    for leaf in leaves(parse(expression)):
        try:
            values_of(leaf)
        except Unread as exc:
            if exc.malformed:
                raise
            warnings.setdefault(str(exc), place_of(expression, exc.at))
    return [f"{where}: {problem}; Cloudflare may refuse it" for problem, where in warnings.items()]


def check_rule(expression: str) -> list[str]:
    """The same for a rule of a zone, whose fields are too many to know them all; so there are no
    warnings."""
    for leaf in leaves(parse(expression)):
        if leaf.field in FILTER_FIELDS and not leaf.problem:
            try:
                values_of(leaf)
            except Unread as exc:
                if exc.malformed:
                    raise
    return []


def check_packets(expression: str) -> list[str]:
    """The same for a rule about packets; one that reads a field of requests is refused."""
    for name in unknown_names(expression, PACKET_FIELDS):
        if name in KNOWN_FIELDS:
            start = next(token.start for token in tokens_of(expression) if token.text == name)
            raise Unread(f"{quoted(name)} is a field of requests, and not of packets", at=start)
    return check_rule(expression)


def vendor_refusal(expression: str, scheme: str | None) -> Unread | None:
    """The refusal of an expression by the parser of the vendor's own engine; None if it does not
    refuse it, or may be wrong.

    It is the library octorules-wirefilter, where it is installed. Cloudflare may know more fields
    and functions than the library's scheme, so that what the library does not know by name or type
    is not refused.
    """
    if vendor_parser is None or _is_falsely_refused(expression):
        return None
    try:
        error = vendor_parser(expression, scheme).get("error") or ""
    except Exception:  # an optional check does not stop the module
        return None
    match = ERROR.match(error)
    if not match or UNCERTAIN.match(match[3]):
        return None
    line, column, reason = int(match[1]), int(match[2]), " ".join(match[3].split())
    lines = expression.split("\n")
    # The library counts bytes.
    before = lines[line - 1].encode()[: column - 1].decode(errors="ignore")
    start = sum(len(text) + 1 for text in lines[: line - 1]) + len(before)
    return Unread(f"{reason} (so says the parser of the vendor's engine)", at=start)


def _is_falsely_refused(expression: str) -> bool:
    """Return whether an expression has a word that the library does not know; few have one, so the
    text is searched first."""
    return any(word in expression for word in FALSELY_REFUSED) and any(
        token.text in FALSELY_REFUSED for token in tokens_of(expression)
    )


def _expression(
    check: Callable[[str], list[str]], scheme: str | None, longest: int | None
) -> Value:
    """A kind of expressions with the check of one before any request; see Value.examine."""

    def read(value: object) -> str:
        return parse_filled_text(value, WHITE_SPACE)

    @lru_cache(maxsize=4096)
    def examine(expression: str) -> list[str]:
        length = len(expression)
        if longest is not None and length > longest:
            raise ValueError(f"it has {length} characters, and Cloudflare takes at most {longest}")
        try:
            warnings = check(expression)
            refusal = vendor_refusal(expression, scheme)
            if refusal:
                raise refusal
        except Unread as exc:
            sentence = f"{place_of(expression, exc.at)}: {exc}"
            if exc.malformed:
                raise ValueError(sentence) from exc
            return [sentence]
        return warnings

    return Value({"type": "str"}, read, normalise_expression, examine, holds=AN_EXPRESSION)


FILTER_EXPRESSION = _expression(check_filter, FILTER_SCHEME, LONGEST_FILTER)
PACKET_EXPRESSION = _expression(check_packets, FILTER_SCHEME, LONGEST_RULE)
PACKET_OVERRIDE_EXPRESSION = _expression(check_packets, FILTER_SCHEME, LONGEST_OVERRIDE)
HTTP_OVERRIDE_EXPRESSION = _expression(check_rule, RULE_SCHEME, LONGEST_OVERRIDE)
FIREWALL_EXPRESSION = _expression(check_rule, RULE_SCHEME, None)
RULE_EXPRESSION = _expression(check_rule, RULE_SCHEME, LONGEST_RULE)
