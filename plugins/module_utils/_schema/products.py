# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The products that an account may lack, and the answers of Cloudflare that say so."""

from __future__ import annotations

from typing import Collection, Mapping

TCP, DNS = "Advanced TCP Protection", "Advanced DNS Protection"
NETWORK_FIREWALL = "Network Firewall"
# By the title of a product: its name in results.
PRODUCT_NAMES: Mapping[str, str] = {
    TCP: "tcp_protection",
    DNS: "dns_protection",
    NETWORK_FIREWALL: "network_firewall",
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
    """A sentence on an account without this product; an empty title stands for any."""
    return f"The account has no {product or 'such product'}; it comes with Magic Transit."
