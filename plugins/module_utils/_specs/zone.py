# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules for a zone's firewall rules and WAF custom rules."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .._api.client import Client
from .._errors import OptionError
from .._guard.risks.registry import risk_options
from .._guard.risks.zone import ZONE_RULE_RISKS
from .._holes.unmanaged import unmanaged_records
from .._neighbours.access_rules import read_access_rules
from .._plan.desired import Desired, numbered, parse_desired
from .._schema.resource import Field, Object, OptionSpec, Resource, State, options_of
from .._schema.zone import CUSTOM_RULES, FIREWALL_RULES, OWNER
from .._text import Option
from .._values.kinds import FLAG, ID, TEXT, identifier
from .base import ModuleSpec, Options, list_option
from .changes import CHANGES, changes_of, check_changes


class FirewallRules(ModuleSpec):
    """firewall_rules: updates rules that exist."""

    owner = OWNER

    def __init__(self) -> None:
        self.options = {
            "rules": list_option(FIREWALL_RULES, required=True),
            **risk_options(ZONE_RULE_RISKS),
        }

    def reads(self, options: Options) -> Sequence[Resource]:
        return (FIREWALL_RULES,)

    def desired(self, options: Options) -> Sequence[Desired]:
        return (parse_desired(FIREWALL_RULES, numbered("rules", options["rules"])),)

    def result(
        self, options: Options, desired: Sequence[Desired], state: State
    ) -> Mapping[str, Any]:
        by_key = {FIREWALL_RULES.key_of(item): item for item in state[FIREWALL_RULES.plural]}
        rules = [by_key[key] for key in desired[0].objects]
        return {"rules": rules, "unmanaged": unmanaged_records(desired, state)}


class RulesInfo(ModuleSpec):
    """Rules of a zone that meet every condition of the task; a description is met by a part of
    it."""

    owner = OWNER

    def __init__(self, resource: Resource) -> None:
        self._resource = resource
        self._conditions = (Field("id", ID), resource.field("action"), Field("paused", FLAG))
        self.options = options_of((*self._conditions, Field("description", TEXT)))

    def reads(self, options: Options) -> Sequence[Resource]:
        if options["id"] is not None:
            try:
                identifier(options["id"])
            except ValueError as exc:
                raise OptionError(Option("id"), str(exc)) from exc
        return (self._resource,)

    def result(
        self, options: Options, desired: Sequence[Desired], state: State
    ) -> Mapping[str, Any]:
        rules = state[self._resource.plural]
        return {"rules": [rule for rule in rules if self._meets(options, rule)]}

    def with_paused(self, rule: Object) -> Object:
        """The rule with the field `paused`."""
        return rule

    def _meets(self, options: Options, rule: Object) -> bool:
        description = (options["description"] or "").casefold()
        if description not in str(rule.get("description") or "").casefold():
            return False
        conditions = [item for item in self._conditions if options[item.name] is not None]
        met = self.with_paused(rule)
        return all(item.normalised(options) == item.normalised(met) for item in conditions)


class FirewallRulesInfo(RulesInfo):
    """The module firewall_rules_info: the firewall rules of a zone, with their filters."""

    def __init__(self) -> None:
        super().__init__(FIREWALL_RULES)


class CustomRulesInfo(RulesInfo):
    """custom_rules_info; a rule that is not enabled is a paused one."""

    def __init__(self) -> None:
        super().__init__(CUSTOM_RULES)
        passing: OptionSpec = {"access_rules": {"type": "bool", "default": False}}
        self.options = {**self.options, **passing, **CHANGES}

    def look(self, options: Options, client: Client) -> Mapping[str, Any]:
        rules = {"access_rules": read_access_rules(client)} if options["access_rules"] else {}
        return {**rules, **changes_of(options, client)}

    def reads(self, options: Options) -> Sequence[Resource]:
        check_changes(options)
        return super().reads(options)

    def with_paused(self, rule: Object) -> Object:
        return {**rule, "paused": rule.get("enabled") is False}
