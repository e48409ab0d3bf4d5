# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of calls."""

from __future__ import annotations

import hashlib
from dataclasses import asdict

from tests.fake_service import LocalService

from .conftest import Client


def test_no_secret_is_kept(protection: Client, service: LocalService) -> None:
    protection("GET", "/prefixes")
    key = {"Authorization": None, "X-Auth-Email": service.email, "X-Auth-Key": service.key}
    protection("GET", "/prefixes", headers=key)
    protection("GET", "/prefixes", headers={**key, "Authorization": "Bearer both"})
    protection("GET", "/prefixes", headers={"Authorization": None})
    assert [call.authorization for call in service.calls] == ["bearer", "key", "bearer+key", None]
    digests = [hashlib.sha256(secret.encode()).hexdigest() for secret in (service.token, service.key, "both")]
    assert [call.authorization_digest for call in service.calls] == [*digests, None]
    logged = str([asdict(call) for call in service.calls])
    assert service.token not in logged and service.key not in logged
