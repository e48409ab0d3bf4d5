# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields of packets: those that the parser of the vendor's engine knows, and no other of its own."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.fields import (
    PACKET_FIELDS,
    unknown_fields,
)

DOCUMENTED_ONLY = {"ip.proto.num", "ip.geoip.country"}  # by the vendor's page, and not in the library


def test_the_fields_are_those_of_the_vendors_engine() -> None:
    library = pytest.importorskip("octorules_wirefilter")
    known = {field["name"] for field in library.get_schema_info("magic_firewall")["fields"]}
    assert known == PACKET_FIELDS - DOCUMENTED_ONLY


def test_fields_of_requests_are_none_of_packets() -> None:
    assert unknown_fields('ip.proto eq "udp" and http.host eq "a"', PACKET_FIELDS) == ["http.host"]
