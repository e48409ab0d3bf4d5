# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules that read an account or a zone, what stands beside its protection, and what the
analytics tell of its traffic."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from .._api.client import Client
from .._api.neighbours import read_announced, read_ip_lists, read_packet_phases
from .._context import Context
from .._errors import OptionError, OptionProblems, parsed
from .._plan.desired import Desired
from .._protection.coverage import Coverage
from .._protection.summary import answer, summarise
from .._schema.account import COMPONENTS
from .._schema.registry import RULESETS
from .._schema.resource import (
    ACCOUNT_OPTION,
    ZONE_OPTION,
    Field,
    Object,
    Resource,
    State,
    options_of,
)
from .._schema.zone import CUSTOM_RULES, FIREWALL_RULES
from .._text import Option
from .._timestamps import CLOCK_SKEW
from .._values.address_set import range_of
from .._values.kinds import FLAG, ID, TEXT, identifier, several
from .account import SUBSETS, subsets_of
from .base import ModuleResult, ModuleSpec, Options, Resources, check_network

HITS_HOURS = "hits_hours"
MOST_LOG_HOURS = 24 * 31 * 18  # so long Cloudflare keeps the log


def check_hours(hours: float, option: str) -> None:
    """Raises OptionError for hours that no log has."""
    if not 0 <= hours <= MOST_LOG_HOURS:
        problem = f"{hours:g} is not from 0 to {MOST_LOG_HOURS} (18 months)"
        raise OptionError(Option(option), problem)


BESIDE: Mapping[str, Callable[[Client], Any]] = {
    "announced": lambda client: read_announced(client.read),
    "ip_lists": read_ip_lists,
    "packet_phases": read_packet_phases,
    **{item.plural: methodcaller("read", item) for item in RULESETS if item.owner != ZONE_OPTION},
}
DEFAULT_SUBSETS = [
    name for name, resources in SUBSETS.items() if not any(item.on_demand for item in resources)
]


class ProtectionInfo(ModuleSpec):
    """protection_info; with `covers`, it reads all that decides who is protected, and else what the
    task names. `look` reads networks, rules and lists beside the protection, which are no state."""

    def __init__(self) -> None:
        self.options = {
            "gather_subset": {**several(*SUBSETS, *BESIDE).option, "default": DEFAULT_SUBSETS},
            "covers": {"type": "list", "elements": "str"},
        }

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        problems = OptionProblems()
        for position, network in enumerate(options["covers"] or []):
            with problems.collected():
                check_network(Option("covers", position), network)
        problems.raise_any()
        names = {*options["gather_subset"], *(DEFAULT_SUBSETS if options["covers"] else ())}
        return [resource for name in SUBSETS if name in names for resource in SUBSETS[name]]

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        read = subsets_of(state)
        gathered = {name: read[name] for name in read if name in options["gather_subset"]}
        if not read.keys() >= {*DEFAULT_SUBSETS}:
            return gathered
        coverage = Coverage(state)
        if options["covers"] is not None:
            gathered["covers"] = [answer(coverage, network) for network in options["covers"]]
        return dict(gathered, coverage=summarise(coverage))

    def look(
        self, options: Options, client: Client, result: ModuleResult, context: Context
    ) -> ModuleResult:
        names = options["gather_subset"]
        return {name: read(client) for name, read in BESIDE.items() if name in names}


class RulesInfo(ModuleSpec):
    """The rules of a zone that meet every condition of the task, such as firewall_rules_info; a
    description is met by a part of it. A custom rule that is not enabled is a paused one."""

    owner = ZONE_OPTION

    def __init__(self, resource: Resource) -> None:
        self._resource = resource
        self._conditions = (Field("id", ID), resource.field("action"), Field("paused", FLAG))
        self.options = options_of((*self._conditions, Field("description", TEXT)))

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        if options["id"] is not None:
            parsed(Option("id"), identifier, options["id"])
        return (self._resource,)

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        rules = state[self._resource.plural]
        return {"rules": [rule for rule in rules if self._meets(options, rule)]}

    def _meets(self, options: Options, rule: Object) -> bool:
        description = (options["description"] or "").casefold()
        if description not in str(rule.get("description") or "").casefold():
            return False
        conditions = [item for item in self._conditions if options[item.name] is not None]
        met = {"paused": rule.get("enabled") is False, **rule}  # only firewall rules say paused
        return all(item.normalised(options) == item.normalised(met) for item in conditions)


class CustomRulesInfo(RulesInfo):
    """custom_rules_info."""

    def __init__(self) -> None:
        super().__init__(CUSTOM_RULES)
        self.options = {**self.options, HITS_HOURS: {"type": "float", "default": 0.0}}

    def look(
        self, options: Options, client: Client, result: ModuleResult, context: Context
    ) -> ModuleResult:
        hours = options.get(HITS_HOURS) or 0
        if not hours:
            return {}
        from .._traffic.evidence import read_hits

        return {"rules": read_hits(result["rules"], hours, client, context)}

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        problems = OptionProblems()
        with problems.collected():
            check_hours(options.get(HITS_HOURS) or 0, HITS_HOURS)
        with problems.collected():
            super().reads(options, desired, state)
        problems.raise_any()
        return (self._resource,)


if TYPE_CHECKING:
    from .._traffic.ask import AccountTraffic

MOST_TRAFFIC_HOURS = 24 * 366
MOST_OF_TOP = 100
OF_PREFIXES = Option("prefixes")


def _hours_of(options: Options) -> timedelta:
    """The hours of a task; raises OptionError for none, and for more than any account keeps."""
    hours = options["hours"]
    if not 0 < hours <= MOST_TRAFFIC_HOURS:
        problem = f"{hours:g} is not above 0 and at most {MOST_TRAFFIC_HOURS}"
        raise OptionError(Option("hours"), problem)
    return timedelta(hours=hours)


class TrafficInfo(ModuleSpec):
    """protection_traffic_info: it reads no resource, and asks the analytics once."""

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
        prefixes, top = options["prefixes"], options.get("top")
        spaces = [[network] for network in map(range_of, prefixes or []) if network] or None
        heaviest = {"top": top_record(listings.heaviest(top))} if top else {}
        record = traffic_record(listings.traffic(spaces), components, prefixes)
        return {"traffic": {**record, **heaviest}}


def _recent(options: Options, client: Client, components: Sequence[str]) -> AccountTraffic:
    """The traffic until now by Cloudflare's clock, as far as it has told its time."""
    from .._traffic.ask import ask_traffic

    until = client.now or datetime.now(timezone.utc)
    since = until - _hours_of(options)
    return ask_traffic(client.ask, client.owner[ACCOUNT_OPTION], components, since, until)


SPECS: Mapping[str, ModuleSpec] = {
    "protection_info": ProtectionInfo(),
    "firewall_rules_info": RulesInfo(FIREWALL_RULES),
    "custom_rules_info": CustomRulesInfo(),
    "protection_traffic_info": TrafficInfo(),
}
