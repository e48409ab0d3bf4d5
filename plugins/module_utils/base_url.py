# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The base URL: where the credentials go, and so nowhere but over TLS or to this machine itself."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from .errors import OptionError

DEFAULT_BASE_URL = "https://api.cloudflare.com/client/v4"
VERSION_SEGMENTS = "/client/v4"


def read_base_url(text: str) -> tuple[str, str | None]:
    """The URL without a slash at its end, and a warning where it looks wrong; raises OptionError."""
    url = text.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        host, _dummy = parts.hostname, parts.port
    except ValueError as exc:
        raise OptionError("base_url", f"it is not a URL: {exc}") from exc
    if not host or parts.scheme not in ("https", "http") or not url.isprintable() or " " in url:
        raise OptionError("base_url", f"it is not a URL such as {DEFAULT_BASE_URL}")
    if parts.username is not None or parts.query or parts.fragment:
        raise OptionError("base_url", "it holds credentials, a query or a fragment; leave them out")
    if parts.scheme == "http" and not _is_loopback(host):
        raise OptionError("base_url", "it must be https; http is for this machine's own addresses only")
    if parts.path.endswith(VERSION_SEGMENTS):
        return url, None
    return url, f"base_url: it does not end in {VERSION_SEGMENTS}, as the service's addresses do"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
