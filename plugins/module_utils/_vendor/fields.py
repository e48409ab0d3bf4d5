# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields of expressions by the vendor's pages: their kinds, the numbers that they have, and
the names that mean the same field.

The names are those of "Fields reference" (Ruleset Engine), "Network Firewall fields" and "Threat
intelligence fields" (WAF), read on 2026-11-28. A field that no page names is no mistake: the vendor
may be ahead of these tables.
"""

from __future__ import annotations

from typing import Mapping

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
http.request.body.truncated http.request.headers.truncated http.response.headers.truncated
ip.geoip.is_in_european_union ip.src.is_in_european_union ssl
""",
    ADDRESS: """
cf.edge.server_ip ip.src
""",
    ARRAY: """
cf.bot_management.detection_ids cf.intel.ip.attacker_countries cf.intel.ip.attacker_names
cf.intel.ip.datasets cf.intel.ip.target_countries cf.intel.ip.target_industries
cf.llm.prompt.pii_categories cf.llm.prompt.unsafe_topic_categories
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
RAW_PACKETS = PACKET_FIELDS_BY_KIND[""].split()  # bytes, and neither true nor false
PACKET_FIELDS = frozenset(" ".join(PACKET_FIELDS_BY_KIND.values()).split())
FIELD_KINDS: dict[str, str] = {}
for _names_by_kind in (PACKET_FIELDS_BY_KIND, FIELDS_BY_KIND):
    for _kind, _names in _names_by_kind.items():
        FIELD_KINDS.update(dict.fromkeys(_names.split(), _kind))
KNOWN_FIELDS = frozenset(" ".join(FIELDS_BY_KIND.values()).split())
RESPONSE_FIELDS = frozenset(name for name in KNOWN_FIELDS if ".response." in name)

GREATEST = 10**18
SIZES = """
cf.edge.l4.delivery_rate cf.llm.prompt.token_count cf.timings.client_quic_rtt_msec
cf.timings.client_tcp_rtt_msec cf.timings.edge_msec cf.timings.origin_ttfb_msec
cf.timings.worker_msec cf.tls_client_hello_length cf.waf.content_scan.num_malicious_obj
cf.waf.content_scan.num_obj http.request.body.size
"""
# The numbers that a field can have, by its own page; the packets' by the form of their headers. A
# bot score of 0 stands in "Bot scores" alone: it was not computed.
RANGES: Mapping[str, tuple[int, int]] = {
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


# Two names of one field.
SAME_FIELD: Mapping[str, str] = {
    "cf.bot_management.verified_bot": "cf.client.bot",
    **{
        name: name.replace(".geoip.", ".src.")
        for name in FIELD_KINDS
        if name.startswith("ip.geoip.")
    },
}
