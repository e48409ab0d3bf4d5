# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The products that an account may lack, and the answers of Cloudflare that say so."""

from __future__ import annotations

from typing import Any, Callable, Collection, Mapping, Sequence

from .._errors import ServiceError

TCP, DNS = "Advanced TCP Protection", "Advanced DNS Protection"
NETWORK_FIREWALL = "Network Firewall"
L4_DDOS, HTTP_DDOS = "overrides of L3/4 DDoS rules", "overrides of HTTP DDoS rules"
IP_LISTS, ACCOUNT_RULESETS = "lists", "custom rulesets of an account"
RATE_LIMITS, MANAGED_WAF = "rate limiting rules", "managed rules"
# By the title of a product: its name in results.
MAGIC_TRANSIT: Mapping[str, str] = {
    TCP: "tcp_protection",
    DNS: "dns_protection",
    NETWORK_FIREWALL: "network_firewall",
}
PRODUCT_NAMES: Mapping[str, str] = {
    **MAGIC_TRANSIT,
    L4_DDOS: "ddos_l4_overrides",
    IP_LISTS: "ip_lists",
    ACCOUNT_RULESETS: "account_custom_rulesets",
    RATE_LIMITS: "rate_limit_rules",
    MANAGED_WAF: "managed_rules",
    HTTP_DDOS: "ddos_l7_overrides",
}
PRODUCTS = "products"  # of a result: by name, whether the account has it
ENTITLED, NOT_ENTITLED, NOT_KNOWN = "entitled", "not entitled", "not known"
# Cloudflare's codes for a path of a product that the account does not have; any other refusal may
# have another reason.
CODES_OF_LACK = frozenset([8888])


def lacks_product(codes: Collection[int | None]) -> bool:
    """Return whether an answer with these codes says that the account does not have the product of
    the path."""
    return not CODES_OF_LACK.isdisjoint(codes)


def sentence_on_lack(product: str) -> str:
    """A sentence on an account or a zone without this product; an empty title stands for any."""
    if product in MAGIC_TRANSIT:
        return f"The account has no {product}; it comes with Magic Transit."
    return f"The account, or the plan of the zone, is not entitled to {product or 'this'}."


def objects_if_entitled(read: Callable[[], Sequence[Any]]) -> Sequence[Any]:
    """The objects that a reading returns; none if the owner lacks the product. Raises any other
    ServiceError."""
    try:
        return read()
    except ServiceError as exc:
        if lacks_product(exc.codes):
            return ()
        raise
