# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the role baseline, and what they make of a host: the modules to run, with their
options.

The role's variables are named after the options of the modules; the few that are not stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ...module_utils._api.settings import Settings, parse_settings, shared_options
from ...module_utils._arguments import Arguments, read_options
from ...module_utils._context import CREATION, DELETION, Context
from ...module_utils._errors import OptionError, as_one
from ...module_utils._guard.risks.base import codes_of
from ...module_utils._protection.expectation import FIREWALL as FIREWALL_PACKET
from ...module_utils._protection.expectation import NAME, OF_FIREWALL, PACKET, REQUEST
from ...module_utils._schema.registry import MANAGED, MODULES, Managed
from ...module_utils._schema.resource import (
    ACCOUNT_OWNER,
    OWNER_OPTIONS,
    OWNERS,
    ZONE_OPTION,
    ZONE_OWNER,
)
from ...module_utils._specs.base import argument_spec
from ...module_utils._specs.registry import MODULE_SPECS
from ...module_utils._text import Names, Warn, first_few, with_names
from .approval import EXPECTED_PLAN

PREFIX = "baseline_"
RESULT = "baseline_result"  # what the role registers
SOURCE = "baseline_source"  # what an export says of itself
SNAPSHOT = "baseline_snapshot"  # the state in a snapshot, as Cloudflare has it
REPORT = "baseline_report"  # what a report registers for each host
ACCOUNT, FIREWALL, CUSTOM = "account_protection", "firewall_rules", "custom_rules"
NETWORK_FIREWALL = "network_firewall_rules"
IP_LISTS, CUSTOM_RULESETS = "ip_lists", "custom_rulesets"
ROLE = Context(is_role=True)
OF_SEVERAL_MODULES = ("state", "ignore", "validate")  # options of several modules
EXPECTATIONS = f"{PREFIX}{NAME}"
ACCEPT_RISKS = f"{PREFIX}accept_risks"
SNAPSHOT_DIRECTORY = "baseline_snapshot_directory"  # likewise
SNAPSHOT_KEEP = "baseline_snapshot_keep"  # likewise
POSTURES, POSTURE = f"{PREFIX}postures", f"{PREFIX}posture"  # likewise

# The variables of the inventory that count where those of the role are not set, or empty.
INVENTORY: Mapping[str, str] = {
    f"{PREFIX}{option}": f"edge_{option}"
    for option in (*OWNER_OPTIONS, "api_token", "api_email", "api_key", "base_url")
}


@dataclass(frozen=True)
class Part:
    """One module to run for a host, with its options and the role's knowledge of the host; options
    that the host does not have are left out."""

    module: str
    options: dict[str, Any]
    context: Context = ROLE

    @property
    def name(self) -> str:
        """The name of the part in results and plans."""
        return f"{self.module}_{DELETION}" if self.deletes else self.module

    @property
    def names(self) -> Names:
        """The variables that fill the options."""
        return self.context.names

    @property
    def deletes(self) -> bool:
        """Return whether the part deletes lists, once no rule refers to them."""
        return self.context.step == DELETION


Brought = Mapping[str, Mapping[str, str]]  # by variable, and within it by entry such as [2]
RunModule = Callable[[Part, bool], dict[str, Any]]  # the result of a part, in check mode or not
TakeSnapshot = Callable[[], str]  # the path of the snapshot; raises OSError and ValueError


def variable_of(item: Managed) -> str:
    """The variable that describes a resource."""
    return f"{PREFIX}{item.option if item.module == ACCOUNT else item.module}"


# By the plural of the resource.
VARIABLE_OF = {item.resource.plural: variable_of(item) for item in MANAGED}
SPEC_OF = {module: argument_spec(MODULE_SPECS[module]) for module in MODULES}


def _variables_of(module: str) -> dict[str, str]:
    """The variable for each option of a module: several modules have a list of rules."""
    options = [option for option in SPEC_OF[module] if option != "expected_plan"]
    own = {item.option: variable_of(item) for item in MANAGED if item.module == module}
    if module != ACCOUNT:
        own.update({option: f"{PREFIX}{module}_{option}" for option in OF_SEVERAL_MODULES})
    return {option: own.get(option, f"{PREFIX}{option}") for option in options}


OPTIONS: Mapping[str, Mapping[str, str]] = {module: _variables_of(module) for module in MODULES}
_FILLED: Arguments = {
    OPTIONS[module][name]: SPEC_OF[module][name] for module in OPTIONS for name in OPTIONS[module]
}
# The values that a posture takes; rules that come and go within a ruleset have no expiry.
OF_A_POSTURE: Arguments = {
    name.removeprefix(PREFIX): {**_FILLED[name], "required": False}
    for name in (*VARIABLE_OF.values(), ACCEPT_RISKS, EXPECTATIONS)
    if name != f"{PREFIX}{CUSTOM_RULESETS}"
}
# The argument of each variable of the role, which is that of the option it fills.
BASELINE: Arguments = {
    **_FILLED,
    POSTURES: {"type": "dict"},
    POSTURE: {"type": "dict"},
    EXPECTED_PLAN: {"type": "raw"},
    SNAPSHOT_DIRECTORY: {"type": "str"},
    SNAPSHOT_KEEP: {"type": "int"},
}
# With the variables of the inventory, which fill those of the role.
OF_KNOWN_ZONE = ("edge_zone_plan", "edge_zone_account_id")
OF_HOST: Arguments = {
    **BASELINE,
    **{theirs: BASELINE[ours] for ours, theirs in INVENTORY.items()},
    **{name: {"type": "str"} for name in OF_KNOWN_ZONE},
}


def without_omitted(value: Any, omitted: Any) -> Any:
    """A value without what is `omitted`, however deep; before ansible-core 2.19 it is a text that
    templates keep."""
    if not isinstance(omitted, str):
        return value
    if isinstance(value, Mapping):
        return {
            name: without_omitted(item, omitted) for name, item in value.items() if item != omitted
        }
    if isinstance(value, list):
        return [without_omitted(item, omitted) for item in value if item != omitted]
    return value


def parts_of(host: str, variables: Mapping[str, Any], brought: Brought | None = None) -> list[Part]:
    """The modules that a host needs, in their order; raises ValueError with a sentence for each
    thing that lacks.

    `variables` holds values of `OF_HOST`, without templates. None and, of ids, credentials and
    addresses, an empty text count as not set. `brought` are the variables of postures that fill
    others, or entries of them.
    """
    values, names = _with_inventory(variables)
    _check(host, values)
    for module, kind in ((CUSTOM, REQUEST), (NETWORK_FIREWALL, FIREWALL_PACKET)):
        if _expects(values, kind) and names_owner(values, MODULE_SPECS[module].owner):
            values.setdefault(f"{PREFIX}{module}", [])
    modules = [module for module in MODULES if _needs(values, module)]
    zone = _known_zone(values, names)
    parts = []
    for module in modules:
        others = [other for other in modules if other != module]
        codes = (code for other in others for code in codes_of(MODULE_SPECS[other].risks))
        own = _brought(module, brought or {})
        context = ROLE._replace(
            names={**_names_of(module, names), **own},
            posture=[name for name, path in own.items() if path.startswith(POSTURE)],
            elsewhere=list(dict.fromkeys(codes)),
            modules=others,
            zone_id=values.get(f"{PREFIX}zone_id", "") if module == IP_LISTS else "",
            zone=zone if MODULE_SPECS[module].owner == ZONE_OPTION else {},
        )
        parts.append(Part(module, _options_of(module, values), context))
    return _deleting_lists_last(parts)


def _brought(module: str, brought: Brought) -> dict[str, str]:
    """The variables of postures for the options of a module, and for entries of them."""
    return {
        f"{option}{entry}": path
        for option, variable in OPTIONS[module].items()
        for entry, path in brought.get(variable, {}).items()
    }


def _known_zone(values: Mapping[str, Any], names: Mapping[str, str]) -> Mapping[str, Any]:
    """The zone of a host as far as the inventory knows it, in the shape of the API."""
    if not any(f"{PREFIX}{option}" in names for option in ZONE_OWNER.options):
        return {}
    name, plan, account = (values.get(name) for name in ("edge_zone_name", *OF_KNOWN_ZONE))
    of_account = {"account": {"id": account}} if account else {}
    named = {"name": name} if name else {}
    return {**named, "plan": {"legacy_id": plan}, **of_account} if plan else {}


def _needs(values: Mapping[str, Any], module: str) -> bool:
    """Return whether the variables of a host describe what a module writes; an account always
    is."""
    value = values.get(f"{PREFIX}{module}")
    is_described = module == ACCOUNT or (value is not None and (value != [] or module != FIREWALL))
    return is_described and any(names_owner(values, owner) for owner in owners_of(module))


@lru_cache(maxsize=None)
def owners_of(module: str) -> Sequence[str]:
    """The options that name the owner of the objects that a module writes; the first one that a
    host has counts."""
    owners = [item.resource.owner for item in MANAGED if item.module == module]
    return tuple(dict.fromkeys(owners or [MODULE_SPECS[module].owner]))


def resources_of(part: Part) -> list[Managed]:
    """The resources that a part writes."""
    named = [item for item in owners_of(part.module) if {*OWNERS[item].options} & {*part.options}]
    return [
        item for item in MANAGED if item.module == part.module and item.resource.owner in named[:1]
    ]


def _deleting_lists_last(parts: Sequence[Part]) -> list[Part]:
    """The parts; lists are made before the rules that refer to them, and deleted after."""
    lists = next((part for part in parts if part.module == IP_LISTS), None)
    state = lists.options.get("state", "present") if lists else "present"
    if lists is None or state not in ("absent", "exact"):
        return list(parts)
    others = [part for part in parts if part is not lists]
    creation, deletion = (
        replace(lists, context=lists.context._replace(step=step)) for step in (CREATION, DELETION)
    )
    return [*([creation] if state == "exact" else []), *others, deletion]


def connection_options(part: Part) -> dict[str, Any]:
    """The options of a part that say which account or zone it is about, and how to reach it."""
    shared = _connection_spec(part)
    return {option: value for option, value in part.options.items() if option in shared}


def _connection_spec(part: Part) -> Arguments:
    return shared_options(MODULE_SPECS[part.module].owner, lambda *names: None)


# The variables that say which account and zone a host is, and how to reach them.
OF_CONNECTION = (
    *connection_options(Part(ACCOUNT, dict(OPTIONS[ACCOUNT]))).values(),
    *connection_options(Part(CUSTOM, dict(OPTIONS[CUSTOM]))).values(),
    *INVENTORY.values(),
)


def parts_to_read(host: str, values: Mapping[str, Any]) -> list[Part]:
    """The account and the zone of a host, with the options to reach them; raises ValueError for a
    host that has neither, or no credentials."""
    return parts_of(host, {**values, OPTIONS[CUSTOM]["rules"]: []})


def settings_of(part: Part, retries: int, warn: Warn) -> Settings:
    """The checked options to reach the account or the zone of a part; raises ValueError with the
    names of the variables."""
    options = read_options(_connection_spec(part), connection_options(part))
    try:
        if options.errors:
            raise as_one(options.errors)
        owner = MODULE_SPECS[part.module].owner
        return parse_settings({**options, "retries": retries}, owner, {}, warn)
    except OptionError as exc:
        raise ValueError(with_names(exc.message, part.names)) from exc


def with_plans(parts: Iterable[Part], plans: Mapping[str, str]) -> list[Part]:
    """The parts that may only apply these plans, by module; a module without one may change
    nothing."""
    return [
        replace(part, options={**part.options, "expected_plan": plans.get(part.name, "")})
        for part in parts
    ]


def _options_of(module: str, values: Mapping[str, Any]) -> dict[str, Any]:
    has_account = names_owner(values, ACCOUNT_OWNER.option)
    return {
        option: values[variable]
        for option, variable in OPTIONS[module].items()
        if variable in values
        and (module, option) != (ACCOUNT, "zone_name")
        and not (module == CUSTOM_RULESETS and option in ZONE_OWNER.options and has_account)
    }


def _names_of(module: str, filled: Mapping[str, str]) -> Names:
    """The variable for each option of a module: that of the inventory if it fills the role's."""
    variables = {**OPTIONS[module], "expected_plan": EXPECTED_PLAN}
    return {option: filled.get(variable, variable) for option, variable in variables.items()}


def _with_inventory(variables: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of the role's variables, and the names of those that the inventory's variables
    fill.

    A zone is named once: by the role's variables rather than the inventory's, by its id rather than
    its name.
    """
    values = {
        name: value
        for name, value in variables.items()
        if value is not None and not (value == "" and name in (*INVENTORY, *INVENTORY.values()))
    }
    is_named = any(f"{PREFIX}{option}" in values for option in ZONE_OWNER.options)
    zone = next((name for name in ("edge_zone_id", "edge_zone_name") if name in values), None)
    names = {
        ours: theirs
        for ours, theirs in INVENTORY.items()
        if ours not in values
        and theirs in values
        and not ("zone" in ours and (is_named or theirs != zone))
    }
    return {**values, **{ours: values[theirs] for ours, theirs in names.items()}}, names


def _expects(values: Mapping[str, Any], kind: str) -> bool:
    """Return whether the variables expect something of a request, of a packet, or of one in the
    Network Firewall."""
    entries = values.get(EXPECTATIONS) or ()
    return any(
        isinstance(entry, Mapping)
        and (
            entry.get(PACKET) and str(entry.get("expect")) in OF_FIREWALL
            if kind == FIREWALL_PACKET
            else entry.get(kind)
        )
        for entry in entries
    )


def names_owner(values: Mapping[str, Any], owner: str) -> bool:
    """Return whether a host has an account, or a zone, by its variables or the inventory's."""
    names = (f"{prefix}{name}" for name in OWNERS[owner].options for prefix in (PREFIX, "edge_"))
    return any(values.get(name) for name in names)


def _check(host: str, values: Mapping[str, Any]) -> None:
    """Raise ValueError where a host lacks what its variables need."""
    lacking = [owner for option, owner in OWNERS.items() if not names_owner(values, option)]
    problems = []
    if len(lacking) == len(OWNERS):
        problems.append(f"{host} is neither an account nor a zone: set {_ways(*OWNER_OPTIONS)}.")
    for owner in lacking if not problems else ():
        described = _variables_about(values, owner.option)
        if described:
            names, ways = " and ".join(described), _ways(*owner.options)
            problems.append(f"{host} has {names}, but no {owner.title}: set {ways}.")
    for owner in lacking:
        kind = PACKET if owner is ACCOUNT_OWNER else REQUEST
        if _expects(values, kind):
            problems.append(
                f"{host} has {EXPECTATIONS} of a {kind}, but no {owner.title} to check it on."
            )
    if f"{PREFIX}api_token" not in values and not (
        f"{PREFIX}api_email" in values and f"{PREFIX}api_key" in values
    ):
        by_key = f"{_ways('api_email')} with {_ways('api_key')}"
        problems.append(f"{host} lacks credentials: set {_ways('api_token')}, or {by_key}.")
    if problems:
        raise ValueError(" ".join(problems))


def _variables_about(values: Mapping[str, Any], owner: str) -> list[str]:
    """The variables that describe something of an owner. Rules of an account are not among them,
    since the role has a default for them."""
    names = [
        variable_of(item)
        for item in MANAGED
        if owners_of(item.module) == (owner,) and (item.module, item.option) != (ACCOUNT, "rules")
    ]
    return [name for name in dict.fromkeys(names) if values.get(name) not in (None, [])]


def _ways(*options: str) -> str:
    """The ways in which an inventory sets one of these options."""
    ways = [f"{INVENTORY[f'{PREFIX}{name}']} ({PREFIX}{name})" for name in options]
    return ", or ".join(filter(None, [", ".join(ways[:-1]), ways[-1]]))


def one_owner(hosts: Sequence[str], variable: str, value: str) -> str:
    """A sentence on hosts that are one account or one zone."""
    are_two = len(hosts) == 2
    named = " and ".join(hosts) if are_two else first_few(hosts)
    all_, others = ("both", "the other") if are_two else ("all", "the others")
    return (
        f"{named} are one: {all_} have {variable} {value}, so that each run of one undoes that of"
        f" {others}. Correct it, or make one host of them."
    )
