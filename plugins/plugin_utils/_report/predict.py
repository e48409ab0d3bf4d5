# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Predicts what the role would do to a host, and reads what stands beside its protection, if
variables of the report ask for it: announced networks, lists, hits of rules, the audit log. What
cannot be read makes the host unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

from ...module_utils._context import CHANGES_HOURS
from ...module_utils._protection.unmanaged import unmanaged_lists
from ...module_utils._schema.account import NETWORK_FIREWALL_RULES, TCP_KINDS
from ...module_utils._schema.lists import LISTS, items_of
from ...module_utils._schema.registry import BY_NAME, lists_named_in
from ...module_utils._schema.resource import (
    ACCOUNT_OWNER,
    ZONE_OWNER,
    Object,
    Owner,
    Resource,
    State,
)
from ...module_utils._specs.host import CUSTOM
from ...module_utils._specs.registry import HOST_MODULE, MODULE_SPECS, TRAFFIC
from ...module_utils._specs.whole_state import all_inside, collections_of
from ...module_utils._text import first_few, sentence
from ...module_utils._timestamps import read_timestamp, write_timestamp
from ...module_utils._values.address_set import (
    EVERYTHING,
    difference,
    networks,
    range_of,
    ranges_of,
    union,
)
from .._baseline.host_task import HostTask
from .._baseline.variables import Part, connection_options, described_by, misspelt_names
from .._variables import misspelt_errors, option_at, place_of, require_none
from .arguments import (
    LOG_HOURS,
    OF_REPORTED_HOST,
    REPORT_VARIABLES,
    REPORTED_HITS,
    accepted_risks,
    check_report,
    expiring,
)
from .document import AcceptedNow, host_record
from .record import Announced, HostRecord, LastChange, Unused, values_by_key
from .results import HostResults, host_results, reported_unmanaged

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


def lists_not_read(state: State) -> list[dict[str, Any]]:
    """The lists by which rules of a zone alone may let requests pass, as objects that no baseline
    names: those of an account that is not the host's may hold everything."""
    if not (names := lists_named_in(state)):
        return []
    lists = {LISTS.plural: [{"name": name, "kind": "ip"} for name in names]}
    everything = [{"ip": network} for network in networks(EVERYTHING)]
    items = {items_of(name).plural: everything for name in names}
    why = "may hold everything, since the host is a zone without its account; then it"
    return [
        {**item, "weakens": None, "reason": f"{why} {item['reason']}"}
        for item in unmanaged_lists([], {**state, **lists, **items})
        if item["reason"]
    ]


def place_in_files(variables: Mapping[str, Any], option: str | None) -> str | None:
    """The file and the line of an option of this name, or else its name."""
    return place_of(variables, option_at(option or "")).strip(" ()") or option


ANNOUNCED_SUBSETS = ["prefixes", "announced"]  # of protection_info
OF_PACKETS = "packet_phases"  # another one
NETWORK_FIREWALL = NETWORK_FIREWALL_RULES.plural


ANNOUNCED = "report_announced"  # a variable
INFO, ZONE_INFO = "protection_info", "custom_rules_info"

RunPart = Callable[[Part], InfoResult]  # the result of a part in check mode


@dataclass(frozen=True)
class Beside:
    """Reads with modules of their own, so that what one may not read hides nothing else."""

    run_module: RunPart
    part: Part
    values: Mapping[str, Any]

    def read(self, host: HostResults) -> HostResults:
        """The results of a host with what stands beside its protection."""
        if boolean(self.values.get(ANNOUNCED) or False):
            host = self._announced(host)
        if self.part.options.get(NETWORK_FIREWALL) is not None:
            host = self._packet_phases(host)
        for variable, read_hours in ((REPORTED_HITS, self._hits), (LOG_HOURS, self._changes)):
            hours = float(self.values.get(variable) or 0)
            host = read_hours(host, hours) if hours else host
        return host

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
        named = {rule.get("ref") for rule in self.part.options.get(CUSTOM) or ()}
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
        reads = {CUSTOM: None} if self._has(ZONE_OWNER) else {}
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


TRAFFIC_HOURS = "report_traffic_hours"  # the variable


def traffic_task(part: Part, hours: Any) -> Part | None:
    """The module that asks for so many hours of a host's traffic; None for no hours, and for a host
    without an account. DNS protection counts if the baseline describes it."""
    number = float(hours or 0)
    if not part.options.get("account_id") or not number:
        return None
    components = [*TCP_KINDS, *(["dns"] if part.options.get("dns_rules") else [])]
    options = {
        **connection_options(part, MODULE_SPECS[TRAFFIC].owner),
        "hours": number,
        "components": components,
    }
    names = {**part.names, "hours": TRAFFIC_HOURS}
    return Part(TRAFFIC, options, part.context._replace(names=names))


def predict_host(task: HostTask, now: datetime) -> HostRecord:
    """The record of the host, with the changes that a run would make; raises AnsibleError,
    OptionError, ValueError.

    It plans in check mode even if the play does not, so that it writes nothing to Cloudflare.
    """
    task.require_control_node()
    names = misspelt_errors(task.variables, REPORT_VARIABLES)
    names += misspelt_names(frozenset(task.variables))
    require_none(names, {}, {}, task.variables)
    values = task.checked(OF_REPORTED_HOST, check_report)
    accepted = task.accepted()
    current = task.merged(values)
    part = current.part()
    if not described_by(part):
        raise ValueError(f"No rules of the zone {task.host} are described, so that it is not read.")
    runner = task.runner()
    result = runner.run_module(replace(part, context=part.context._replace(reports=True)), True)
    results = {part.module: result}
    traffic = traffic_task(part, values.get(TRAFFIC_HOURS))
    if traffic and "coverage" in result:
        results[traffic.module] = runner.run_module(traffic, True)
    place = partial(place_in_files, task.variables)
    predicted = host_results(task.host, part.options, results, place=place)
    if "account_id" not in part.options:
        others = reported_unmanaged(lists_not_read(predicted.planned))
        predicted = predicted.having(unmanaged=[*predicted.record["unmanaged"], *others])
    beside = Beside(lambda other: runner.run_module(other, True), part, values)
    read = beside.read(predicted).having(
        accepted_risks=accepted_risks(part, now),
        expiring=expiring(part, accepted, now, current.postures),
        postures=[one.record for one in current.postures],
        overdue=[*current.still_in_force(predicted.record["operations"])],
    )
    return host_record(read, write_timestamp(now), AcceptedNow(accepted, now))
