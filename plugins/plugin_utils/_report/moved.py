# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes that Cloudflare itself has made since the former report: to managed rules that the rules
of a host execute, and to the announcements of its networks. If something cannot be compared, the
record says why."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...module_utils._protection.vendor_rules import SETTINGS, VendorRule, VendorRuleset
from ...module_utils._text import first_few
from ...module_utils._values import address_set
from ...module_utils._values.address_set import Ranges
from . import record as records
from .record import FormerMoves, HostRecord, ManagedRule, ManagedRuleset, Moved

MOST_FORMER = 30  # reports whose moves are kept


class Moves(NamedTuple):
    """Changes by Cloudflare, and sentences on what cannot be compared."""

    moved: list[Moved]
    unknown: list[str]


class FormerReport(NamedTuple):
    """The records of the former report, by host, each managed ruleset with its rules."""

    hosts: Mapping[str, HostRecord]

    @classmethod
    def of_report(cls, report: records.Report) -> FormerReport:
        """The former report, as data to compare with."""
        return cls({record["host"]: record for record in with_rules(report["hosts"])})

    def kept_in(self, record: HostRecord) -> HostRecord:
        """The record of a host that cannot be read, with the managed rulesets of its former record,
        so that the next report compares with these."""
        former = self.hosts.get(record["host"])
        rulesets = former["managed_rulesets"] if former else None
        unknown = ["The host could not be read, so that managed rules were not compared."]
        fields = {"managed_rulesets": rulesets, "unknown_moves": unknown}
        return cast(HostRecord, {**record, **fields, "former_moves": former_moves(former)})


def former_moves(former: HostRecord | None) -> list[FormerMoves]:
    """The moves of the former report and of those before it."""
    if former is None:
        return []
    kept = list(former.get("former_moves", ()))  # which a report of an older version does not have
    if former["moved"]:
        kept.append(FormerMoves(generated=former["generated"], moved=former["moved"]))
    return kept[-MOST_FORMER:]


def with_rules(host_records: Sequence[HostRecord]) -> list[HostRecord]:
    """The records of a whole report, each managed ruleset with its rules."""
    rules: dict[str, Sequence[ManagedRule]] = {}
    for ruleset in _rulesets_of(host_records):
        if ruleset["rules"] is not None:
            rules[ruleset["content"]] = ruleset["rules"]
    return [_with_rules_of_rulesets(record, rules.get) for record in host_records]


def without_repeated_rules(host_records: Sequence[HostRecord]) -> list[HostRecord]:
    """The records for a report, the rules of equal managed rulesets with the first host alone."""
    rules: dict[str, Sequence[ManagedRule]] = {}
    for ruleset in _rulesets_of(host_records):
        if ruleset["rules"] is not None:
            rules.setdefault(ruleset["content"], ruleset["rules"])
    return [
        _with_rules_of_rulesets(record, lambda name: rules.pop(name, None))
        for record in host_records
    ]


def _rulesets_of(host_records: Iterable[HostRecord]) -> Iterator[ManagedRuleset]:
    for record in host_records:
        yield from record["managed_rulesets"] or ()


def _with_rules_of_rulesets(record: HostRecord, rules_of: Any) -> HostRecord:
    if not record["managed_rulesets"]:
        return record
    rulesets = [
        {**ruleset, "rules": rules_of(ruleset["content"])} for ruleset in record["managed_rulesets"]
    ]
    return cast(HostRecord, {**record, "managed_rulesets": rulesets})


def kept_rulesets(
    former: Sequence[ManagedRuleset], rulesets: Sequence[VendorRuleset]
) -> list[ManagedRuleset]:
    """The managed rulesets to compare with next time; one that cannot be read now stays as it was
    read last."""
    former_by_id = {ruleset["id"]: ruleset for ruleset in former}
    kept: list[ManagedRuleset] = []
    for ruleset in rulesets:
        if ruleset["unread"] is None:
            kept.append(_as_recorded(ruleset))
        elif ruleset["id"] in former_by_id:
            kept.append(former_by_id[ruleset["id"]])
    return kept


def _as_recorded(ruleset: VendorRuleset) -> ManagedRuleset:
    rules = [
        ManagedRule(
            id=rule["id"],
            name=rule["name"],
            action=rule["action"],
            enabled=rule["enabled"],
            sensitivity=rule["sensitivity"],
        )
        for rule in ruleset["rules"]
    ]
    return ManagedRuleset(
        id=ruleset["id"],
        name=ruleset["name"],
        version=ruleset["version"],
        content=hashlib.sha256(json.dumps(rules).encode()).hexdigest(),
        rules=rules,
    )


def moved_rulesets(former: Sequence[ManagedRuleset], rulesets: Sequence[VendorRuleset]) -> Moves:
    """The changes in managed rulesets since the former report, which had these."""
    former_by_id = {ruleset["id"]: ruleset for ruleset in former}
    moved: list[Moved] = []
    unknown: list[str] = []
    incomparable: list[str] = []  # names of rulesets
    for ruleset in rulesets:
        before = former_by_id.get(ruleset["id"])
        if ruleset["unread"] is not None:
            unknown.append(f"Managed ruleset {ruleset['name']}: {ruleset['unread']}")
        elif before is None or before["rules"] is None:
            incomparable.append(ruleset["name"])
        else:
            moved += _moved_in(before, before["rules"], ruleset)
    if incomparable:
        unknown.append(
            f"Whether Cloudflare has changed {first_few(incomparable)} is not known, since no"
            " former report of this host has these rules."
        )
    return Moves(moved, unknown)


def _moved_in(
    before: ManagedRuleset, rules_before: Sequence[ManagedRule], ruleset: VendorRuleset
) -> Iterator[Moved]:
    """The version of a ruleset if it is new, and each setting of its rules that differs."""
    if before["version"] != ruleset["version"]:
        yield Moved(
            kind="ruleset",
            id=ruleset["id"],
            name=ruleset["name"],
            field="version",
            before=before["version"],
            now=ruleset["version"],
            overridden=None,
        )
    former_rules = {rule["id"]: rule for rule in rules_before}
    rules = {rule["id"]: rule for rule in ruleset["rules"]}
    for identity in dict.fromkeys([*former_rules, *rules]):
        yield from _moved_settings(former_rules.get(identity), rules.get(identity))


def _moved_settings(before: ManagedRule | None, now: VendorRule | None) -> Iterator[Moved]:
    """The settings of a managed rule that differ; a rule that is new, or gone, has moved as a
    whole, and its action stands for it."""
    rule = cast(Mapping[str, Any], now or before)
    overridden = now["overridden"] if now else {}
    for name in SETTINGS if before and now else SETTINGS[:1]:
        setting_before = cast(Mapping[str, Any], before or {}).get(name)
        setting_now = cast(Mapping[str, Any], now or {}).get(name)
        if setting_before != setting_now:
            yield Moved(
                kind="managed_rule",
                id=rule["id"],
                name=rule["name"],
                field=name if before and now else "rule",
                before=setting_before,
                now=setting_now,
                overridden=overridden.get(name),
            )


def moved_announcements(before: records.Announced | None, now: records.Announced | None) -> Moves:
    """The networks of which the announcement began or ended. Networks of which Cloudflare does not
    say it, now or in the former report, are named."""
    if before is None or now is None:
        lacking = "this report" if now is None else "the former report of this host"
        reason = f"since {lacking} does not have them"
        return Moves([], [f"Whether announcements began or ended is not known, {reason}."])
    was_announced = address_set.ranges_of(before["networks"])
    is_announced = address_set.ranges_of(now["networks"])
    unclear = address_set.ranges_of([*before["unclear"], *now["unclear"]])
    began = _without(is_announced, was_announced, unclear)
    ended = _without(was_announced, is_announced, unclear)
    moved = [_announcement(network, is_announced=True) for network in address_set.networks(began)]
    moved += [_announcement(network, is_announced=False) for network in address_set.networks(ended)]
    unknown = [
        f"Whether the announcement of {network} began or ended is not known."
        for network in address_set.networks(unclear)
    ]
    return Moves(moved, unknown)


def _without(ranges: Ranges, known_ranges: Ranges, unclear: Ranges) -> Ranges:
    return address_set.difference(ranges, address_set.union([*known_ranges, *unclear]))


def _announcement(network: str, is_announced: bool) -> Moved:
    return Moved(
        kind="announcement",
        id=network,
        name=network,
        field="announced",
        before=not is_announced,
        now=is_announced,
        overridden=None,
    )
