# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields of packets that rules of the Network Firewall may read.

The vendor lists them in "Cloudflare Network Firewall fields".
"""

from __future__ import annotations

NAMES = """
cf.colo.name cf.colo.region icmp icmp.code icmp.type ip ip.dst ip.dst.asnum ip.dst.country
ip.geoip.country ip.hdr_len ip.len ip.opt.type ip.proto ip.proto.num ip.src ip.src.asnum
ip.src.country ip.ttl sip tcp tcp.dstport tcp.flags tcp.flags.ack tcp.flags.cwr tcp.flags.ecn
tcp.flags.fin tcp.flags.push tcp.flags.reset tcp.flags.syn tcp.flags.urg tcp.srcport udp
udp.dstport udp.srcport
"""
PACKET_FIELDS = frozenset(NAMES.split())
