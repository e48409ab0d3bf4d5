# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A request of a few fields, and whether an expression matches it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address

from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import NotKnown
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import Fields


@dataclass(frozen=True)
class Request:
    path: str = "/"
    host: str = "example.com"
    method: str = "GET"
    user_agent: str = ""
    source: str = "192.0.2.1"
    ssl: bool = True
    bot: bool = False


def matches(expression: str, request: Request) -> bool:
    """Whether the expression matches the request, by the evaluation of the expectations, which the vendor's engine judges;
    raises SyntaxError if that is not known."""
    truth = Expression.of(expression).evaluate(_fields_of(request))
    if isinstance(truth, NotKnown):
        raise SyntaxError(f"{expression}: {', '.join(truth.reasons)}")
    return truth


@lru_cache(maxsize=1024)
def _fields_of(request: Request) -> Fields:
    return Fields(
        {
            "http.request.uri.path": request.path.encode(),
            "http.host": request.host.encode(),
            "http.request.method": request.method.encode(),
            "http.user_agent": request.user_agent.encode(),
            "ip.src": ip_address(request.source),
            "ssl": request.ssl,
            "cf.client.bot": request.bot,
        }
    )
