# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The last change of each object that differs from the baseline or takes protection away, by the
audit log of the account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import RESOURCES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import (
    CUSTOM_RULES,
    FIREWALL_RULES,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import sentence
from ansible_collections.edgeops.protection.plugins.module_utils._timestamps import read_timestamp

from .record import LastChange
from .results import HostResults

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
