# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what stands beside the protection of a host, if variables of the report ask for it:
announced networks, phases that nothing evaluates, hits of rules, the audit log. What cannot be read
makes the host unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ...module_utils._context import CHANGES_HOURS
from ...module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ...module_utils._schema.registry import BY_NAME
from ...module_utils._schema.resource import (
    ACCOUNT_OWNER,
    ZONE_OWNER,
    Object,
    Owner,
    Resource,
    State,
)
from ...module_utils._specs.base import PartName
from ...module_utils._specs.registry import HOST_MODULE, MODULE_SPECS
from ...module_utils._specs.whole_state import all_inside, collections_of
from ...module_utils._text import first_few, sentence
from ...module_utils._timestamps import read_timestamp, write_timestamp
from ...module_utils._values.address_set import difference, networks, range_of, ranges_of, union
from .._baseline.variables import Part, connection_options, described_by
from .record import Announced, HostRecord, LastChange, Unused, values_by_key
from .results import HostResults

InfoResult = Mapping[str, Any]  # of a module that reads
LogEntry = Mapping[str, Any]  # as the modules return it


def announced_record(result: InfoResult) -> Announced:
    """The announced networks, out of the result of protection_info.

    Networks that other accounts use are theirs to protect. A network that is malformed, or of which
    Cloudflare does not say whether it is announced, is not known.
    """
    prefixes: Sequence[Mapping[str, Any]] = result["announced"]
    parts = [part for prefix in prefixes for part in prefix["networks"]]
    delegated = ranges_of(text for prefix in prefixes for text in prefix["delegated"])
    named = ranges_of(entry.get("prefix") for entry in result["prefixes"])
    announced, unclear = (
        ranges_of(part["prefix"] for part in parts if part["announced"] is answer)
        for answer in (True, None)
    )
    others = union([*delegated, *named])
    malformed = [str(part["prefix"]) for part in parts if range_of(part["prefix"]) is None]
    return Announced(
        networks=networks(announced),
        unprotected=networks(difference(announced, others)),
        not_known=[*networks(difference(unclear, union([*others, *announced]))), *malformed],
    )


SAME_MOMENT = timedelta(seconds=10)  # between an object's own timestamp and the log's
STAMPS = ("modified_on", "last_updated", "created_on")


@dataclass(frozen=True)
class Log:
    """The writes of some hours, the newest first, and the objects that exist, by resource and key;
    `unread` says why the log is not known."""

    hours: float
    changes: Sequence[LogEntry] = ()
    objects: Mapping[str, Mapping[str, Object]] = field(default_factory=dict)
    unread: str = ""

    def last_changes(self, record: HostRecord) -> list[LastChange]:
        """The last change of each difference and each hole of a host."""
        holes = [item for item in record["unmanaged"] if item["reason"]]
        owners = {"account_id": record["account_id"], "zone_id": record["zone_id"]}
        return [self._last_change(item, owners) for item in (*record["operations"], *holes)]

    def _last_change(self, item: Mapping[str, Any], owners: Mapping[str, str | None]) -> LastChange:
        resource, key = item["resource"], item["key"]
        entry = self._find(item, owners)
        by, how, at = (str(entry[name]) if entry else None for name in ("by", "how", "at"))
        span = "hour" if self.hours == 1 else f"{self.hours:g} hours"
        who = self.unread or f"the audit log of the last {span} does not say who changed it"
        if entry:
            who = f"changed by {by} with {how} at {at}"
        text = sentence(f"{item['title']} {key}: {who.rstrip('.')}")
        return LastChange(resource=resource, key=key, text=text, by=by, how=how, at=at)

    def _find(self, item: Object, owners: Mapping[str, str | None]) -> LogEntry | None:
        """The last write of an object: one that names its id, or else the one in its collection at
        the moment of its own timestamp. None for a resource of which no path is known."""
        resource, objects = BY_NAME.get(item["resource"]), self.objects.get(item["resource"], {})
        owner = owners.get(resource.owner) if resource else None
        beside = [
            change
            for change in self.changes
            if resource and owner and _is_beside(change, resource, owner, ids_known=bool(objects))
        ]
        if resource and not resource.key:  # an object that always exists
            return next(iter(beside), None)
        existing = objects.get(item["key"], {})
        identity = str(existing.get("id") or "")
        by_id = (change for change in self.changes if identity and _has_id(change, identity))
        if entry := next(by_id, None):
            return entry
        stamps = [*(existing.get(stamp) for stamp in STAMPS), item.get("since")]
        moment = next(filter(None, map(read_timestamp, stamps)), None)
        near = [change for change in beside if moment and _is_at(change, moment)]
        return near[0] if len({(change["by"], change["how"]) for change in near}) == 1 else None


def objects_by_resource(state: State) -> dict[str, dict[str, Object]]:
    """The objects of a state, by the name of their resource and their key."""
    objects: dict[str, dict[str, Object]] = {}
    collections = collections_of(state)
    for one in (*collections, *all_inside(collections, state)):
        kept = objects.setdefault(one.name, {})
        kept.update({one.label_of(obj): obj for obj in state[one.plural]})
    return objects


def _has_id(change: LogEntry, identity: str) -> bool:
    path = str(change["uri"]).partition("?")[0]
    return identity == change["object_id"] or identity in path.split("/")


def _is_beside(change: LogEntry, resource: Resource, owner: str, ids_known: bool) -> bool:
    """True for a write in the collection of a resource of this account or zone. A write that names
    an id in its path is one of another object, unless no ids are known."""
    path = resource.path.replace(f"{{{resource.owner}}}", owner).partition("{")[0].rstrip("/")
    suffix = resource.create.suffix if resource.create else ""
    uri = "/" + str(change["uri"]).partition("?")[0].strip("/")
    if not ids_known and f"/{path}/" in uri:
        return True
    return uri.endswith((f"/{path}", f"/{path}{suffix}"))


def _is_at(change: LogEntry, moment: datetime) -> bool:
    at = read_timestamp(change["at"])
    return bool(at and abs(at - moment) <= SAME_MOMENT)


def unused_rules(rules: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The values of a record on some rules: those that nothing has matched."""
    quiet = [rule for rule in rules if not rule["hits"]["count"]]
    refs = values_by_key((text, rule["ref"]) for rule in quiet for text in rule["hits"]["unknown"])
    unused = [
        Unused(ref=rule["ref"], since=write_timestamp(max(filter(None, moments))))
        for rule in quiet
        for moments in [map(read_timestamp, (rule["hits"]["since"], rule.get("last_updated")))]
        if rule["hits"]["known"]
    ]
    unknown = [f"Hits of {first_few(named)}: {text}" for text, named in refs.items()]
    is_known = any(rule["hits"]["known"] for rule in rules)
    return {"unused": unused if is_known else None, "unknown_hits": unknown}


ANNOUNCED_SUBSETS = ["prefixes", "announced"]  # of protection_info
OF_PACKETS = "packet_phases"  # another one
NETWORK_FIREWALL = NETWORK_FIREWALL_RULES.plural


INFO, ZONE_INFO = "protection_info", "custom_rules_info"

RunPart = Callable[[Part], InfoResult]  # the result of a part in check mode


@dataclass(frozen=True)
class Beside:
    """Reads with modules of their own, so that what one may not read hides nothing else."""

    run_module: RunPart
    part: Part
    announced: bool = False
    hits_hours: float = 0
    log_hours: float = 0

    def read(self, host: HostResults) -> HostResults:
        """The results of a host with what stands beside its protection."""
        if self.announced:
            host = self._announced(host)
        if self.part.options.get(NETWORK_FIREWALL) is not None:
            host = self._packet_phases(host)
        host = self._hits(host, self.hits_hours) if self.hits_hours else host
        return self._changes(host, self.log_hours) if self.log_hours else host

    def _announced(self, host: HostResults) -> HostResults:
        if not self._has(ACCOUNT_OWNER):
            return host
        result = self._run(INFO, gather_subset=ANNOUNCED_SUBSETS)
        if result.get("failed"):
            reason = f"The announced networks are not known: {result.get('msg')}"
            return host.having(unread=[reason])
        announced = announced_record(result)
        names = announced["not_known"]
        unclear = [f"Whether {network} is announced is not known." for network in names]
        return host.having(unread=unclear, announced=announced)

    def _packet_phases(self, host: HostResults) -> HostResults:
        """The phases beside the Network Firewall that have rules, which nothing evaluates."""
        result = self._run(INFO, gather_subset=[OF_PACKETS])
        if result.get("failed"):
            what = "Rules beside those of the Network Firewall are not known"
            return host.having(not_evaluated=[f"{what}: {result.get('msg')}"])
        phases = [one for one in result[OF_PACKETS] if one["rules"]]
        texts = [f"{one['title']} ({one['rules']}, phase {one['phase']})" for one in phases]
        return host.having(not_evaluated=[f"Not evaluated: {text}." for text in texts])

    def _hits(self, host: HostResults, hours: float) -> HostResults:
        """The rules of the baseline that nothing has matched, which is no reason for a status."""
        named = {rule.get("ref") for rule in self.part.options.get(PartName.CUSTOM_RULES) or ()}
        if not named:
            return host
        result = self._run(ZONE_INFO, hits_hours=hours)
        if result.get("failed"):
            return host.having(unknown_hits=[f"Hits are not known: {result.get('msg')}"])
        every = (rule for rule in result["rules"] if rule.get("enabled") is not False)
        return host.having(**unused_rules([rule for rule in every if rule.get("ref") in named]))

    def _changes(self, host: HostResults, hours: float) -> HostResults:
        """The last changes by the audit log, and by the objects whose ids and timestamps tell which
        writes are theirs."""
        reads = {PartName.CUSTOM_RULES: None} if self._has(ZONE_OWNER) else {}
        reads.update((item.resource.plural, None) for item in described_by(self.part))
        options = {**connection_options(self.part), CHANGES_HOURS: hours}
        context = self.part.context._replace(reads=[*reads])
        result = self.run_module(Part(HOST_MODULE, options, context))
        if result.get("failed"):
            log = Log(hours, unread=f"who changed it is not known: {result.get('msg')}")
        else:
            log = Log(hours, result["changes"], objects_by_resource(result))
        return host.having(changes=log.last_changes(host.record))

    def _has(self, owner: Owner) -> bool:
        return any(map(self.part.options.get, owner.options))

    def _run(self, module: str, **options: Any) -> Mapping[str, Any]:
        """The result of another module, with the owners and the connection of the host."""
        own = {**connection_options(self.part, MODULE_SPECS[module].owner), **options}
        return self.run_module(Part(module, own, self.part.context))
