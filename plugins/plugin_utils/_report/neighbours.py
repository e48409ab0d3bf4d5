# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Predicts what the role would do to a host, and reads what stands beside its protection, if
variables of the report ask for it; what cannot be read makes the host unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

from ...module_utils._protection.unmanaged import unmanaged_lists
from ...module_utils._schema.account import NETWORK_FIREWALL_RULES, TCP_KINDS
from ...module_utils._schema.lists import LISTS, WHOLE_LISTS, items_in, items_of
from ...module_utils._schema.registry import BY_NAME, EVALUATION, MANAGED, lists_named_in
from ...module_utils._schema.resource import ACCOUNT_OWNER, ZONE_OWNER, Object, Owner, Resource
from ...module_utils._specs.host import ACCOUNT, CUSTOM
from ...module_utils._specs.info import BESIDE, DEFAULT_SUBSETS
from ...module_utils._specs.registry import HOST_MODULE, TRAFFIC
from ...module_utils._text import Option, first_few, sentence
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
from .._baseline.variables import Part, connection_options, described_by
from .._variables import misspelt_errors, place_of, require_none
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
from .results import HostResults, host_results

ANNOUNCED_SUBSETS = ["prefixes", "announced"]  # of protection_info
PACKET_PHASES = "packet_phases"  # another one
NETWORK_FIREWALL = NETWORK_FIREWALL_RULES.plural


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

InfoResult = Mapping[str, Any]  # of a module that reads
LogEntry = Mapping[str, Any]  # as the modules return it


@dataclass(frozen=True)
class Log:
    """The writes of some hours, the newest first, and the objects that exist, by resource and key;
    `unread` says why the log is not known."""

    hours: float
    changes: Sequence[LogEntry] = ()
    objects: Mapping[str, Mapping[str, Object]] = field(default_factory=dict)
    unread: str = ""

    def last_changes(self, host: HostResults) -> list[LastChange]:
        """The last change of each difference and each hole of a host."""
        record = host.record
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


def objects_by_resource(results: Iterable[InfoResult]) -> dict[str, dict[str, Object]]:
    """The objects in results of protection_info and custom_rules_info, by the name of their
    resource and their key."""
    objects: dict[str, dict[str, Object]] = {}
    for result in results:
        module = CUSTOM if "zone_id" in result else ACCOUNT
        for item in MANAGED:
            resource = item.resource
            name = item.option if item.module == module else resource.plural
            listed = result.get(name) if module == ACCOUNT or item.module == CUSTOM else None
            every = listed if isinstance(listed, list) else []
            kept = objects.setdefault(resource.name, {})
            kept.update(
                {
                    resource.label_of(obj): obj
                    for obj in every
                    if item.module != ACCOUNT or obj.get("kind") in (None, resource.kind)
                }
            )
        for one in result.get(WHOLE_LISTS.plural) or ():
            items = items_in(one)
            kept = objects.setdefault(items.name, {})
            kept.update({items.label_of(obj): obj for obj in one.get("items") or ()})
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
        result = self._run(INFO, gather_subset=[PACKET_PHASES])
        if result.get("failed"):
            what = "Rules beside those of the Network Firewall are not known"
            return host.having(not_evaluated=[f"{what}: {result.get('msg')}"])
        phases = [one for one in result[PACKET_PHASES] if one["rules"]]
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
        return with_unused(host, [rule for rule in every if rule.get("ref") in named])

    def _changes(self, host: HostResults, hours: float) -> HostResults:
        """The last changes by the audit log, and by the objects whose ids and timestamps tell which
        writes are theirs."""
        subsets = (*BESIDE, "dns_rules")
        others = [name for name in subsets if self.part.options.get(name) is not None]
        # The log of an account has the changes of its zones.
        of_zone = {"changes_hours": 0 if self._has(ACCOUNT_OWNER) else hours}
        of_account = {"gather_subset": [*DEFAULT_SUBSETS, *others], "changes_hours": hours}
        results = self._results(of_account, of_zone)
        if failed := next((item for item in results.values() if item.get("failed")), None):
            log = Log(hours, unread=f"who changed it is not known: {failed.get('msg')}")
        else:
            changes = [item for result in results.values() for item in result.get("changes") or ()]
            log = Log(hours, changes, objects_by_resource(results.values()))
        return host.having(changes=log.last_changes(host))

    def _results(
        self, of_account: Mapping[str, Any], of_zone: Mapping[str, Any]
    ) -> dict[str, InfoResult]:
        """The results of the modules that read an account and a zone, by module, with these
        options, as far as the host has an account and a zone."""
        readings = ((ACCOUNT_OWNER, INFO, of_account), (ZONE_OWNER, ZONE_INFO, of_zone))
        return {
            module: self._run(module, **options)
            for owner, module, options in readings
            if self._has(owner)
        }

    def _has(self, owner: Owner) -> bool:
        return any(map(self.part.options.get, owner.options))

    def _run(self, module: str, **options: Any) -> Mapping[str, Any]:
        """The result of another module, with the owners and the connection of the host."""
        own = {**connection_options(self.part, module), **options}
        return self.run_module(Part(module, own, self.part.context))


def with_unused(host: HostResults, rules: Sequence[Mapping[str, Any]]) -> HostResults:
    """The results of a host with those of some rules that nothing has matched."""
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
    return host.having(unused=unused if is_known else None, unknown_hits=unknown)


def lists_not_read(result: InfoResult) -> list[dict[str, Any]]:
    """The lists by which rules of a zone alone may let requests pass, as objects that no baseline
    names: those of an account that is not the host's may hold everything."""
    rules = {resource.plural: resource for resource, _in_order in EVALUATION}
    state = {name: result[name] for name in result.keys() & rules.keys()}
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


TRAFFIC_HOURS = "report_traffic_hours"  # the variable


def traffic_task(part: Part, hours: Any) -> Part | None:
    """The module that asks for so many hours of a host's traffic; None for no hours, and for a host
    without an account. DNS protection counts if the baseline describes it."""
    number = float(hours or 0)
    if not part.options.get("account_id") or not number:
        return None
    components = [*TCP_KINDS, *(["dns"] if part.options.get("dns_rules") else [])]
    options = {**connection_options(part, TRAFFIC), "hours": number, "components": components}
    names = {**part.names, "hours": TRAFFIC_HOURS}
    return Part(TRAFFIC, options, part.context._replace(names=names))


def predict_host(task: HostTask, now: datetime) -> HostRecord:
    """The record of the host, with the changes that a run would make; raises AnsibleError,
    OptionError, ValueError.

    It plans in check mode even if the play does not, so that it writes nothing to Cloudflare.
    """
    task.require_control_node()
    require_none(misspelt_errors(task.variables, REPORT_VARIABLES), {}, {}, task.variables)
    values = task.checked(OF_REPORTED_HOST, check_report)
    accepted = task.accepted()
    current = task.merged(values)
    part = current.part()
    if not described_by(part):
        raise ValueError(f"No rules of the zone {task.host} are described, so that it is not read.")
    runner = task.runner()
    result = runner.run_module(replace(part, context=part.context._replace(reports=True)), True)
    for one in (*(result.get("ineffective") or ()), *(result.get("risks") or ())):
        one["place"] = _place(one.pop("option", None), task.variables)
    results = {HOST_MODULE: result}
    if "account_id" not in part.options:
        unread = lists_not_read(result)
        results[HOST_MODULE] = {**result, "unmanaged": [*result.get("unmanaged", ()), *unread]}
    traffic = traffic_task(part, values.get(TRAFFIC_HOURS))
    if traffic and "coverage" in result:
        results[traffic.module] = runner.run_module(traffic, True)
    predicted = host_results(task.host, {**part.options, **owners_of(result)}, results)
    beside = Beside(lambda other: runner.run_module(other, True), part, values)
    read = beside.read(predicted).having(
        accepted_risks=accepted_risks(part, now),
        expiring=expiring(part, accepted, now, current.postures),
        postures=[one.record for one in current.postures],
        overdue=[*current.still_in_force(predicted.record["operations"])],
    )
    return host_record(read, write_timestamp(now), AcceptedNow(accepted, now))


def _place(option: str | None, variables: Mapping[str, Any]) -> str | None:
    """The file and the line of an option of this name, or else its name."""
    steps = re.findall(r"[^.\[\]]+", option or "")
    path = Option(*(int(step) if step.isdigit() else step for step in steps))
    return place_of(variables, path).strip(" ()") or option


def owners_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """The ids in a result, which knows that of a zone even if the host names it by its domain."""
    return {name: result[name] for name in ("account_id", "zone_id") if result.get(name)}
