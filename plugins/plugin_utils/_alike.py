# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Equal texts of several hosts as one line, with the number and the names of the hosts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..module_utils._text import first_few

FEWEST = 3  # hosts share a line; of fewer, each has a line
MOST_HOST_NAMES = 100  # of hosts are in a line
RAY = re.compile(r" \(ray [^()]*\)")  # of an answer of Cloudflare, which no other answer has


def without_ray(text: str) -> str:
    """A text without the ray ids of Cloudflare's answers, which differ from call to call."""
    return RAY.sub("", text)


class HostsText(NamedTuple):
    """A text, and the hosts that have it."""

    text: str
    hosts: Sequence[str]

    @property
    def is_shared(self) -> bool:
        """Return whether several hosts have the text."""
        return len(self.hosts) > 1

    @property
    def line(self) -> str:
        """The names of the hosts, a colon, and the text."""
        names = first_few(self.hosts, MOST_HOST_NAMES)
        subject = f"{len(self.hosts)} hosts ({names})" if self.is_shared else names
        return f"{subject}: {self.text}"


def hosts_by_text(texts: Mapping[str, str]) -> list[HostsText]:
    """The texts of hosts, by host, in the order of their first hosts. Only hosts of which at
    least FEWEST have the same text share an entry; texts that differ only in a ray id are the
    same."""
    hosts: dict[str, list[str]] = {}
    for host, text in texts.items():
        hosts.setdefault(without_ray(text), []).append(host)
    groups = []
    for host, text in texts.items():
        alike = hosts[without_ray(text)]
        if len(alike) < FEWEST:
            groups.append(HostsText(text, [host]))
        elif host == alike[0]:
            groups.append(HostsText(text, alike))
    return groups
