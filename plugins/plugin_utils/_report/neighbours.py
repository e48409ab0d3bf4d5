# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what stands beside the protection of a host, if variables of the report ask for it; what
cannot be read makes the host unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import RESOURCES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import (
    CUSTOM_RULES,
    FIREWALL_RULES,
)
from ansible_collections.edgeops.protection.plugins.module_utils._specs.account import (
    DEFAULT_SUBSETS,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import sentence
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import read_timestamp
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import (
    Ranges,
    difference,
    networks,
    range_of,
    union,
)

from .._baseline.unmanaged import ACCESS_RULE, KINDS
from .._baseline.variables import ACCOUNT, CUSTOM, FIREWALL, Part, connection_options
from .record import Announced, LastChange, Unmanaged
from .results import HostResults, Prediction

SUBSETS = ["prefixes", "announced"]  # of protection_info


def announced_record(result: Mapping[str, Any]) -> Announced:
    """The announced networks, out of the result of protection_info.

    Networks that other accounts use are theirs to protect. A network that is malformed, or of which
    Cloudflare does not say whether it is announced, is not known.
    """
    prefixes: Sequence[Mapping[str, Any]] = result["announced"]
    parts = [part for prefix in prefixes for part in prefix["networks"]]
    delegated = _ranges(text for prefix in prefixes for text in prefix["delegated"])
    named = _ranges(entry.get("prefix") for entry in result["prefixes"])
    announced = _with(parts, True)
    missing = difference(difference(announced, delegated), named)
    unclear = difference(difference(_with(parts, None), delegated), named)
    malformed = [str(part["prefix"]) for part in parts if range_of(part["prefix"]) is None]
    return Announced(
        networks=networks(announced),
        unprotected=networks(missing),
        not_known=[*networks(difference(unclear, announced)), *malformed],
    )


def _with(parts: Iterable[Mapping[str, Any]], announced: bool | None) -> Ranges:
    return _ranges(part["prefix"] for part in parts if part["announced"] is announced)


def _ranges(texts: Iterable[Any]) -> Ranges:
    return union(filter(None, map(range_of, texts)))


OF_ZONE, OF_ACCOUNT = "the rules of the zone", "the rules of every zone of the account"


def access_rules(module: str, result: Mapping[str, Any], passed: str) -> Prediction:
    """The rules in the result of a module; `passed` names the rules that traffic passes by."""
    return Prediction(
        module=module,
        is_refused=False,
        plan_id="",
        operations=(),
        risks=(),
        pending=(),
        unmanaged=[_unmanaged(module, rule, passed) for rule in result["access_rules"]],
    )


def _unmanaged(module: str, rule: Mapping[str, Any], passed: str) -> Unmanaged:
    return Unmanaged(
        module=module,
        resource=ACCESS_RULE,
        title=KINDS[ACCESS_RULE],
        key=rule["value"],
        weakens=True,
        reason=f"lets requests from this {rule['target']} pass by {passed}",
        since=rule["since"],
        accepted=None,
    )


SAME_MOMENT = timedelta(seconds=10)  # between an object's own timestamp and the log's
STAMPS = ("modified_on", "last_updated", "created_on")
WRITTEN = {item.name: item for item in (*RESOURCES, CUSTOM_RULES, FIREWALL_RULES)}

Object = Mapping[str, Any]
Change = Mapping[str, Any]  # as the modules return it


@dataclass(frozen=True)
class Log:
    """The writes of some hours, the newest first, and the objects that exist, by resource; `unread`
    says why the log is not known."""

    hours: float
    changes: Sequence[Change] = ()
    objects: Mapping[str, Sequence[Object]] | None = None
    unread: str = ""

    def last_changes(self, host: HostResults) -> list[LastChange]:
        """Who changed each difference and each hole of a host last."""
        return [
            self._last_change(resource, title, key, since)
            for resource, title, key, since in _concerned(host)
        ]

    def _last_change(self, resource: str, title: str, key: str, since: str | None) -> LastChange:
        entry = self._find(resource, key, since)
        who = (
            f"changed by {entry['by']} with {entry['how']} at {entry['at']}"
            if entry
            else self.unread
            or f"the audit log of the last {self.hours:g} hours does not say who changed it"
        )
        values = {name: str(entry[name]) if entry else None for name in ("by", "how", "at")}
        text = sentence(f"{title} {key}: {who.rstrip('.')}")
        return LastChange(
            resource=resource,
            key=key,
            text=text,
            by=values["by"],
            how=values["how"],
            at=values["at"],
        )

    def _find(self, resource: str, key: str, since: str | None) -> Change | None:
        """The last write of an object: one that names its id, or else the one in its collection at
        the moment of its own timestamp."""
        path = _collection(resource)
        if resource in WRITTEN and not WRITTEN[resource].key:  # an object that always exists
            return next((item for item in self.changes if path in str(item["uri"])), None)
        existing = self._existing(WRITTEN.get(resource), key)
        identity = str(existing.get("id") or "")
        if identity:
            by_id = (item for item in self.changes if _names(item, identity))
            entry = next(by_id, None)
            if entry:
                return entry
        moment = _moment(existing) or read_timestamp(since)
        near = [item for item in self.changes if moment and _is_at(item, moment, path)]
        return near[0] if len({(item["by"], item["how"]) for item in near}) == 1 else None

    def _existing(self, resource: Resource | None, key: str) -> Object:
        objects = (self.objects or {}).get(resource.name, ()) if resource else ()
        named = (item for item in objects if resource and resource.label_of(item) == key)
        return next(named, {})


def _concerned(host: HostResults) -> Iterator[tuple[str, str, str, str | None]]:
    """The resource, title, key and timestamp of each difference, and of each object that takes
    protection away."""
    for item in host.predictions:
        for operation in item.operations:
            yield operation["resource"], operation["title"], operation["key"], None
        for hole in item.unmanaged:
            if hole["weakens"] is not False:
                yield hole["resource"], hole["title"], hole["key"], hole["since"]


def objects_of(result: Mapping[str, Any]) -> dict[str, list[Object]]:
    """The objects in a result of protection_info or custom_rules_info, by the name of their
    resource."""
    if "zone_id" in result:
        return {CUSTOM_RULES.name: list(result.get("rules") or ())}
    by_name: dict[str, list[Object]] = {}
    for resource in RESOURCES:
        plural = "rules" if resource.name.endswith("_rule") else resource.plural
        plural = "filters" if resource.name.endswith("_filter") else plural
        listed = result.get("dns_rules" if resource.component == "dns" else plural)
        objects: Iterable[Object] = listed if isinstance(listed, list) else ()
        kept = [item for item in objects if item.get("kind") in (None, resource.kind)]
        by_name[resource.name] = kept
    return by_name


def merged_objects(results: Iterable[Mapping[str, Any]]) -> dict[str, list[Object]]:
    """The objects of several results."""
    merged: dict[str, list[Object]] = {}
    for result in results:
        for name, objects in objects_of(result).items():
            merged.setdefault(name, []).extend(objects)
    return merged


def _names(change: Change, identity: str) -> bool:
    path = str(change["uri"]).partition("?")[0]
    return identity == change["object_id"] or identity in path.split("/")


def _is_at(change: Change, moment: datetime, path: str) -> bool:
    at = read_timestamp(change["at"])
    return bool(at and path in str(change["uri"]) and abs(at - moment) <= SAME_MOMENT)


def _moment(obj: Object) -> datetime | None:
    return next(filter(None, (read_timestamp(obj.get(name)) for name in STAMPS)), None)


def _collection(resource: str) -> str:
    """What the paths of all writes of a collection have in common."""
    if resource == CUSTOM_RULES.name:
        return "/rulesets"
    if resource not in WRITTEN:
        return "/access_rules/"
    return WRITTEN[resource].path.split("}", 1)[1]


ANNOUNCED, ACCESS_RULES = "report_announced", "report_access_rules"  # variables
CHANGES_HOURS = "report_changes_hours"  # another one
INFO, ZONE_INFO = "protection_info", "custom_rules_info"

RunModule = Callable[[Part], Mapping[str, Any]]  # the result of a part in check mode


@dataclass(frozen=True)
class Beside:
    """Reads with modules of their own, so that what one may not read hides nothing else."""

    run_module: RunModule
    parts: Sequence[Part]
    values: Mapping[str, Any]

    def read(self, host: HostResults) -> HostResults:
        """The results of a host with what stands beside its protection; raises ValueError."""
        host = self._announced(host) if self._is_asked(ANNOUNCED) else host
        host = self._access_rules(host) if self._is_asked(ACCESS_RULES) else host
        hours = float(self.values.get(CHANGES_HOURS) or 0)
        return replace(host, changes=self._log(hours).last_changes(host)) if hours else host

    def _is_asked(self, variable: str) -> bool:
        try:
            return bool(boolean(self.values.get(variable) or False))
        except TypeError as exc:
            raise ValueError(f"{variable} is neither true nor false.") from exc

    def _announced(self, host: HostResults) -> HostResults:
        part = self._part(ACCOUNT)
        if part is None:
            return host
        result = self._run(part, INFO, gather_subset=SUBSETS)
        if result.get("failed"):
            return _without(host, "The announced networks", result)
        announced = announced_record(result)
        unclear = [
            f"Whether {network} is announced is not known." for network in announced["not_known"]
        ]
        return replace(host, announced=announced, unread=[*host.unread, *unclear])

    def _access_rules(self, host: HostResults) -> HostResults:
        account, zone = self._part(ACCOUNT), self._part(CUSTOM, FIREWALL)
        if account is not None:
            result = self._run(account, INFO, gather_subset=["access_rules"])
            host = _with_access_rules(host, INFO, result, OF_ACCOUNT)
        if zone is not None:
            result = self._run(zone, ZONE_INFO, access_rules=True)
            host = _with_access_rules(host, ZONE_INFO, result, OF_ZONE)
        return host

    def _log(self, hours: float) -> Log:
        """The audit log, and the objects whose ids and timestamps tell which writes are theirs."""
        account, zone = self._part(ACCOUNT), self._part(CUSTOM, FIREWALL)
        results = []
        if account is not None:
            with_dns = ["dns_rules"] if account.options.get("dns_rules") is not None else []
            subsets = [*DEFAULT_SUBSETS, *with_dns]
            results.append(self._run(account, INFO, gather_subset=subsets, changes_hours=hours))
        if zone is not None:  # the log of an account has the changes of its zones
            of_zone = hours if account is None else 0
            results.append(self._run(zone, ZONE_INFO, changes_hours=of_zone))
        failed = next((result for result in results if result.get("failed")), None)
        if failed:
            return Log(hours, unread=f"who changed it is not known: {failed.get('msg')}")
        changes = [item for result in results for item in result.get("changes") or ()]
        return Log(hours, changes, merged_objects(results))

    def _part(self, *modules: str) -> Part | None:
        """The first part that runs one of some modules."""
        return next((part for part in self.parts if part.module in modules), None)

    def _run(self, part: Part, module: str, **options: Any) -> Mapping[str, Any]:
        """The result of another module, with the owner and the connection of a part."""
        return self.run_module(Part(module, {**connection_options(part), **options}, part.context))


def _with_access_rules(
    host: HostResults, module: str, result: Mapping[str, Any], passed: str
) -> HostResults:
    if result.get("failed"):
        return _without(host, f"The IP Access rules that pass by {passed}", result)
    prediction = access_rules(module, result, passed)
    return replace(host, predictions=[*host.predictions, prediction]) if host.predictions else host


def _without(host: HostResults, what: str, result: Mapping[str, Any]) -> HostResults:
    """A host of which something could not be read."""
    return replace(host, unread=[*host.unread, f"{what} are not known: {result.get('msg')}"])
