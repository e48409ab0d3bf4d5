# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module that reads collections as a whole, for roles."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Sequence

from .._api.client import Client
from .._context import (
    CHANGES_HOURS,
    NOW,
    VENDOR_RULESETS,
    WATCH,
    WATCHED_REQUESTS,
    WATCHED_SINCE,
    WATCHED_SOURCES,
    WATCHED_ZONES,
    Context,
)
from .._plan.desired import Desired
from .._schema.resource import State, without
from .._timestamps import read_timestamp, write_timestamp
from .base import ModuleResult, ModuleSpec, Options, Resources
from .whole_state import all_inside, collections_of


class StateReader(ModuleSpec):
    """A module that returns the collections of an account or zone by their plurals, and the time by
    Cloudflare's clock. If the task asks for them, it returns the changes in the audit log, the
    managed rulesets that rules execute and the traffic since a watched change as well.
    """

    def __init__(self, owners: Sequence[str], plurals: Sequence[str]) -> None:
        self._owners = owners
        self._plurals = plurals
        self.options = {}

    @property
    def owners(self) -> Sequence[str]:
        return self._owners

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        collections = collections_of(self._plurals, self._owners)
        if not state:
            return collections
        return [*collections, *all_inside(collections, state)]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        return state

    def look(
        self, options: Options, client: Client, result: ModuleResult, context: Context
    ) -> ModuleResult:
        extra_result: dict[str, Any] = {NOW: None}
        if client.now:
            extra_result[NOW] = write_timestamp(client.now)
        hours = options.get(CHANGES_HOURS)
        if hours:
            from .._api.changes import read_changes  # loaded for reports

            extra_result["changes"] = read_changes(client, hours)
        if options.get(VENDOR_RULESETS):
            from .._protection.vendor_rules import read_vendor_rulesets  # loaded for reports

            extra_result[VENDOR_RULESETS] = read_vendor_rulesets(client.read, result)
        since = read_timestamp(options.get(WATCHED_SINCE))
        if since:
            extra_result.update(_watched_traffic(options, client, since))
        return extra_result


def _watched_traffic(options: Options, client: Client, since: datetime) -> dict[str, Any]:
    """The traffic since a watched change: examples, samples of data sets of an account, or those of
    the zone and of other watched zones."""
    from .._traffic import watched  # loaded for watched changes

    sources = options.get(WATCHED_SOURCES)
    if options.get(WATCHED_REQUESTS):
        return {WATCHED_REQUESTS: watched.read_examples(client, since)}
    if sources:
        from .._traffic.watched_packets import read_packets

        return {WATCH: read_packets(client, since, sources)}
    from .._traffic.joint import read_samples

    (zone,) = client.owner.values()
    moments = {
        name: read_timestamp(text) for name, text in (options.get(WATCHED_ZONES) or {}).items()
    }
    known = {name: moment for name, moment in moments.items() if moment}
    samples = read_samples(client, {zone: since, **without(known, zone)})
    return {WATCH: {watched.THE_ZONE: samples.pop(zone)}, WATCHED_ZONES: samples}
