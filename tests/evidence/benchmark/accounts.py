# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the accounts of the benchmark hold, and what is desired of them."""

from __future__ import annotations

from typing import Any

Entry = dict[str, Any]
Account = dict[str, Any]

SENSITIVITIES = {"rate_sensitivity": "medium", "burst_sensitivity": "medium"}
KINDS = ("syn_flood", "out_of_state_tcp")


def identifier(number: int) -> str:
    """The id of the account with this number."""
    return f"{number + 1:032x}"


def prefixes(count: int) -> list[Entry]:
    """Networks apart from each other, in the order of their addresses."""
    return [
        {
            "prefix": f"{10 + number // 65536}.{number // 256 % 256}.{number % 256}.0/24",
            "comment": "",
            "excluded": False,
        }
        for number in range(count)
    ]


def allowlist(count: int) -> list[Entry]:
    """Single sources, each in a network of its own."""
    return [
        {"prefix": f"172.{16 + number // 256}.{number % 256}.7/32", "comment": "", "enabled": True}
        for number in range(count)
    ]


def desired() -> Entry:
    """A whole account, as options of account_protection."""
    return {
        "enabled": True,
        "prefixes": prefixes(20),
        "allowlist": allowlist(5),
        "rules": [{"kind": kind, **rule} for kind in KINDS for rule in rules()],
        "filters": [{"kind": kind, **filter_} for kind in KINDS for filter_ in filters()],
    }


def rules() -> list[Entry]:
    return [
        {"scope": "global", "name": "global", "mode": "monitoring", **SENSITIVITIES},
        {"scope": "region", "name": "WEUR", "mode": "monitoring", **SENSITIVITIES},
    ]


def filters() -> list[Entry]:
    return [{"expression": "ip.dst in {10.0.1.0/24} and tcp.dstport eq 80", "mode": "monitoring"}]


def in_order() -> Account:
    """The account that holds what is desired."""
    whole = desired()
    return {
        **{name: whole[name] for name in ("enabled", "prefixes", "allowlist")},
        **{kind: {"rules": rules(), "filters": filters()} for kind in KINDS},
    }


def objects(account: Account) -> int:
    """How many objects an account holds in all."""
    lists = [account["prefixes"], account["allowlist"]]
    return sum(map(len, lists)) + sum(len(account[kind][name]) for kind in KINDS for name in ("rules", "filters"))


def directory_accounts(count: int) -> Account:
    """So many accounts, by id, as the inventory lists them."""
    return {identifier(number): {"name": f"Account {number}"} for number in range(count)}


def directory_zones(count: int, accounts: int) -> dict[str, Any]:
    """So many zones, by id, of accounts in turn."""
    return {
        f"{number + 1:08x}{'f' * 24}": {
            "name": f"zone{number}.example.com",
            "account_id": identifier(number % accounts),
        }
        for number in range(count)
    }
