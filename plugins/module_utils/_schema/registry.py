# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every resource in one table.

All that speaks of "all resources", "all rulesets" or "all lists" derives from it.
"""

from __future__ import annotations

from typing import Any, Container, Iterator, Mapping, NamedTuple, Sequence

from .account import COLLECTIONS, STATUS
from .custom_rules import CUSTOM_RULES, CUSTOM_RULES_OF_ACCOUNT
from .custom_rulesets import CUSTOM_RULESETS, WHOLE_RULESETS, rules_of_ruleset
from .ddos_overrides import L4_OVERRIDES, L7_OVERRIDES, L7_OVERRIDES_OF_ACCOUNT
from .firewall_rules import FIREWALL_RULES
from .lists import LISTS, WHOLE_LISTS, items_of
from .managed_rules import MANAGED_RULES
from .neighbours import NEIGHBOURS
from .network_firewall import NETWORK_FIREWALL_RULES
from .rate_limits import RATE_LIMIT_RULES
from .resource import ZONE_OPTION, Resource
from .zone import SECURITY_LEVEL


class Managed(NamedTuple):
    """A resource that a baseline manages: the module that writes it, and the option of this module
    that has its objects.

    Rules are `evaluated` if a request or packet meets them one after the other; they `decide` if
    nothing else decides what becomes of it. Of a `plain` resource, which is a setting or a list,
    the declaration is all that its module needs.
    """

    resource: Resource
    module: str
    option: str
    evaluated: bool = False
    decide: bool = False
    plain: bool = False

    @property
    def is_setting(self) -> bool:
        """Return whether the module is for one object, whose fields are its options."""
        return self.plain and not self.resource.key

    @property
    def is_list(self) -> bool:
        """Return whether the module is for a list that needs no specification of its own."""
        return self.plain and bool(self.resource.key)


def _evaluated(resource: Resource, module: str, decide: bool = True) -> Managed:
    return Managed(resource, module, "rules", evaluated=True, decide=decide)


def setting(resource: Resource) -> Managed:
    """The row of a resource that is one object; its module has the name of the resource."""
    name = resource.name
    option = name if resource.is_whole else resource.fields[0].name
    return Managed(resource, name, option, plain=True)


def plain_list(resource: Resource) -> Managed:
    """The row of a list of an account or a zone; module and option have the name of the list."""
    name = resource.plural
    return Managed(resource, name, name, plain=True)


def _managed_collections() -> Iterator[Managed]:
    for option, resources in COLLECTIONS.items():
        for resource in resources:
            yield Managed(resource, "account_protection", option)


# In the order in which a baseline applies them.
MANAGED: Sequence[Managed] = (
    Managed(WHOLE_LISTS, "ip_lists", "lists"),
    Managed(STATUS, "account_protection", "enabled"),
    *_managed_collections(),
    _evaluated(NETWORK_FIREWALL_RULES, "network_firewall_rules"),
    Managed(L4_OVERRIDES, "ddos_l4_overrides", "overrides"),
    *(Managed(resource, "custom_rulesets", "rulesets") for resource in WHOLE_RULESETS.values()),
    _evaluated(FIREWALL_RULES, "firewall_rules"),
    _evaluated(CUSTOM_RULES, "custom_rules"),
    _evaluated(RATE_LIMIT_RULES, "rate_limit_rules", decide=False),
    _evaluated(MANAGED_RULES, "managed_rules", decide=False),
    Managed(L7_OVERRIDES, "ddos_l7_overrides", "overrides"),
    setting(SECURITY_LEVEL),
)


def managed_of(owners: Container[str]) -> list[Managed]:
    """The resources that these owners have. If a module manages a resource of both, such as custom
    rulesets, only the one that MANAGED lists first: that of the account."""
    candidates = [managed for managed in MANAGED if managed.resource.owner in owners]
    owner_of_module = {managed.module: managed.resource.owner for managed in reversed(candidates)}
    return [
        managed
        for managed in candidates
        if owner_of_module[managed.module] == managed.resource.owner
    ]


# Resources that are read alone: what stands beside the protection of accounts and zones.
READ_ONLY: Sequence[Resource] = NEIGHBOURS
OF_ACCOUNT_ALONE = (L7_OVERRIDES_OF_ACCOUNT, CUSTOM_RULES_OF_ACCOUNT)  # for its zones
MODULES = tuple(dict.fromkeys(managed.module for managed in MANAGED))
_MANAGED_RESOURCES = tuple(managed.resource for managed in MANAGED)
_WITH_NAMES = (
    *_MANAGED_RESOURCES,
    LISTS,
    *CUSTOM_RULESETS.values(),
    items_of(""),
    *OF_ACCOUNT_ALONE,
    rules_of_ruleset(ZONE_OPTION, ""),
)
# By the name that results have.
BY_NAME: Mapping[str, Resource] = {resource.name: resource for resource in _WITH_NAMES}
BY_PLURAL: Mapping[str, Resource] = {resource.plural: resource for resource in _MANAGED_RESOURCES}
# The entry points of phases.
RULESETS = tuple(resource for resource in _MANAGED_RESOURCES if resource.is_ordered)
DDOS_OVERRIDES = tuple(managed.resource for managed in MANAGED if managed.option == "overrides")
# Rules that traffic meets, in the order of the table.
EVALUATION = tuple(managed.resource for managed in MANAGED if managed.evaluated)
DECIDING = tuple(managed.resource for managed in MANAGED if managed.decide)
_EVALUATED_PLURALS = frozenset(resource.plural for resource in EVALUATION)
_EVALUATED_IN_PHASE = {resource.phase: resource for resource in EVALUATION if resource.phase}


def is_evaluated(resource: Resource) -> bool:
    """Return whether traffic meets the rules of a resource one after the other."""
    return resource.plural in _EVALUATED_PLURALS


def evaluated_as(resource: Resource) -> Resource:
    """The resource with all rules of a phase that traffic meets, to which the rules of this
    resource belong; any other resource itself."""
    if is_evaluated(resource):
        return resource
    return _EVALUATED_IN_PHASE.get(resource.phase, resource)


def title_of_resource(name: str) -> str:
    """The title of the resource with this name; the name itself if there is none."""
    return BY_NAME[name].title if name in BY_NAME else name


def title_of_object(resource: str, key: str) -> str:
    """The title of an object that a result names, with its key; the key of a rule may name its
    ruleset, as in `rule admin of the ruleset Bots`."""
    title = title_of_resource(resource)
    noun, of_the, parent = title.partition(" of the ")
    if parent and f"{of_the}{parent} " in key:
        return f"{noun} {key}"
    return f"{title} {key}"


def title_of_operation(operation: Mapping[str, Any]) -> str:
    """The title of the object of a listed operation, with its key if it has one."""
    title, key = title_of_resource(operation["resource"]), str(operation["key"])
    return title if key == operation["resource"] else f"{title} {key}"
