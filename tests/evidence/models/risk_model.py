# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The risks of a task, as docs/risks.md describes them: of an account those that follow from its
lists alone, of a zone those that follow from what becomes of requests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from datetime import datetime, timedelta
from itertools import product
from typing import Any

from tests.evidence.models.plan_model import Item, Lists, entries_of, position_of, same_text
from tests.evidence.models.traffic_model import (
    HOSTS,
    Case,
    Rule,
    custom_in_order,
    is_half,
    is_wider,
    kinds_in,
    met_by_all,
    met_in_turn,
    networks,
    nothing_is_stricter,
    own,
    passing,
    plain,
    plain_met_in_turn,
    protected,
    weakens,
)
from tests.support.requests_evaluator import Request

Risks = dict[str, set[str]]  # the keys of the objects concerned, by code
MODELLED = {
    "unprotects_addresses", "skips_monitoring", "broad_allowlist", "allowlists_own_prefix",
    "mass_deletion", "empties_list", "lowers_sensitivity",
}  # fmt: skip
LEVELS = ("low", "medium", "high", "very_high")
LIMITS = {
    "max_deletions_percent": 30,
    "min_monitoring_hours": 4,
    "min_allowlist_prefix_length_ipv4": 24,
    "min_allowlist_prefix_length_ipv6": 48,
    "max_allowlist_entries": 200,
}
PREFIXES, ALLOWLIST = ("prefixes", ""), ("allowlist", "")


def risks_in(result: Item) -> Risks:
    """The risks that a result names."""
    risks: Sequence[dict[str, Any]] = result.get("risks", ())
    return {risk["code"]: set(risk["entries"]) for risk in risks}


def account_risks(module: str, before: Lists, after: Lists, now: datetime, options: Item) -> set[str]:
    """The codes of the risks of a task with these options."""
    limits = {**LIMITS, **options.get("limits", {})}
    monitoring = timedelta(hours=limits["min_monitoring_hours"])
    percent, absent = limits["max_deletions_percent"], options.get("state") == "absent"
    newly_passing = passing(after[ALLOWLIST]) - passing(before[ALLOWLIST])
    risks = {
        "unprotects_addresses": bool(protected(before[PREFIXES]) - protected(after[PREFIXES])),
        "skips_monitoring": any(hurried(before[name], after[name], now, monitoring) for name in before),
        "lowers_sensitivity": any(
            lowers(before[name], after[name], enabled_later(module, options, name))
            for name in before
            if name[0] in ("rules", "dns_rules")
        ),
        "broad_allowlist": is_broad(before[ALLOWLIST], after[ALLOWLIST], limits),
        "allowlists_own_prefix": bool(newly_passing & own(after[PREFIXES])),
        "mass_deletion": any(is_mass(before[name], after[name], percent) for name in before),
        "empties_list": not absent and any(protecting(before[name]) and not after[name] for name in before),
    }
    return {code for code, is_met in risks.items() if is_met}


def hurried(before: Sequence[Item], after: Sequence[Item], now: datetime, monitoring: timedelta) -> bool:
    """Whether a rule or filter is enabled that is new, was disabled, or has monitored for less than this."""
    existing = {item["id"]: item for item in before}
    for item in after:
        was = existing.get(item.get("id"), {})
        has_monitored = (
            was.get("mode") == "monitoring" and now - datetime.fromisoformat(was["modified_on"]) >= monitoring
        )
        if item.get("mode") == "enabled" != was.get("mode") and not has_monitored:
            return True
    return False


def enabled_later(module: str, options: Item, name: tuple[str, str]) -> set[Hashable]:
    """The places of the rules that a task wants enabled, in stages."""
    entries = (entries_of(module, options, *name) or ()) if options.get("staged_rollout") else ()
    return {position_of(item) for item in entries if item.get("mode") == "enabled"}


def lowers(before: Sequence[Item], after: Sequence[Item], later: Set[Hashable]) -> bool:
    """Whether the rule that decides somewhere has a sensitivity below that of the one that decided there."""
    states = [{position_of(item): item for item in items} for items in (before, after)]
    regions, centers = (
        {("", ""), *(key for state in states for key in state if key[0] == scope)} for scope in ("region", "datacenter")
    )
    for region, center in product(regions, centers):
        narrowest = (center, region, ("global", "global"))
        deciding = [next((state[key] for key in narrowest if key in state), None) for state in states]
        was, becomes = deciding
        if not was or not becomes:
            continue
        modes = {was["mode"], becomes["mode"]}
        is_same = position_of(was) == position_of(becomes) and "disabled" not in modes
        counts = modes == {"enabled"} or (is_same and ("enabled" in modes or position_of(was) in later))
        fields = [name for name in was if name.endswith("_sensitivity")]
        if counts and any(LEVELS.index(becomes[name]) < LEVELS.index(was[name]) for name in fields):
            return True
    return False


def is_doubled(lists: Lists) -> bool:
    """Whether two rules are for one place, so that nobody knows which of them counts."""
    rules = [items for name, items in lists.items() if name[0] in ("rules", "dns_rules")]
    return any(len({position_of(item) for item in items}) < len(items) for items in rules)


def is_broad(before: Sequence[Item], after: Sequence[Item], limits: Item) -> bool:
    """Whether a wide network is allowed that was not, or more entries than the limit, and than before; the random networks
    are in one another, or apart."""
    was, allowed = (list(networks(items, "enabled", True)) for items in (before, after))
    wide = [
        network
        for network in allowed
        if network.prefixlen < limits[f"min_allowlist_prefix_length_ipv{network.version}"]
    ]
    new = [net for net in wide if not any(net.version == other.version and net.subnet_of(other) for other in was)]  # type: ignore[arg-type]
    return bool(new) or len(allowed) > max(limits["max_allowlist_entries"], len(was))


def protecting(items: Sequence[Item]) -> list[Item]:
    """The objects whose deletion may lower the protection: not disabled, and no excluded prefix."""
    return [
        item
        for item in items
        if not item.get("excluded") and item.get("enabled") is not False and item.get("mode") != "disabled"
    ]


def is_mass(before: Sequence[Item], after: Sequence[Item], percent: int) -> bool:
    left = {item.get("id") for item in after}
    deleted = [item for item in protecting(before) if item["id"] not in left]
    return len(deleted) >= 5 and len(deleted) * 100 > percent * len(before)


def zone_risks(before: Sequence[Rule], after: Sequence[Rule], percent: int = 30) -> Risks:
    """docs/risks.md; `percent` is max_weakened_percent."""
    risks = {
        "weakens_zone": weakened(before, after, percent),
        "skips_everything": skipping(before, after),
        "blocks_everything": blocking(before, after),
    }
    return {code: keys for code, keys in risks.items() if keys}


def list_risks(before: Sequence[Rule], after: Sequence[Rule], is_exact: bool, percent: int = 30) -> Risks:
    """docs/risks.md, "mass_deletion" and "empties_list"; `percent` is max_deletions_percent.

    Rules that are disabled, or skip, do not count: their deletion lowers no protection.
    """
    deleted = {rule.key for rule in before if rule.enabled and rule.action != "skip"} - {rule.key for rule in after}
    is_mass = len(deleted) >= 5 and len(deleted) * 100 > percent * len(before)
    risks = {
        "mass_deletion": deleted if is_mass else set(),
        "empties_list": deleted if is_exact and not after else set(),
    }
    return {code: keys for code, keys in risks.items() if keys}


def rule_risks(
    module: str, before: Sequence[Item], after: Sequence[Item], is_exact: bool, most_weakened: int, most_deleted: int
) -> Risks:
    """The risks of ordered rules, with those percentages as limits. The risks of overrides are those of their list; see
    `weaker_overrides` too."""
    if module.endswith("_overrides"):
        return list_risks(overrides_in_order(before), overrides_in_order(after), is_exact, most_deleted)
    both = custom_in_order(before), custom_in_order(after)
    risks = {**zone_risks(*both, most_weakened), **list_risks(*both, is_exact, most_deleted)}
    if module != "network_firewall_rules":
        return risks
    legacy_before, legacy_after = map(in_legacy_routing, both)
    weakened_rules = risks.pop("weakens_zone", set()) | weakened(legacy_before, legacy_after, most_weakened)
    return {**risks, **({"weakens_network_firewall": weakened_rules} if weakened_rules else {})}


def depends_on_routing(before: Sequence[Item], after: Sequence[Item], percent: int) -> bool:
    """Whether legacy routing decides if Network Firewall rules are weakened, or which."""
    unified = custom_in_order(before), custom_in_order(after)
    legacy_before, legacy_after = map(in_legacy_routing, unified)
    return weakened(*unified, percent) != weakened(legacy_before, legacy_after, percent)


def in_legacy_routing(rules: Sequence[Rule]) -> list[Rule]:
    """Network Firewall rules, of which one that names only networks of IPv4 meets no other packets."""
    return [
        rule
        if "::" in rule.expression
        else rule._replace(expression=f"({rule.expression}) and ip.src in {{0.0.0.0/0}}")
        for rule in rules
    ]


def only_together(rules: Sequence[Item]) -> bool:
    """Whether rules with one effect are everything together, and not each of them by itself."""
    matched: dict[tuple[bool, frozenset[str]], set[Request]] = {}
    for rule in custom_in_order(rules):
        if (rule.enforces or rule.lets_pass) and not is_half(plain(rule.expression)):
            matched.setdefault((rule.enforces, rule.skips), set()).update(plain(rule.expression))
    return any(map(is_half, matched.values()))


def overrides_in_order(overrides: Sequence[Item]) -> list[Rule]:
    """Overrides, of which those that weaken lower no protection when they go."""
    return [
        Rule(rule["ref"], "skip" if weakens(rule) else "override", rule["expression"], rule["enabled"], frozenset())
        for rule in overrides
    ]


def weakened(before: Sequence[Rule], after: Sequence[Rule], percent: int) -> set[str]:
    """The rules that stop nothing any more of what they decided about, if these are too many."""
    was, becomes = decided_by_rule(before), decided_by_rule(after)
    deciding = {rule.key for rule, cases in was.items() if cases}
    met_later = {rule.key for rule, cases in becomes.items() if cases}
    whole = {rule.key for rule in was} & (deciding | met_later)
    unchanged = {as_compared(rule) for rule in before} & {as_compared(rule) for rule in after}
    stopped = set[Case]().union(*becomes.values())
    keys = set[str]()
    for rule in was:
        as_before = [
            cases for other, cases in becomes.items() if other.key != rule.key and as_compared(other) in unchanged
        ]
        lost = arriving(set(was[rule]).difference(*as_before), (*before, *after))
        if lost and not lost & stopped:
            keys.add(rule.key)
    is_mass = len(keys) >= 3 or keys == whole
    return keys if is_mass and len(keys) * 100 > percent * len(whole) else set()


def decided_by_rule(rules: Sequence[Rule]) -> dict[Rule, Set[Case]]:
    return {rule: cases for rule, cases in met_in_turn(rules) if rule.enforces}


def as_compared(rule: Rule) -> Rule:
    return rule._replace(expression=same_text(rule.expression))


def arriving(cases: Set[Case], rules: Sequence[Rule]) -> Set[Case]:
    """The cases without those of hosts that rules name, of which none is the zone's; all of them if no others are left."""
    named = {host for rule in rules if rule.enabled for host in HOSTS if f'"{host}"' in rule.expression}
    return {case for case in cases if case.request.host not in named} or cases


def skipping(before: Sequence[Rule], after: Sequence[Rule]) -> set[str]:
    """A rule that had the effect before counts where it skips more, or moves before an enabled rule; none does if nothing
    passes newly, or nothing that is plain."""
    if nothing_is_stricter(after, before):
        return set()
    did = {rule.key: rule for rule in met_by_all(before) if rule.lets_pass}
    met = [rule for rule in met_by_all(after) if rule.lets_pass]
    does = [rule for rule in met if not skips_no_more(rule, before, after)]
    return {
        rule.key
        for rule in does
        if rule.key not in did
        or rule.skips - did[rule.key].skips
        or moved_before(rule.key, before, after)
        or is_wider(did[rule.key], rule)
    }


def skips_no_more(rule: Rule, before: Sequence[Rule], after: Sequence[Rule]) -> bool:
    """Whether all plain requests of the kinds that a rule matches skipped as much before, by whatever rules together; not
    if it does not say what they skip."""
    is_certain = bool(rule.skips) and not rule.is_narrowed
    return is_certain and all(rule.skips <= effects for effects in effects_before(rule, before, after))


def effects_before(rule: Rule, before: Sequence[Rule], after: Sequence[Rule]) -> list[frozenset[str]]:
    """What each plain request of the kinds that a rule matches met before: the names of what it skipped, and the action
    that stopped it. Rules that stay in front have their effect anyway, and one with a condition that only its author knows
    has none for certain."""
    in_front = {as_compared(other) for other in after[: after.index(rule)]}
    replaced = [other for other in before if as_compared(other) not in in_front]
    matched = set[Request]().union(*kinds_in(plain(rule.expression)))
    effects = dict.fromkeys(matched, frozenset[str]())
    for other, requests in plain_met_in_turn(replaced):
        for request in requests & matched if not other.is_narrowed else ():
            effects[request] |= other.skips if other.lets_pass else {other.action}
    return [*effects.values()]


def blocking(before: Sequence[Rule], after: Sequence[Rule]) -> set[str]:
    """A rule that had the effect before counts where it turns into a block, or moves before one that let requests
    pass it; none does if nothing more is stopped, or nothing that is plain."""
    if nothing_is_stricter(before, after):
        return set()
    did = {rule.key: rule for rule in met_by_all(before) if rule.enforces}
    met = [rule for rule in met_by_all(after) if rule.enforces]
    does = [
        rule
        for rule in met
        if not stops_as_much(rule, before, after) and (rule.key in did or not stops_no_more(rule, before))
    ]
    return {
        rule.key
        for rule in does
        if rule.key not in did
        or (rule.action == "block" != did[rule.key].action)
        or is_wider(did[rule.key], rule)
        or any(other.lets_pass and other.ends for other in moved_before(rule.key, before, after))
    }


def stops_as_much(rule: Rule, before: Sequence[Rule], after: Sequence[Rule]) -> bool:
    """Whether all plain requests of the kinds that a rule matches were stopped as strictly before, by whatever rules
    together."""
    enough = {"block", rule.action}
    return not rule.is_narrowed and all(effects & enough for effects in effects_before(rule, before, after))


def stops_no_more(rule: Rule, before: Sequence[Rule]) -> bool:
    """Whether a rule stays as it is, and stood behind none but rules that stop as much."""
    texts, own = [one._replace(expression=same_text(one.expression)) for one in (*before, rule)], len(before)
    front = before[: texts.index(texts[own])]
    return len(front) < own and all(
        other.enforces and other.action in ("block", rule.action) for other in front if other.enabled and other.ends
    )


def moved_before(key: str, before: Sequence[Rule], after: Sequence[Rule]) -> list[Rule]:
    """The rules that stood before this one and now stand behind it, and are enabled all the time."""
    keys = [rule.key for rule in before], [rule.key for rule in after]
    behind = {rule.key for rule in after[keys[1].index(key) :] if rule.enabled}
    return [rule for rule in before[: keys[0].index(key)] if rule.enabled and rule.key in behind]
