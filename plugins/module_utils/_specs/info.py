# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules that read an account or a zone, and what stands beside its protection."""

from __future__ import annotations

from typing import Mapping, Sequence

from .._api.client import Client
from .._api.neighbours import ACCOUNT_READINGS
from .._context import Context
from .._errors import OptionError, OptionProblems, parsed
from .._plan.desired import Desired
from .._protection.coverage import Coverage
from .._protection.summary import answer, summarise
from .._schema.custom_rules import CUSTOM_RULES
from .._schema.firewall_rules import FIREWALL_RULES
from .._schema.resource import ZONE_OPTION, Field, Object, Resource, State, options_of
from .._text import Option
from .._values.kinds import FLAG, ID, TEXT, identifier, several
from .account import SUBSETS, subsets_of
from .base import ModuleResult, ModuleSpec, Options, Resources, check_network

HITS_HOURS = "hits_hours"
MOST_LOG_HOURS = 24 * 31 * 18  # so long Cloudflare keeps the log


def check_hours(hours: float, option: str) -> None:
    """Raise OptionError for more hours than the log has, or fewer than 0."""
    if not 0 <= hours <= MOST_LOG_HOURS:
        problem = f"{hours:g} is not from 0 to {MOST_LOG_HOURS} (18 months)"
        raise OptionError(Option(option), problem)


DEFAULT_SUBSETS = [
    name
    for name, resources in SUBSETS.items()
    if not any(resource.on_demand for resource in resources)
]


class ProtectionInfo(ModuleSpec):
    """The module protection_info. It reads the collections that the task names; with `covers`, it
    reads everything that decides whether an address is protected. `look` reads networks, rules and
    lists, which are not part of the state.
    """

    def __init__(self) -> None:
        self.options = {
            "gather_subset": {
                **several(*SUBSETS, *ACCOUNT_READINGS).option,
                "default": DEFAULT_SUBSETS,
            },
            "covers": {"type": "list", "elements": "str"},
        }

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        problems = OptionProblems()
        for position, network in enumerate(options["covers"] or []):
            with problems.collected():
                check_network(Option("covers", position), network)
        problems.raise_any()
        names = {*options["gather_subset"]}
        if options["covers"]:
            names.update(DEFAULT_SUBSETS)
        resources: list[Resource] = []
        for name in SUBSETS:
            if name in names:
                resources += SUBSETS[name]
        return resources

    def result(self, options: Options, desired: Sequence[Desired], state: State) -> ModuleResult:
        subsets = subsets_of(state)
        gathered = {name: subsets[name] for name in subsets if name in options["gather_subset"]}
        if not subsets.keys() >= {*DEFAULT_SUBSETS}:
            return gathered
        coverage = Coverage(state)
        if options["covers"] is not None:
            gathered["covers"] = [answer(coverage, network) for network in options["covers"]]
        return dict(gathered, coverage=summarise(coverage))

    def look(
        self, options: Options, client: Client, result: ModuleResult, context: Context
    ) -> ModuleResult:
        names = options["gather_subset"]
        return {name: read(client) for name, read in ACCOUNT_READINGS.items() if name in names}


class RulesInfo(ModuleSpec):
    """A module for rules of a zone, such as firewall_rules_info: it returns those that meet all
    conditions of the task. For a description it is enough to contain the text. A custom rule that
    is not enabled counts as paused.
    """

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
        excerpt = (options["description"] or "").casefold()
        description = str(rule.get("description") or "").casefold()
        if excerpt not in description:
            return False
        rule = {"paused": rule.get("enabled") is False, **rule}  # only firewall rules say paused
        for field in self._conditions:
            is_asked = options[field.name] is not None
            if is_asked and field.normalised(options) != field.normalised(rule):
                return False
        return True


class CustomRulesInfo(RulesInfo):
    """The module custom_rules_info."""

    def __init__(self) -> None:
        super().__init__(CUSTOM_RULES)
        self.options = {**self.options, HITS_HOURS: {"type": "float", "default": 0.0}}

    def look(
        self, options: Options, client: Client, result: ModuleResult, context: Context
    ) -> ModuleResult:
        hours = options.get(HITS_HOURS) or 0
        if not hours:
            return {}
        from .._traffic.hits import read_hits

        return {"rules": read_hits(result["rules"], hours, client, context)}

    def reads(self, options: Options, desired: Sequence[Desired], state: State) -> Resources:
        problems = OptionProblems()
        with problems.collected():
            check_hours(options.get(HITS_HOURS) or 0, HITS_HOURS)
        with problems.collected():
            super().reads(options, desired, state)
        problems.raise_any()
        return (self._resource,)


INFO_SPECS: Mapping[str, ModuleSpec] = {
    "protection_info": ProtectionInfo(),
    "firewall_rules_info": RulesInfo(FIREWALL_RULES),
    "custom_rules_info": CustomRulesInfo(),
}
