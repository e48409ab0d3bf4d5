# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what stands beside the protection of a host, if variables of the report ask for it:
announced networks, phases that nothing evaluates, hits of rules, the audit log, managed rules. What
cannot be read makes the host unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from ...module_utils._context import CHANGES_HOURS, VENDOR_RULESETS
from ...module_utils._protection.vendor_rules import VENDOR_PLURALS
from ...module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ...module_utils._schema.products import NETWORK_FIREWALL, NOT_ENTITLED, PRODUCT_NAMES, TCP
from ...module_utils._schema.registry import BY_NAME
from ...module_utils._schema.resource import (
    ACCOUNT_OWNER,
    ZONE_OWNER,
    Object,
    Owner,
    Resource,
    State,
)
from ...module_utils._specs.base import SectionName
from ...module_utils._specs.registry import HOST_MODULE, MODULE_SPECS
from ...module_utils._specs.whole_state import all_inside, collections_of
from ...module_utils._text import first_few, sentence
from ...module_utils._timestamps import read_timestamp, write_timestamp
from ...module_utils._values import address_set
from ...module_utils._values.address_set import Ranges
from .._baseline.variables import Part, connection_options, described_by
from . import record as records
from .arguments import REQUIRED
from .moved import (
    FormerReport,
    Moves,
    former_moves,
    kept_rulesets,
    moved_announcements,
    moved_rulesets,
)
from .results import HostResults

InfoResult = Mapping[str, Any]  # of a module that reads
LogEntry = Mapping[str, Any]  # as the modules return it


def announced_record(result: InfoResult, mitigated: Ranges | None = None) -> records.Announced:
    """The announced networks in `result`, the result of protection_info, and those networks of the
    `mitigated` addresses that are withdrawn (not announced).

    Networks that other accounts use are theirs to protect. A network that is malformed, or of which
    Cloudflare does not say whether it is announced, is not known.
    """
    delegated_texts: list[str] = []
    texts: dict[bool | None, list[str]] = {True: [], False: [], None: []}  # by whether announced
    malformed: list[str] = []
    for prefix in result["announced"]:
        delegated_texts += prefix["delegated"]
        for network in prefix["networks"]:
            texts[network["announced"]].append(network["prefix"])
            if address_set.range_of(network["prefix"]) is None:
                malformed.append(str(network["prefix"]))
    announced, unclear = address_set.ranges_of(texts[True]), address_set.ranges_of(texts[None])
    protected = address_set.ranges_of(prefix.get("prefix") for prefix in result["prefixes"])
    cared_for = address_set.union([*address_set.ranges_of(delegated_texts), *protected])
    unknown = address_set.difference(unclear, address_set.union([*cared_for, *announced]))
    unannounced = address_set.difference(mitigated or [], [*announced, *unclear])
    return records.Announced(
        networks=address_set.networks(announced),
        unprotected=address_set.networks(address_set.difference(announced, cared_for)),
        not_known=[*address_set.networks(unknown), *malformed],
        unclear=address_set.networks(unclear),
        withdrawn=_withdrawn_networks(result, unannounced),
    )


def _withdrawn_networks(result: InfoResult, addresses: Ranges) -> list[records.Withdrawn]:
    """The networks of these addresses that the account does not announce, each with the time since
    when it does not announce them.
    """
    withdrawn: list[records.Withdrawn] = []
    for prefix in result["announced"]:
        for network in prefix["networks"]:
            ranges = address_set.ranges_of([network["prefix"]])
            meant = address_set.intersection(addresses, ranges)
            if network["announced"] is False:
                for name in address_set.networks(meant):
                    withdrawn.append(records.Withdrawn(network=name, since=network["since"]))
    return withdrawn


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

    def last_changes(self, record: records.HostRecord) -> list[records.LastChange]:
        """The last change of each difference, and of each object that no baseline names."""
        owners = {"account_id": record["account_id"], "zone_id": record["zone_id"]}
        objects = (*record["operations"], *record["unmanaged"])
        return [self._last_change(obj, owners) for obj in objects]

    def _last_change(
        self, obj: Mapping[str, Any], owners: Mapping[str, str | None]
    ) -> records.LastChange:
        """The last change of an object, which has a resource, a title and a key."""
        entry = self._find(obj, owners)
        by = how = at = None
        if entry:
            by, how, at = str(entry["by"]), str(entry["how"]), str(entry["at"])
            clause = f"changed by {by} with {how} at {at}"
        elif self.unread:
            clause = self.unread.rstrip(".")
        else:
            span = "hour" if self.hours == 1 else f"{self.hours:g} hours"
            clause = f"the audit log of the last {span} does not say who changed it"
        resource, key = obj["resource"], obj["key"]
        text = sentence(f"{obj['title']} {key}: {clause}")
        return records.LastChange(resource=resource, key=key, text=text, by=by, how=how, at=at)

    def _find(self, obj: Object, owners: Mapping[str, str | None]) -> LogEntry | None:
        """The last write of an object: one that names the object's id, or else one in its
        collection at the moment of the object's timestamp. None if no write, or no single author,
        is found.
        """
        resource = BY_NAME.get(obj["resource"])
        objects = self.objects.get(obj["resource"], {})
        writes = self._writes_to(resource, owners, ids_known=bool(objects))
        if resource and not resource.key:  # an object that always exists
            return next(iter(writes), None)
        existing = objects.get(obj["key"], {})
        identity = str(existing.get("id") or "")
        for entry in self.changes if identity else ():
            if _has_id(entry, identity):
                return entry
        moment = _moment_of(existing, obj.get("since"))
        near = [entry for entry in writes if moment and _is_at(entry, moment)]
        writers = {(entry["by"], entry["how"]) for entry in near}
        return near[0] if len(writers) == 1 else None

    def _writes_to(
        self, resource: Resource | None, owners: Mapping[str, str | None], ids_known: bool
    ) -> list[LogEntry]:
        """The writes in the collection of a resource, in the account or zone that `owners` names;
        empty if the resource or its owner is not known.
        """
        owner_id = owners.get(resource.owner) if resource else None
        if not resource or not owner_id:
            return []
        return [
            entry for entry in self.changes if _is_write_to(entry, resource, owner_id, ids_known)
        ]


def objects_by_resource(state: State) -> dict[str, dict[str, Object]]:
    """The objects of a state, by the name of their resource and their key."""
    objects: dict[str, dict[str, Object]] = {}
    collections = collections_of(state)
    for resource in (*collections, *all_inside(collections, state)):
        by_key = objects.setdefault(resource.name, {})
        for obj in state[resource.plural]:
            by_key[resource.label_of(obj)] = obj
    return objects


def _has_id(entry: LogEntry, identity: str) -> bool:
    path = str(entry["uri"]).partition("?")[0]
    return identity == entry["object_id"] or identity in path.split("/")


def _is_write_to(entry: LogEntry, resource: Resource, owner_id: str, ids_known: bool) -> bool:
    """True for a write in the collection of a resource of this account or zone. A write whose path
    names an id is about another object, unless no ids are known.
    """
    path = resource.path.replace(f"{{{resource.owner}}}", owner_id)
    collection = path.partition("{")[0].rstrip("/")
    suffix = resource.create.suffix if resource.create else ""
    uri = "/" + str(entry["uri"]).partition("?")[0].strip("/")
    if not ids_known and f"/{collection}/" in uri:
        return True
    return uri.endswith((f"/{collection}", f"/{collection}{suffix}"))


def _moment_of(existing: Object, since: Any) -> datetime | None:
    """The moment of an object's last write, by its timestamps, or else `since`, from when on it
    exists. None if neither is known.
    """
    for stamp in (*(existing.get(name) for name in STAMPS), since):
        moment = read_timestamp(stamp)
        if moment:
            return moment
    return None


def _is_at(entry: LogEntry, moment: datetime) -> bool:
    written = read_timestamp(entry["at"])
    return bool(written and abs(written - moment) <= SAME_MOMENT)


def unused_rules(rules: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The values for a host's record: `unused` rules, which no request has matched (None if no hits
    are known), and `unknown_hits`, the reasons why hits are not known.
    """
    unused: list[records.Unused] = []
    refs_by_reason: dict[str, list[str]] = {}
    for rule in rules:
        hits = rule["hits"]
        if not hits["count"]:
            for reason in hits["unknown"]:
                refs_by_reason.setdefault(reason, []).append(rule["ref"])
            if hits["known"]:
                moments = map(read_timestamp, (hits["since"], rule.get("last_updated")))
                since = max(filter(None, moments))
                unused.append(records.Unused(ref=rule["ref"], since=write_timestamp(since)))
    is_known = any(rule["hits"]["known"] for rule in rules)
    unknown = [f"Hits of {first_few(refs)}: {reason}" for reason, refs in refs_by_reason.items()]
    return {"unused": unused if is_known else None, "unknown_hits": unknown}


ANNOUNCED_SUBSETS = ["prefixes", "announced"]  # of protection_info
PACKET_PHASES_SUBSET = "packet_phases"  # of the module protection_info
FIREWALL_OPTION = NETWORK_FIREWALL_RULES.plural


INFO, ZONE_INFO = "protection_info", "custom_rules_info"

RunPart = Callable[[Part], InfoResult]  # the result of a part in check mode


@dataclass(frozen=True)
class Beside:
    """Reads what the report shows in addition to protection (announced networks, packet phases,
    hits, the audit log). It runs a separate module for each, so that a missing permission for one
    does not hide the others.
    """

    run_module: RunPart
    part: Part
    announced: bool | str = False
    hits_hours: float = 0
    log_hours: float = 0
    former: FormerReport | None = None

    def read(self, host: HostResults) -> HostResults:
        """The results of a host, completed with all that is read in addition to its protection; an
        account without a product has nothing of it."""
        products = host.record["products"] or {}
        if self.announced and products.get(PRODUCT_NAMES[TCP]) != NOT_ENTITLED:
            host = self._announced(host)
        has_firewall = products.get(PRODUCT_NAMES[NETWORK_FIREWALL]) != NOT_ENTITLED
        if has_firewall and self.part.options.get(FIREWALL_OPTION) is not None:
            host = self._packet_phases(host)
        if self.hits_hours:
            host = self._hits(host)
        if self.log_hours:
            host = self._changes(host)
        if self.former:
            host = self._moved(host, self.former.hosts.get(host.record["host"]))
        return host

    def _announced(self, host: HostResults) -> HostResults:
        if not self._has(ACCOUNT_OWNER):
            return host
        result = self._run(INFO, gather_subset=ANNOUNCED_SUBSETS)
        if result.get("failed"):
            reason = f"The announced networks are not known: {result.get('msg')}"
            return host.having(unread=[reason])
        announced = announced_record(result, host.coverage.mitigated if host.coverage else None)
        unclear = [
            f"Whether {network} is announced is not known." for network in announced["not_known"]
        ]
        withdrawn = announced["withdrawn"]
        if withdrawn and self.announced == REQUIRED:
            reason = f"{records.withdrawn_words(withdrawn)}: their packets pass Cloudflare by."
            host = replace(host, weaker=[*host.weaker, reason])
        return host.having(unread=unclear, announced=announced)

    def _packet_phases(self, host: HostResults) -> HostResults:
        """The host, with a sentence on each packet phase other than the Network Firewall that has
        rules; the report does not evaluate these rules.
        """
        result = self._run(INFO, gather_subset=[PACKET_PHASES_SUBSET])
        if result.get("failed"):
            subject = "Rules beside those of the Network Firewall are not known"
            return host.having(not_evaluated=[f"{subject}: {result.get('msg')}"])
        sentences = [
            f"Not evaluated: {phase['title']} ({phase['rules']}, phase {phase['phase']})."
            for phase in result[PACKET_PHASES_SUBSET]
            if phase["rules"]
        ]
        return host.having(not_evaluated=sentences)

    def _hits(self, host: HostResults) -> HostResults:
        """The host, with the rules of the baseline that no request has matched; they do not affect
        its status.
        """
        refs = {rule.get("ref") for rule in self.part.options.get(SectionName.CUSTOM_RULES) or ()}
        if not refs:
            return host
        result = self._run(ZONE_INFO, hits_hours=self.hits_hours)
        if result.get("failed"):
            return host.having(unknown_hits=[f"Hits are not known: {result.get('msg')}"])
        rules = [
            rule
            for rule in result["rules"]
            if rule.get("enabled") is not False and rule.get("ref") in refs
        ]
        return host.having(**unused_rules(rules))

    def _changes(self, host: HostResults) -> HostResults:
        """The host, with the last change of each object, found in the audit log by the ids and
        timestamps of the existing objects.
        """
        plurals = [managed.resource.plural for managed in described_by(self.part)]
        if self._has(ZONE_OWNER):
            plurals.insert(0, SectionName.CUSTOM_RULES)
        options = {**connection_options(self.part), CHANGES_HOURS: self.log_hours}
        context = self.part.context.to_read([*dict.fromkeys(plurals)])
        result = self.run_module(Part(HOST_MODULE, options, context))
        if result.get("failed"):
            unread = f"who changed it is not known: {result.get('msg')}"
            log = Log(self.log_hours, unread=unread)
        else:
            objects = objects_by_resource(result)
            log = Log(self.log_hours, result["changes"], objects)
        return host.having(changes=log.last_changes(host.record))

    def _moved(self, host: HostResults, former: records.HostRecord | None) -> HostResults:
        """The host, with what Cloudflare has moved since its `former` record."""
        former_rulesets = former["managed_rulesets"] if former else None
        host = host.having(former_moves=former_moves(former))
        host = self._moved_rulesets(host, former_rulesets or [])
        if self.announced and self._has(ACCOUNT_OWNER):
            was_announced = former["announced"] if former else None
            moves = moved_announcements(was_announced, host.record["announced"])
            host = _with_moves(host, moves)
        return host

    def _moved_rulesets(
        self, host: HostResults, former: Sequence[records.ManagedRuleset]
    ) -> HostResults:
        """The host, with what has moved in the managed rulesets that its rules execute."""
        described = {managed.resource.plural for managed in described_by(self.part)}
        plurals = [plural for plural in VENDOR_PLURALS if plural in described]
        host = host.having(managed_rulesets=[], moved=[])
        if not plurals:
            return host
        options = {**connection_options(self.part), VENDOR_RULESETS: True}
        context = self.part.context.to_read(plurals)
        result = self.run_module(Part(HOST_MODULE, options, context))
        if result.get("failed"):
            unread = f"Managed rulesets are not known: {result.get('msg')}"
            return host.having(managed_rulesets=former, unknown_moves=[unread])
        rulesets = result[VENDOR_RULESETS]
        host = host.having(managed_rulesets=kept_rulesets(former, rulesets))
        return _with_moves(host, moved_rulesets(former, rulesets))

    def _has(self, owner: Owner) -> bool:
        return any(self.part.options.get(name) for name in owner.options)

    def _run(self, module: str, **options: Any) -> Mapping[str, Any]:
        """The result of another module, with the owners and the connection of the host."""
        connection = connection_options(self.part, MODULE_SPECS[module].owner)
        part = Part(module, {**connection, **options}, self.part.context)
        return self.run_module(part)


def _with_moves(host: HostResults, moves: Moves) -> HostResults:
    """The host, with further moves in its record."""
    record = host.record
    return host.having(
        moved=[*(record["moved"] or ()), *moves.moved],
        unknown_moves=[*record["unknown_moves"], *moves.unknown],
    )
