# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random accounts and tasks for them: duplicates, odd spellings, purges, staged rollouts, and entries that expire."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import argument_spec
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from tests.evidence.models.plan_model import KEYS, Item

Items = st.SearchStrategy[list[Item]]
KINDS = ("syn_flood", "out_of_state_tcp")
OF_KINDS = ("rules", "filters")
NETWORKS = st.sampled_from(  # few, so that tasks meet what exists
    ["192.0.2.0/24", "192.0.2.9/24", "192.0.2.1", "192.0.2.1/32", "2001:db8::/32", "2001:DB8::/32", "::/1"]
)
NOW = datetime(2026, 3, 1, 12, 15, tzinfo=UTC)  # the service's time
TIMES = st.sampled_from(  # each before the next, which the texts are not; two of them more than four hours ago
    [
        "2026-03-01T10:00:00.000000+02:00",
        "2026-03-01T09:00:00.500000+01:00",
        "2026-03-01T11:30:00.000000+03:00",
        "2026-03-01T09:00:00.000000+00:00",
    ]
)
ENDS = st.sampled_from(  # two of them before NOW
    ["2026-03-01", "2026-02-28", "2026-03-01T14:00:00+02:00", "2026-03-01T15:00:00+02:00"]
)
TEXTS = st.sampled_from(["", "a", "A b"])
FLAGS = st.booleans()
ONE_IN_MANY = st.sampled_from([False] * 25 + [True])
PERCENTAGES = st.sampled_from([30, 0, 60, 100])
MODES = st.sampled_from(["enabled", "enabled", "monitoring", "disabled"])
LEVELS = st.sampled_from(["low", "medium", "high"])
PORTS = st.sampled_from(
    [
        "tcp.dstport in {80 443}",
        "tcp.dstport  in\n{80 443}",
        "tcp.dstport in { 80 443 }",
        "tcp.dstport eq 22",
        "ip.src in {192.0.2.0/24}",
    ]
)


def some(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Item]:
    """An object of a task: what is optional is left out, or named."""
    return st.fixed_dictionaries(required, optional=optional)


def limited(limits: dict[str, Any]) -> st.SearchStrategy[Item]:
    """The limits of a task, some of which it names."""
    return some({}, limits).map(lambda chosen: {"limits": chosen} if chosen else {})


def named_once(entries: st.SearchStrategy[Item], key: Any, most: int = 4) -> Items:
    """A list of a task, which is never empty, since hypothesis likes best what is smallest."""
    return st.lists(entries, min_size=1, max_size=most, unique_by=key)


PLACES = st.sampled_from(
    [("global", "global"), ("region", "WEUR"), ("region", "weur"), ("region", "ENAM"), ("datacenter", "lax")]
)
LISTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "prefixes": ({"prefix": NETWORKS}, {"comment": TEXTS, "excluded": FLAGS, "expires": ENDS}),
    "allowlist": ({"prefix": NETWORKS}, {"comment": TEXTS, "enabled": FLAGS, "expires": ENDS}),
    "rules": ({}, {"mode": MODES, "rate_sensitivity": LEVELS, "burst_sensitivity": LEVELS}),
    "filters": ({"expression": PORTS}, {"mode": MODES}),
    "dns_rules": ({}, {"mode": MODES, "rate_sensitivity": LEVELS, "profile_sensitivity": LEVELS | st.just("very_high")}),
}  # fmt: skip


def with_place(pair: tuple[tuple[str, str], Item]) -> Item:
    return {"scope": pair[0][0], "name": pair[0][1], **pair[1]}


def objects(collection: str) -> st.SearchStrategy[Item]:
    """Options of one object."""
    item = some(*LISTS[collection])
    return st.tuples(PLACES, item).map(with_place) if collection in ("rules", "dns_rules") else item


@st.composite
def of_kind(draw: st.DrawFn, collection: str) -> Item:
    """A rule or filter of a task, with its kind; a type of mitigation goes with one of them."""
    item = {"kind": draw(st.sampled_from(KINDS)), **draw(objects(collection))}
    if collection == "rules" and draw(FLAGS) and (item["kind"] == "syn_flood" or draw(ONE_IN_MANY)):
        item["mitigation_type"] = draw(st.sampled_from(["challenge", "retransmit"]))
    return item


def entries(collection: str) -> Items:
    """A list of a task; each may have what a result has, which counts for nothing."""
    item = of_kind(collection) if collection in OF_KINDS else objects(collection)
    returned = some({}, {"id": st.just("0" * 32), "modified_on": st.just("2026-01-01T00:00:00Z")})
    whole = st.tuples(item, returned).map(lambda pair: {**pair[0], **pair[1]})
    return named_once(whole, lambda item: (item.get("kind"), KEYS[collection](item)))


def existing(collection: str) -> Items:
    """A list as it may exist: duplicates that are not of one age, and a network that is none."""
    dated = st.tuples(objects(collection), TIMES).map(
        lambda pair: {"mode": "enabled", **pair[0], "created_on": pair[1]}
    )
    if collection in ("prefixes", "allowlist"):
        dated = dated.map(lambda item: {name: value for name, value in item.items() if name not in ("mode", "expires")})
    lists = st.lists(dated, max_size=5, unique_by=lambda item: (KEYS[collection](item), item["created_on"]))
    if collection == "prefixes":
        return st.tuples(lists, FLAGS).map(lambda pair: pair[0] + [{"prefix": "203.0.113.x/24"}] * pair[1])
    return lists


def of_both_kinds() -> st.SearchStrategy[Item]:
    return st.fixed_dictionaries({name: existing(name) for name in OF_KINDS})


ACCOUNTS = st.fixed_dictionaries(
    {"enabled": FLAGS, "prefixes": existing("prefixes"), "allowlist": existing("allowlist"), "dns_rules": existing("dns_rules"),
     **dict.fromkeys(KINDS, of_both_kinds())}
)  # fmt: skip
STATES = st.sampled_from(["present", "present", "absent"])
ROLLOUTS = st.sampled_from([{"staged_rollout": True}, {}])


@st.composite
def list_tasks(draw: st.DrawFn) -> tuple[str, Item]:
    module, collection, option = draw(
        st.sampled_from([("protected_prefixes", "prefixes", "prefixes"), ("allowlist", "allowlist", "entries")])
    )
    state = draw(STATES)
    options = {option: draw(entries(collection)), "state": state, "purge": state == "present" and draw(FLAGS)}
    return module, options


@st.composite
def whole_tasks(draw: st.DrawFn) -> tuple[str, Item]:
    collections = draw(st.lists(st.sampled_from(sorted(LISTS)), min_size=1, unique=True))
    options = draw(some({name: entries(name) for name in collections}, {"enabled": FLAGS}))
    options["purge"] = draw(st.lists(st.sampled_from(collections), unique=True))
    return "account_protection", {**options, **draw(ROLLOUTS)}


def single(module: str, collection: str) -> st.SearchStrategy[tuple[str, Item]]:
    item = of_kind(collection) if collection in OF_KINDS else objects(collection)
    rollout = ROLLOUTS if "mode" in LISTS[collection][1] else st.just({})
    parts = st.tuples(item, st.fixed_dictionaries({"state": STATES}), rollout)
    return parts.map(lambda part: (module, {**part[0], **part[1], **part[2]}))


LIMITS: dict[str, Any] = {
    "max_deletions_percent": PERCENTAGES,
    "min_monitoring_hours": st.sampled_from([4, 3.25, 1000, 0.5]),
    "min_allowlist_prefix_length_ipv4": st.sampled_from([24, 25]),
    "min_allowlist_prefix_length_ipv6": st.sampled_from([48, 32, 1]),
    "max_allowlist_entries": st.sampled_from([200, 1, 2]),
}
MODULES = st.one_of(  # hypothesis takes the first most often
    whole_tasks(),
    whole_tasks(),
    list_tasks(),
    single("allowlist_entry", "allowlist"),
    single("protection_rule", "rules"),
    single("protection_filter", "filters"),
    single("dns_protection_rule", "dns_rules"),
    single("dns_protection_rule", "dns_rules"),
    st.tuples(st.just("tcp_protection_status"), st.fixed_dictionaries({"enabled": FLAGS})),
)  # fmt: skip


def with_limits(task: tuple[str, Item]) -> st.SearchStrategy[tuple[str, Item]]:
    """A task, and some of the limits that its module has."""
    module, options = task
    known = argument_spec(MODULE_SPECS[module]).get("limits", {}).get("options", {})
    limits = limited({name: values for name, values in LIMITS.items() if name in known})
    return limits.map(lambda chosen: (module, {**options, **chosen}))


ACCOUNT_TASKS = MODULES.flatmap(with_limits)


ONE_SERVICE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


def plans(number: float) -> settings:
    """How many random plans a test takes, as a multiple of the profile's examples: some 200 in all, 3,000 by `make plans`."""
    phases = (Phase.explicit, Phase.generate)  # a plan is small enough to be read as it is
    return settings(
        suppress_health_check=ONE_SERVICE, phases=phases, max_examples=int(settings().max_examples * number)
    )
