# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random states of an account and a zone, as other hands may have left them: duplicates, malformed entries, values and
fields that nobody knows."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Collection, Mapping
from ipaddress import ip_network
from typing import Any

from hypothesis import strategies as st

from tests.fake_service import LocalService
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.service_state import collections_of

Item = dict[str, Any]
Collections = Mapping[str, list[Any]]
TEXTS = st.one_of(
    st.sampled_from(
        ["", "yes", "2026-01-01", "{{ 1 + 1 }}", "it's", '"quoted"', "a: b", "#", " ", "\u202e", "\x07", "null"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
NETWORKS = st.sampled_from(["192.0.2.0/24", "192.0.2.7/25", "2001:DB8::/32", "198.51.100.7", "2001:db8:1::/48"])
MALFORMED = st.sampled_from(["203.0.113/24", "", "anywhere", "10.0.0.0/99"])
MODES = st.sampled_from(["enabled", "monitoring", "disabled"])
ODD_MODES = st.one_of(MODES, st.sampled_from(["quantum", "ENABLED", ""]))
LEVELS = st.sampled_from(["low", "medium", "high"])
FLAGS = st.booleans()
ODD_FLAGS = st.one_of(FLAGS, st.sampled_from(["false", "no", None, 1]))
PLACES = st.sampled_from([("global", "global"), ("region", "WEUR"), ("region", "EEUR"), ("datacenter", "SJC")])
EXPRESSIONS = st.sampled_from(["tcp.dstport eq 80", "tcp.dstport  eq 80", "ip.dst in {192.0.2.0/24}"])
UNREADABLE = st.sampled_from(["ip.dst in {oops", "tcp.dstport eq 99999", "every packet"])
UNKNOWN = st.sampled_from([{}, {}, {}, {"tags": ["a", "b"]}, {"owner": {"team": "edge", "since": 2027}}])
STAMPS = ("id", "created_on", "modified_on", "version", "last_updated")
CREATED = "2026-01-02T03:04:05.678901+00:00"


def items(
    *fields: tuple[str, st.SearchStrategy[Any]], size: int = 4, plain: bool = False
) -> st.SearchStrategy[list[Item]]:
    """Objects with these fields, of which the first names them; each with an id and its times. Unless they are plain, there
    are duplicates among them, and fields of the future."""

    def built(values: Item, unknown: Item, identity: uuid.UUID) -> Item:
        return {"id": str(identity), **values, **unknown, "created_on": CREATED, "modified_on": CREATED}

    one = st.builds(built, st.fixed_dictionaries(dict(fields)), st.just({}) if plain else UNKNOWN, st.uuids())
    name = fields[0][0] if plain else "id"
    return st.lists(one, max_size=size, unique_by=(lambda item: item["id"], lambda item: key_of(item[name])))


def key_of(value: Any) -> str:
    """One spelling of what names an object."""
    return network("".join(value)).replace(" ", "")


def rules_of(
    modes: st.SearchStrategy[Any], plain: bool, *more: tuple[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[list[Item]]:
    """Rules of one component."""
    fields = (("place", PLACES), ("mode", modes), ("rate_sensitivity", LEVELS), ("burst_sensitivity", LEVELS), *more)
    flat = items(*fields, size=3, plain=plain)
    return flat.map(lambda rules: [placed(rule) for rule in rules])


def placed(rule: Item) -> Item:
    scope, name = rule["place"]
    return {"scope": scope, "name": name, **{key: value for key, value in rule.items() if key != "place"}}


def accounts(odd: bool, plain: bool = False) -> st.SearchStrategy[Item]:
    """What an account holds, by the names of service_state; only an odd one has values that no option takes, and a plain
    one neither duplicates nor fields that nobody knows."""
    modes, flags = (ODD_MODES, ODD_FLAGS) if odd else (MODES, FLAGS)
    networks = st.one_of(NETWORKS, MALFORMED) if odd else NETWORKS
    expressions = st.one_of(EXPRESSIONS, UNREADABLE) if odd else EXPRESSIONS
    filters = items(("expression", expressions), ("mode", modes), size=3, plain=plain)
    mitigations = ("mitigation_type", st.sampled_from(["challenge", "retransmit"]))
    prefixes = items(("prefix", networks), ("comment", TEXTS), ("excluded", flags), size=5, plain=plain)
    return st.fixed_dictionaries(
        {
            "enabled": st.one_of(FLAGS, st.sampled_from([None, "false"])) if odd else FLAGS,
            "prefixes": prefixes,
            "allowlist": items(("prefix", networks), ("comment", TEXTS), ("enabled", flags), plain=plain),
            "dns_rules": rules_of(modes, plain, ("profile_sensitivity", LEVELS)),
            "syn_flood_rules": rules_of(modes, plain, mitigations),
            "out_of_state_tcp_rules": rules_of(modes, plain),
            "syn_flood_filters": filters,
            "out_of_state_tcp_filters": filters,
        }
    )


CHECK = {"username_expression": "http.request.body.raw", "password_expression": "http.request.body.raw"}
KNOWN_TO_THE_SERVICE = st.sampled_from([{}, {}, {"exposed_credential_check": CHECK}])


def custom_rules(odd: bool) -> st.SearchStrategy[list[Item]]:
    """The custom rules of a zone."""
    actions = st.sampled_from(["block", "log", "managed_challenge", *(["rate_limit_of_the_future"] if odd else [])])
    rule = st.builds(
        lambda fields, unknown: {**fields, **unknown},
        st.fixed_dictionaries(
            {
                "ref": st.sampled_from(["a", "b", "c*", "{{ d }}", "[e]"]),
                "action": actions,
                "expression": st.sampled_from(["ip.src eq 192.0.2.1", 'http.host eq "{{ x }}"']),
                "description": TEXTS,
                "enabled": FLAGS,
            }
        ),
        KNOWN_TO_THE_SERVICE,
    )
    return st.lists(rule, max_size=4, unique_by=lambda item: str(item["ref"]))


def hold(service: LocalService, account: Mapping[str, Any], rules: list[Item]) -> None:
    """Let the service have just this state."""
    service.reset()
    service.switch(checked_against_contract=False)
    held = service.account(ACCOUNT)
    held.enabled = account["enabled"]
    for name, objects in collections_of(service).items():
        if name in account:
            objects[:] = copy.deepcopy(account[name])
    service.zone(ZONE).seed(custom_rules=copy.deepcopy(rules))


def content(service: LocalService) -> Collections:
    """What the service has, as it is now."""
    return copy.deepcopy(collections_of(service))


def comparable(collections: Collections, without: Collection[str] = ()) -> dict[str, list[str]]:
    """Collections without ids and times and with one spelling of each network and expression; the order counts in the
    custom rules only. Objects with an id in `without` are left out, and the status by its name."""
    found = {}
    for name, objects in collections.items():
        kept = [item for item in objects if item.get("id", "tcp_protection_status") not in without]
        values = [repr(sorted(spelled(item).items())) for item in kept]
        found[name] = values if name == "custom_rules" else sorted(values)
    return found


def spelled(item: Item) -> Item:
    """An object without what only the service sets; equal objects look alike."""
    values = {name: value for name, value in item.items() if name not in STAMPS}
    for name in ("enabled", "excluded"):
        if values.get(name) in (1, "false"):
            values[name] = values[name] == 1
    if "prefix" in values:
        values["prefix"] = network(values["prefix"])
        values["excluded"] = values.get("excluded") or False  # null says no more than false
    if "expression" in values:
        values["expression"] = " ".join(values["expression"].split())
    return values


def network(text: str) -> str:
    try:
        return str(ip_network(text, strict=False))
    except ValueError:
        return text
