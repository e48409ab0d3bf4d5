# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random states, exported and applied, and random runs, snapshotted and restored: nothing may differ. `make plans` compares
1,000 of each."""

from __future__ import annotations

import copy
import re
import uuid
from collections import Counter
from collections.abc import Collection, Mapping
from ipaddress import ip_network
from itertools import product
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import host_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import (
    Export,
    export_state,
    export_text,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.host_state import read_part
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.snapshot import snapshot_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.state_file import (
    StateFile,
    differences_in,
    read_file,
)
from hypothesis import example, given
from hypothesis import strategies as st

from tests.evidence.models.random_plans import plans
from tests.fake_service import LocalService
from tests.support.baseline_runs import applied
from tests.support.host_parts import RISKS, host, read_back, run_module
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
MALFORMED = st.sampled_from(["203.0.113.x/24", "", "anywhere", "10.0.0.0/99"])
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


ID = re.compile(r"\(id ([^)]+)\)|TCP protection status")
EVERYTHING: Item = {"baseline_dns_rules": [], "baseline_custom_rules": []}
STATES = st.tuples(accounts(odd=True), custom_rules(odd=True))
GOALS = st.tuples(accounts(odd=False), custom_rules(odd=False))
# An export describes such a state in full, and a restore brings it back; of the others both name some objects.
PLAIN_STATES = st.tuples(accounts(odd=False, plain=True), custom_rules(odd=False))


def exported(service: LocalService, purge: bool) -> tuple[Export, Item]:
    """The export of all that the service has, and the variables that its file gives to a play."""
    state = read_part(host_part("lima", {**host(service), **EVERYTHING}), run_module)
    export = export_state(state.objects, purge)
    variables = read_back(export_text(export, state.owners))
    del variables["baseline_source"]
    assert variables == export.variables
    return export, variables


def described(variables: Mapping[str, Any]) -> Item:
    """The variables without those that leave objects alone, with one spelling of each value."""
    kept = {name: value for name, value in variables.items() if not name.endswith(("_ignore", "_ignore_ids"))}
    lists = {name: [spelled(entry) for entry in kept[name]] for name in kept if is_list_of_objects(kept[name])}
    return {**kept, **lists}


def is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def without_empty_dns(variables: Mapping[str, Any]) -> Item:
    """The variables without DNS rules if none of these can be described: an account without any has no such variable, since
    it would say that the account is to have DNS protection."""
    if variables.get("baseline_dns_rules") != []:
        return {**variables}
    kept = {name: value for name, value in variables.items() if name != "baseline_dns_rules"}
    return {**kept, "baseline_purge": [option for option in variables["baseline_purge"] if option != "dns_rules"]}


KINDS = product(("syn_flood", "out_of_state_tcp"), ("rules", "filters"))
NO_OBJECTS: Item = {name: [] for name in ("prefixes", "allowlist", *map("_".join, KINDS))}
DNS_RULE: Item = {"id": "d" * 32, "scope": "global", "name": "global", "mode": "quantum"}  # that no option takes


@example(state=({**NO_OBJECTS, "enabled": True, "dns_rules": [DNS_RULE]}, []), purge=True)
@given(state=st.one_of(PLAIN_STATES, STATES, STATES), purge=st.booleans())
@plans(1.7)
@pytest.mark.ends("described in full", "with notes", of="exports", one_in=20)
def test_applying_an_export_changes_nothing_and_brings_an_empty_account_to_it(
    state: tuple[Item, list[Item]], purge: bool, service: LocalService, outcomes: Counter[str]
) -> None:
    hold(service, *state)
    before = comparable(content(service))
    export, variables = exported(service, purge)
    outcomes["with notes" if export.notes else "described in full"] += 1
    service.calls.clear()
    assert applied(service, variables)["changed"] is False
    assert not service.writes
    assert comparable(content(service)) == before
    empty: Item = {name: [] for name in collections_of(service) if name != "status"}
    hold(service, {**empty, "enabled": variables.get("baseline_enabled", False)}, [])
    applied(service, variables)
    unknown_status = {} if "baseline_enabled" in variables else {"baseline_enabled": False}
    assert described(exported(service, purge)[1]) == {**without_empty_dns(described(variables)), **unknown_status}


@given(before=st.one_of(PLAIN_STATES, PLAIN_STATES, GOALS, STATES), goal=GOALS)
@plans(1.7)
@pytest.mark.ends("restored", "restored but for objects that were named", of="restores", one_in=20)
def test_a_restore_brings_back_what_a_run_changed_but_for_objects_that_it_names(
    before: tuple[Item, list[Item]], goal: tuple[Item, list[Item]], service: LocalService, outcomes: Counter[str]
) -> None:
    hold(service, *goal)
    run = exported(service, purge=True)[1]
    hold(service, *before)
    expected = content(service)
    part = host_part("lima", {**host(service), **run})
    text = snapshot_text(part, read_part(part, run_module))
    result = run_module(part, False)
    assert not result.get("failed"), result
    after = content(service)
    file = read_file(read_back(text), "file.yml")
    refusal = restored(service, file)
    if refusal:
        assert content(service) == after
        left = [found.group(1) or "tcp_protection_status" for found in ID.finditer(refusal)]
        again = restored(service, file, left)
        assert again == "", (left, again, file.objects, after)
        assert comparable(content(service), left) == comparable(expected, left)
        outcomes["restored but for objects that were named"] += 1
        return
    outcomes["unchanged" if comparable(after) == comparable(expected) else "restored"] += 1
    assert comparable(content(service)) == comparable(expected)


def restored(service: LocalService, file: StateFile, left: Collection[str] = ()) -> str:
    """Restore a file without the objects with these ids; why it was refused, or nothing."""
    values = {name: value for name, value in host(service).items() if name != "baseline_accept_risks"}
    part = file.part("lima", values, RISKS, list(left))
    result = run_module(part, False)
    if result.get("failed"):
        assert "cannot be brought back" in result["msg"], result
        return str(result["msg"])
    assert differences_in(run_module(part, True)) == []
    return ""
