# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module that asks the analytics of an account for its traffic."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from .._api.client import Client
from .._context import Context
from .._errors import OptionError, OptionProblems
from .._plan.desired import Desired
from .._schema.account import COMPONENTS
from .._schema.resource import ACCOUNT_OPTION, State
from .._text import Option
from .._timestamps import CLOCK_SKEW
from .._values.address_set import range_of
from .._values.kinds import several
from .base import ModuleResult, ModuleSpec, Options, Resources, check_network

if TYPE_CHECKING:
    from .._traffic.ask import AccountTraffic

MOST_TRAFFIC_HOURS = 24 * 366
MOST_OF_TOP = 100
OF_PREFIXES = Option("prefixes")


def _hours_of(options: Options) -> timedelta:
    """The time span of a task; raises OptionError for no hours, and for more than any account
    keeps."""
    hours = options["hours"]
    if not 0 < hours <= MOST_TRAFFIC_HOURS:
        problem = f"{hours:g} is not above 0 and at most {MOST_TRAFFIC_HOURS}"
        raise OptionError(Option("hours"), problem)
    return timedelta(hours=hours)


class TrafficInfo(ModuleSpec):
    """The module protection_traffic_info; it reads no resources, but asks the analytics."""

    def __init__(self) -> None:
        self.options = {
            "hours": {"type": "float", "default": 24.0},
            "prefixes": {"type": "list", "elements": "str"},
            "components": {**several(*COMPONENTS).option, "default": list(COMPONENTS)},
            "top": {"type": "int"},
        }

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        problems = OptionProblems()
        with problems.collected():
            _hours_of(options)
        with problems.collected():
            if options["prefixes"] == []:
                raise OptionError(OF_PREFIXES, "it names no network; leave it out for all of them")
        for position, network in enumerate(options["prefixes"] or []):
            with problems.collected():
                check_network(OF_PREFIXES.at(position), network)
        top = options.get("top")
        with problems.collected():
            if top is not None and not 0 < top <= MOST_OF_TOP:
                raise OptionError(Option("top"), f"{top} is not from 1 to {MOST_OF_TOP}")
        problems.raise_any()
        return ()

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        return {}

    def look(
        self, options: Options, client: Client, result: ModuleResult, context: Context
    ) -> ModuleResult:
        from .._traffic.evidence import top_record, traffic_record

        components = [name for name in COMPONENTS if name in options["components"]]
        listings = _recent(options, client, components)
        if client.now and abs(client.now - listings.until) > CLOCK_SKEW:
            listings = _recent(options, client, components)  # this machine's clock is wrong
        prefixes = options["prefixes"]
        networks = filter(None, map(range_of, prefixes or []))
        spaces = [[network] for network in networks]
        record = traffic_record(listings.traffic(spaces or None), components, prefixes)
        traffic: dict[str, Any] = dict(record)
        top = options.get("top")
        if top:
            traffic["top"] = top_record(listings.heaviest(top))
        return {"traffic": traffic}


def _recent(options: Options, client: Client, components: Sequence[str]) -> AccountTraffic:
    """Asks the analytics about the task's hours up to now, by Cloudflare's clock if that is
    known."""
    from .._traffic.ask import ask_traffic

    until = client.now or datetime.now(timezone.utc)
    since = until - _hours_of(options)
    return ask_traffic(client.ask, client.owner[ACCOUNT_OPTION], components, since, until)


TRAFFIC_SPECS: Mapping[str, ModuleSpec] = {"protection_traffic_info": TrafficInfo()}
