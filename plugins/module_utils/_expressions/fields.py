# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields that expressions name: their kinds, and the values that they can have.

The vendor describes filters in "JSON objects" (Advanced TCP Protection API): the fields ip.src,
ip.dst, tcp.srcport and tcp.dstport, and no functions.
"""

from __future__ import annotations

import re
from typing import AbstractSet, Mapping, Sequence

from .._errors import Unread
from .._text import did_you_mean
from .._values.address_set import EVERYTHING, Range, Ranges
from .grammar import (
    HARD_TO_END,
    QUOTED,
    WORD,
    Comparison,
    addresses_of,
    numbers_of,
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
TEXT, NUMBER, FLAG, ADDRESS, ARRAY, MAP = "text", "number", "flag", "address", "array", "map"
FIELDS_BY_KIND = {  # under an empty text, those whose kind the vendor does not say
    TEXT: """
cf.bot_management.ja3_hash cf.bot_management.ja4 cf.colo.name cf.colo.region cf.hostname.metadata
cf.random_seed cf.ray_id cf.response.error_type cf.tls_cipher cf.tls_ciphers_sha1
cf.tls_client_auth.cert_chain_rfc9440 cf.tls_client_auth.cert_fingerprint_sha1
cf.tls_client_auth.cert_fingerprint_sha256 cf.tls_client_auth.cert_issuer_dn
cf.tls_client_auth.cert_issuer_dn_legacy cf.tls_client_auth.cert_issuer_dn_rfc2253
cf.tls_client_auth.cert_issuer_serial cf.tls_client_auth.cert_issuer_ski
cf.tls_client_auth.cert_not_after cf.tls_client_auth.cert_not_before
cf.tls_client_auth.cert_rfc9440 cf.tls_client_auth.cert_serial cf.tls_client_auth.cert_ski
cf.tls_client_auth.cert_subject_dn cf.tls_client_auth.cert_subject_dn_legacy
cf.tls_client_auth.cert_subject_dn_rfc2253 cf.tls_client_extensions_sha1
cf.tls_client_extensions_sha1_le cf.tls_client_random cf.tls_version cf.verified_bot_category
cf.waf.score.class cf.worker.upstream_zone cf.zone.name cf.zone.plan http.cookie http.host
http.referer http.request.body.mime http.request.body.raw http.request.full_uri
http.request.method http.request.uri http.request.uri.path http.request.uri.path.extension
http.request.uri.query http.request.version http.response.content_type.media_type http.user_agent
http.x_forwarded_for ip.geoip.continent ip.geoip.country ip.geoip.subdivision_1_iso_code
ip.geoip.subdivision_2_iso_code ip.src.city ip.src.continent ip.src.country ip.src.lat ip.src.lon
ip.src.metro_code ip.src.postal_code ip.src.region ip.src.region_code
ip.src.subdivision_1_iso_code ip.src.subdivision_2_iso_code ip.src.timezone.name
raw.http.request.body.raw raw.http.request.full_uri raw.http.request.uri raw.http.request.uri.path
raw.http.request.uri.path.extension raw.http.request.uri.query
""",
    NUMBER: """
cf.bot_management.score cf.edge.client_port cf.edge.l4.delivery_rate cf.edge.server_port
cf.llm.prompt.injection_score cf.llm.prompt.token_count cf.response.1xxx_code cf.threat_score
cf.timings.client_quic_rtt_msec cf.timings.client_tcp_rtt_msec cf.timings.edge_msec
cf.timings.origin_ttfb_msec cf.timings.worker_msec cf.tls_client_hello_length
cf.waf.content_scan.num_malicious_obj cf.waf.content_scan.num_obj cf.waf.score cf.waf.score.rce
cf.waf.score.sqli cf.waf.score.xss http.request.body.size http.request.timestamp.msec
http.request.timestamp.sec http.response.code ip.geoip.asnum ip.src.asnum
""",
    FLAG: """
cf.api_gateway.auth_id_present cf.api_gateway.fallthrough_detected
cf.api_gateway.request_violates_schema cf.bot_management.corporate_proxy
cf.bot_management.js_detection.passed cf.bot_management.signed_agent
cf.bot_management.static_resource cf.bot_management.verified_bot cf.client.bot cf.edge.client_tcp
cf.llm.prompt.detected cf.llm.prompt.pii_detected cf.llm.prompt.unsafe_topic_detected
cf.schema_validation.learned.violated cf.schema_validation.uploaded.violated
cf.tls_client_auth.cert_chain_rfc9440_too_large cf.tls_client_auth.cert_presented
cf.tls_client_auth.cert_revoked cf.tls_client_auth.cert_rfc9440_too_large
cf.tls_client_auth.cert_verified cf.waf.auth_detected cf.waf.content_scan.has_failed
cf.waf.content_scan.has_malicious_obj cf.waf.content_scan.has_obj
cf.waf.credential_check.password_leaked cf.waf.credential_check.username_and_password_leaked
cf.waf.credential_check.username_leaked cf.waf.credential_check.username_password_similar
http.request.body.truncated http.request.headers.truncated ip.geoip.is_in_european_union
ip.src.is_in_european_union ssl
""",
    ADDRESS: """
cf.edge.server_ip ip.src
""",
    ARRAY: """
cf.bot_management.detection_ids cf.llm.prompt.pii_categories cf.llm.prompt.unsafe_topic_categories
cf.waf.content_scan.obj_results cf.waf.content_scan.obj_sizes cf.waf.content_scan.obj_types
http.request.accepted_languages http.request.body.form.names http.request.body.form.values
http.request.body.multipart.content_dispositions
http.request.body.multipart.content_transfer_encodings http.request.body.multipart.content_types
http.request.body.multipart.filenames http.request.body.multipart.names
http.request.body.multipart.values http.request.headers.names http.request.headers.values
http.request.uri.args.names http.request.uri.args.values http.response.headers.names
http.response.headers.values raw.http.request.headers.names raw.http.request.headers.values
raw.http.request.uri.args.names raw.http.request.uri.args.values raw.http.response.headers.names
raw.http.response.headers.values
""",
    MAP: """
cf.llm.prompt.custom_topic_categories http.request.body.form http.request.body.multipart
http.request.cookies http.request.headers http.request.uri.args http.response.headers
raw.http.request.headers raw.http.request.uri.args raw.http.response.headers
""",
    "": """
cf.metal.id cf.waf.credential_check.disposable_email http.response.set_cookies
raw.http.response.set_cookies
""",
}
PACKET_FIELDS_BY_KIND = {
    TEXT: """
cf.colo.name cf.colo.region ip.dst.country ip.geoip.country ip.proto ip.src.country
""",
    NUMBER: """
icmp.code icmp.type ip.dst.asnum ip.hdr_len ip.len ip.opt.type ip.proto.num ip.src.asnum ip.ttl
tcp.dstport tcp.flags tcp.srcport udp.dstport udp.srcport
""",
    FLAG: """
sip tcp.flags.ack tcp.flags.cwr tcp.flags.ecn tcp.flags.fin tcp.flags.push tcp.flags.reset
tcp.flags.syn tcp.flags.urg
""",
    ADDRESS: "ip.src ip.dst",
    "": "icmp ip tcp udp",
}
PACKET_FIELDS = frozenset(" ".join(PACKET_FIELDS_BY_KIND.values()).split())
FIELD_KINDS = {
    name: kind
    for fields in (PACKET_FIELDS_BY_KIND, FIELDS_BY_KIND)
    for kind, names in fields.items()
    for name in names.split()
}
KNOWN_FIELDS = frozenset(" ".join(FIELDS_BY_KIND.values()).split()) - {SSL}

GREATEST = 10**18
SIZES = """
cf.edge.l4.delivery_rate cf.llm.prompt.token_count cf.timings.client_quic_rtt_msec
cf.timings.client_tcp_rtt_msec cf.timings.edge_msec cf.timings.origin_ttfb_msec
cf.timings.worker_msec cf.tls_client_hello_length cf.waf.content_scan.num_malicious_obj
cf.waf.content_scan.num_obj http.request.body.size
"""
# The numbers that a field can have, by its own page; the packets' by the form of their headers. A
# bot score of 0 stands in "Bot scores" alone: it was not computed.
RANGES: Mapping[str, Range] = {
    "cf.threat_score": (0, 0),
    "cf.bot_management.score": (0, 99),
    **dict.fromkeys(
        ("cf.waf.score", "cf.waf.score.rce", "cf.waf.score.sqli", "cf.waf.score.xss"), (1, 100)
    ),
    "cf.llm.prompt.injection_score": (1, 100),
    "http.request.timestamp.sec": (10**9, 10**10 - 1),
    "http.request.timestamp.msec": (0, 999),
    "cf.edge.server_port": (1, 65535),
    **dict.fromkeys(("ip.src.asnum", "ip.dst.asnum", "ip.geoip.asnum"), (0, (1 << 32) - 1)),
    **dict.fromkeys(("cf.edge.client_port", "ip.len", "udp.srcport", "udp.dstport"), (0, 65535)),
    **dict.fromkeys(("ip.hdr_len", "ip.proto.num", "ip.ttl", "icmp.type", "icmp.code"), (0, 255)),
    **dict.fromkeys(SIZES.split(), (0, GREATEST)),
}
CAPITALS, SMALL = "no small letters", "no capital letters"  # of all parts of a text as well
TEXT_FORMS = {CAPITALS: re.compile(r"[^a-z]*"), SMALL: re.compile(r"[^A-Z]*")}
COUNTRIES, A_COUNTRY = "two capital letters, such as DE", re.compile("(?:[A-Z][A-Z0-9])?")
# The texts that a field can have, by its own page, in words; a field may be empty.
TEXTS_OF_FIELDS: Mapping[str, str] = {
    "http.request.method": CAPITALS,
    "upper": CAPITALS,
    **dict.fromkeys(("ip.src.country", "ip.geoip.country", "ip.dst.country"), COUNTRIES),
    **dict.fromkeys(
        ("http.request.uri.path.extension", "http.response.content_type.media_type", "lower"), SMALL
    ),
    **dict.fromkeys(("ip.src.continent", "ip.geoip.continent"), "AF, AN, AS, EU, NA, OC, SA, T1"),
    "cf.waf.score.class": "attack, likely_attack, likely_clean, clean",
}


# Two names of one field.
SAME_FIELD: Mapping[str, str] = {
    "cf.bot_management.verified_bot": "cf.client.bot",
    **{
        name: name.replace(".geoip.", ".src.")
        for name in FIELD_KINDS
        if name.startswith("ip.geoip.")
    },
}


def possible_texts(leaf: Comparison) -> list[str] | None:
    """The texts of a comparison that its field, or function, can be equal to, or contain; None if
    it is compared in another way."""
    if leaf.operator not in ("eq", "ne", "in", "contains") or not leaf.operands:
        return None
    if any(item.kind != QUOTED or HARD_TO_END.search(item.text) for item in leaf.operands):
        return None
    form = TEXTS_OF_FIELDS.get(leaf.field.partition(" ")[0], "")
    if form in TEXT_FORMS:
        pattern = TEXT_FORMS[form]
    elif form and leaf.operator != "contains":
        pattern = A_COUNTRY if form == COUNTRIES else re.compile(form.replace(", ", "|") + "|")
    else:
        return [item.text for item in leaf.operands]
    return [item.text for item in leaf.operands if pattern.fullmatch(item.text[1:-1])]


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


FIELDS_OF_LISTS: Mapping[str, Sequence[str]] = {  # that may be in a list, by the kind of the list
    "ip": [name for name, kind in FIELD_KINDS.items() if kind == ADDRESS],
    "asn": ["ip.src.asnum", "ip.geoip.asnum"],
    "hostname": ["http.host"],
}


def misused(use: Comparison, kind: str) -> bool:
    """Return whether a comparison looks for a field of another kind in a list of this one; not for
    a field that is not known."""
    known = [name for name in names_in(use.field) if name in FIELD_KINDS]
    return bool(known) and not set(known) & {*FIELDS_OF_LISTS.get(kind, ())}
