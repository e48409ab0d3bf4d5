# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the role baseline, and what they make of a host: one module to run, with its
options.

The role's variables are named after the options of the host; the few that are not stand here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ansible.module_utils.common.parameters import env_fallback

from ...module_utils._api.settings import Settings, parse_settings, shared_options
from ...module_utils._arguments import Arguments, read_options
from ...module_utils._context import Context, HostOfInventory, PosturesOfHost
from ...module_utils._errors import OptionError
from ...module_utils._guard.acceptance import Acceptance, parse_acceptances
from ...module_utils._guard.risks.registry import CODES
from ...module_utils._protection.expectation import NAME, PACKET, REQUEST, kinds_expected
from ...module_utils._schema.registry import MANAGED, Managed
from ...module_utils._schema.resource import ACCOUNT_OWNER, OWNER_OPTIONS, OWNERS, ZONE_OWNER
from ...module_utils._specs.base import ONLY, PLAN_OPTIONS, argument_spec, purged
from ...module_utils._specs.host import EXCLUSIVE, HOST_SPECS, INTERNAL, option_of
from ...module_utils._specs.registry import host_spec
from ...module_utils._text import Names, Option, Warn, first_few
from .._variables import CONTACTS, FLEET, Mistakes, misspelt_errors, no_such_variable
from .approval import EXPECTED_PLAN
from .watch_terms import VARIABLE as WATCH
from .watch_terms import WATCH_OPTIONS

PREFIX = "baseline_"
RESULT = "baseline_result"  # what the role registers
SOURCE = "baseline_source"  # what an export says of itself
SNAPSHOT = "baseline_snapshot"  # the state in a snapshot, as Cloudflare has it
REPORT = "baseline_report"  # what a report registers for each host
ROLE = Context(is_role=True)
EXPECTATIONS = f"{PREFIX}{NAME}"
ONLY_VARIABLE = f"{PREFIX}{ONLY}"
PURGE, LIMITS = f"{PREFIX}purge", f"{PREFIX}limits"
ACCEPT_RISKS = f"{PREFIX}accept_risks"
SNAPSHOT_DIRECTORY = "baseline_snapshot_directory"  # likewise
SNAPSHOTS = "snapshots"  # of a host that has no other directory of them
SNAPSHOT_KEEP = "baseline_snapshot_keep"  # likewise
EACH_HOST = f"{PREFIX}each_host"  # of the playbook
POSTURES, POSTURE = f"{PREFIX}postures", f"{PREFIX}posture"  # likewise
POSTURES_FILE = f"{PREFIX}postures_file"  # likewise
CONFIRMED = f"{PREFIX}confirmed"  # the plan_id of a watched change

ZONE_VARIABLES = ("edge_zone_id", "edge_zone_name")
# The variables of the inventory that count where those of the role are not set, or empty.
INVENTORY: Mapping[str, str] = {
    f"{PREFIX}{option}": f"edge_{option}"
    for option in (*OWNER_OPTIONS, "api_token", "api_email", "api_key", "base_url")
}


# By options, and entries of them such as `rules[2]`: the places in postures that fill them.
Brought = Mapping[str, Option]
NOTHING_BROUGHT: Brought = MappingProxyType({})


@dataclass(frozen=True)
class Part:
    """A module call for a host: the module, the options that the host has, and what the role
    knows about the host."""

    module: str
    options: dict[str, Any]
    context: Context = ROLE

    @property
    def names(self) -> Names:
        """The variables that fill the options."""
        return self.context.names

    def named(self, names: Names) -> Part:
        """The same part, with other variables for some options."""
        return replace(self, context=self.context._replace(names={**self.names, **names}))


RunModule = Callable[[Part, bool], dict[str, Any]]  # the result of a part, in check mode or not
# The path of the snapshot, by the prediction of the run; raises OSError and ValueError.
TakeSnapshot = Callable[[Mapping[str, Any]], str]


def variable_of(managed: Managed) -> str:
    """The variable that describes a resource."""
    return f"{PREFIX}{option_of(managed)}"


# By the plural of the resource.
VARIABLE_OF = {managed.resource.plural: variable_of(managed) for managed in MANAGED}
OWNERS_OF: dict[str, set[str]] = {}  # of the objects that a variable describes
for _managed in MANAGED:
    OWNERS_OF.setdefault(variable_of(_managed), set()).add(_managed.resource.owner)
((HOST_MODULE, HOST_SPEC),) = HOST_SPECS.items()
OPTIONS = argument_spec(HOST_SPEC)
CONNECTION_OPTIONS = shared_options(HOST_SPEC.owner, env_fallback)
_FILLED: Arguments = {
    f"{PREFIX}{name}": argument
    for name, argument in OPTIONS.items()
    if name not in (*INTERNAL, *PLAN_OPTIONS)
}
# The values that a posture takes; rules that come and go within a ruleset have no expiry.
OF_A_POSTURE: Arguments = {
    name.removeprefix(PREFIX): _FILLED[name]
    for name in (*VARIABLE_OF.values(), ACCEPT_RISKS, EXPECTATIONS)
    if name != f"{PREFIX}custom_rulesets"
}
# The argument of each variable of the role, which is that of the option it fills.
BASELINE: Arguments = {
    **_FILLED,
    POSTURES: {"type": "dict"},
    POSTURE: {"type": "raw"},
    POSTURES_FILE: {"type": "str"},
    EXPECTED_PLAN: {"type": "raw"},
    SNAPSHOT_DIRECTORY: {"type": "str"},
    SNAPSHOT_KEEP: {"type": "int"},
    EACH_HOST: {"type": "bool"},
    WATCH: {"type": "dict", "options": WATCH_OPTIONS},
    CONFIRMED: {"type": "str"},
}
KNOWN = frozenset([*BASELINE, RESULT, FLEET, SOURCE, SNAPSHOT, REPORT])
OLD_NAMES = {
    **{f"{PREFIX}{name}_state": f"{PURGE}: [{name}]" for name in EXCLUSIVE},
    **{f"{PREFIX}{name}": f"{LIMITS}: {{{name}: ...}}" for name in BASELINE[LIMITS]["options"]},
}
# With the variables of the inventory, which fill those of the role.
OF_KNOWN_ZONE = ("edge_zone_plan", "edge_zone_account_id", "edge_zone_status", "edge_zone_paused")
INVENTORY_VARIABLES = (
    *INVENTORY.values(),
    *CONTACTS.values(),
    *OF_KNOWN_ZONE,
    "edge_account_name",
    "edge_account_type",
    "edge_zone_account",
)
TARGET = "target"  # of every playbook: the group of its hosts
OF_HOST: Arguments = {
    **BASELINE,
    **{theirs: BASELINE[ours] for ours, theirs in INVENTORY.items()},
    **{name: {"type": "str"} for name in OF_KNOWN_ZONE},
    "edge_zone_paused": {"type": "bool"},
    SOURCE: {"type": "dict"},
}
# The variables that say which account and zone a host is, and how to reach them.
OF_CONNECTION: Arguments = {
    name: OF_HOST[name]
    for name in (*(f"{PREFIX}{name}" for name in CONNECTION_OPTIONS), *INVENTORY.values())
}


def without_omitted(value: Any, omitted: Any) -> Any:
    """A value without Ansible's `omit` marker, at any depth; before ansible-core 2.19 the marker
    is a text that survives templates."""
    if not isinstance(omitted, str):
        return value
    if isinstance(value, Mapping):
        return {
            name: without_omitted(content, omitted)
            for name, content in value.items()
            if content != omitted
        }
    if isinstance(value, list):
        return [without_omitted(content, omitted) for content in value if content != omitted]
    return value


def host_part(host: str, variables: Mapping[str, Any], brought: Brought = NOTHING_BROUGHT) -> Part:
    """All that the variables of a host describe, as a module call; raises ValueError with a
    sentence for each missing variable."""
    require_complete(host, variables)
    return part_of(variables, brought)


def part_of(variables: Mapping[str, Any], brought: Brought = NOTHING_BROUGHT) -> Part:
    """All that the variables of a host describe, as a module call, even if variables are
    missing. `variables` holds values of `OF_HOST`, with templates rendered. None counts as not
    set, and so does an empty text for ids, credentials and addresses."""
    values, filled = _with_inventory(variables)
    names = {name: filled.get(f"{PREFIX}{name}", f"{PREFIX}{name}") for name in OPTIONS}
    entries = [name for name, place in brought.items() if place.path[0] != ACCEPT_RISKS]
    names.update({name: str(place) for name, place in brought.items()})
    host = HostOfInventory(zone=_zone_of_inventory(values, filled))
    context = ROLE._replace(names=names, postures=PosturesOfHost(entries), host=host)
    options = {
        name: values[f"{PREFIX}{name}"]
        for name in OPTIONS
        if f"{PREFIX}{name}" in values and name not in PLAN_OPTIONS
    }
    return Part(HOST_MODULE, options, context)


def wrong_names(variables: Mapping[str, Any]) -> list[OptionError]:
    """The variables of a host without effect that seem to be meant for this collection: those
    that are unknown to the role baseline, the inventory and the playbooks, and collections in
    the purge that no variable describes."""
    return [*_errors_of_unknown_variables(frozenset(variables)), *_purged_in_vain(variables)]


@lru_cache(maxsize=256)  # most hosts have the same
def misspelt_names(names: Set[str]) -> list[OptionError]:
    """The variables of a host whose names differ from a variable of the role by a slip or two."""
    return misspelt_errors(names - KNOWN, BASELINE)


@lru_cache(maxsize=256)  # likewise
def _errors_of_unknown_variables(names: Set[str]) -> list[OptionError]:
    unknown = names - KNOWN
    of_role = {name for name in unknown if name.startswith(PREFIX)}
    old = sorted(of_role & OLD_NAMES.keys())
    never_known = sorted(of_role - OLD_NAMES.keys())
    declared = (*BASELINE, *INVENTORY_VARIABLES, TARGET)
    return [
        *(OptionError(Option(name), f"write {OLD_NAMES[name]}") for name in old),
        *(no_such_variable(name, BASELINE) for name in never_known),
        *misspelt_errors(unknown - of_role, declared),
    ]


def with_own_purge(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of a host, with a purge that lists the collections described by its own
    variables; a wrong purge stays as it is."""
    options = read_options({PURGE: BASELINE[PURGE]}, {PURGE: values.get(PURGE)})
    if options.errors:
        return values
    collections = purged(options[PURGE], EXCLUSIVE)
    return {**values, PURGE: [name for name in collections if _has(values, name)]}


def acceptances_in(value: Any) -> list[Any]:
    """The accepted risks in a value, which may be a text with commas, as Ansible takes lists."""
    return value.split(",") if isinstance(value, str) else [*(value or ())]


def read_acceptances(option: Option, value: Any) -> Sequence[Acceptance]:
    """The accepted risks in a value of this option; raises OptionError for malformed ones."""
    return parse_acceptances(option, acceptances_in(value), CODES)


def _purged_in_vain(values: Mapping[str, Any]) -> list[OptionError]:
    """An error for each collection in the purge of a host that no variable describes."""
    purge = values.get(PURGE)
    names = [name for name in EXCLUSIVE if isinstance(purge, list) and name in purge]
    errors = []
    for name in names:
        if not _has(values, name):
            problem = f"it names {name}, and {PREFIX}{name} is not set; nothing of it is removed"
            errors.append(OptionError(Option(PURGE), problem))
    return errors


def _has(values: Mapping[str, Any], name: str) -> bool:
    return values.get(f"{PREFIX}{name}") is not None


def described_by(part: Part) -> list[Managed]:
    """The resources that the options of a host describe."""
    options = {**dict.fromkeys(OPTIONS), **part.options}
    return host_spec(options).described


def _zone_of_inventory(values: Mapping[str, Any], names: Mapping[str, str]) -> Mapping[str, Any]:
    """The zone of a host as far as the inventory knows it, in the shape of the API."""
    if not any(f"{PREFIX}{option}" in names for option in ZONE_OWNER.options):
        return {}
    plan, account, status, paused = (values.get(name) for name in OF_KNOWN_ZONE)
    zone: dict[str, Any] = {}
    if plan:
        zone["plan"] = {"legacy_id": plan}
    if account:
        zone["account"] = {"id": account}
    name = values.get("edge_zone_name")
    for field, value in (("name", name), ("status", status), ("paused", paused)):
        if value:
            zone[field] = value
    return zone


def connection_options(part: Part, owner: str = "") -> dict[str, Any]:
    """The options of a part that name the account or zone and say how to reach it; with an
    owner, only those that a module for this owner alone accepts."""
    arguments = shared_options(owner, env_fallback) if owner else CONNECTION_OPTIONS
    return {option: value for option, value in part.options.items() if option in arguments}


def settings_of(part: Part, owner: str, retries: int, warn: Warn) -> Settings:
    """The settings to reach the account or the zone of a host whose variables are valid."""
    options = read_options(CONNECTION_OPTIONS, connection_options(part))
    return parse_settings({**options, "retries": retries}, [owner], {}, warn)


def _with_inventory(variables: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of the role's variables, completed by the inventory's variables, and the names
    of the inventory's variables that were used. Of the ways to name a zone only one is kept: the
    role's variables before the inventory's, the id before the name."""
    names_of_inventory = {*INVENTORY.keys(), *INVENTORY.values()}
    may_be_empty = variables.keys() - names_of_inventory
    values = {
        name: value
        for name, value in variables.items()
        if value is not None and (value != "" or name in may_be_empty)
    }
    names_zone = any(f"{PREFIX}{option}" in values for option in ZONE_OWNER.options)
    zone_variables = [name for name in ZONE_VARIABLES if name in values]
    unused = set(ZONE_VARIABLES if names_zone else zone_variables[1:])
    names = {
        role_name: inventory_name
        for role_name, inventory_name in INVENTORY.items()
        if role_name not in values and inventory_name in values and inventory_name not in unused
    }
    filled = {role_name: values[inventory_name] for role_name, inventory_name in names.items()}
    return {**values, **filled}, names


def names_owner(values: Mapping[str, Any], owner_option: str) -> bool:
    """Return whether the variables of a host, or those of the inventory, name the owner that has
    this option, such as `zone_id`."""
    variables: list[str] = []
    for name in OWNERS[owner_option].options:
        variables += [f"{PREFIX}{name}", f"edge_{name}"]
    return any(values.get(variable) for variable in variables)


def stand_ins(variables: Mapping[str, Any]) -> dict[str, str]:
    """An id for each owner that a host lacks, and credentials if it has none, so that the other
    variables can be checked."""
    ids = {
        f"{PREFIX}{owner}": f"{number:f>32x}"
        for number, owner in enumerate(OWNERS)
        if not names_owner(variables, owner)
    }
    return ids if _has_credentials(variables) else {**ids, f"{PREFIX}api_token": "x" * 40}


def _has_credentials(variables: Mapping[str, Any]) -> bool:
    values, _names = _with_inventory(variables)
    by_key = (f"{PREFIX}api_email", f"{PREFIX}api_key")
    return f"{PREFIX}api_token" in values or all(name in values for name in by_key)


def require_complete(host: str, variables: Mapping[str, Any]) -> None:
    """Raise Mistakes if a host lacks variables that its other variables need."""
    values, _names = _with_inventory(variables)
    lacking = [owner for option, owner in OWNERS.items() if not names_owner(values, option)]
    problems: list[str] = []
    if len(lacking) == len(OWNERS):
        problems.append(f"{host} is neither an account nor a zone: set {_ways(*OWNER_OPTIONS)}")
    for owner in lacking if not problems else ():
        described = _variables_about(values, owner.option)
        if described:
            names, ways = " and ".join(described), _ways(*owner.options)
            problems.append(f"{host} has {names}, but no {owner.title}: set {ways}")
    for owner in lacking:
        kind = PACKET if owner is ACCOUNT_OWNER else REQUEST
        if kind in kinds_expected(values.get(EXPECTATIONS)):
            problems.append(
                f"{host} has {EXPECTATIONS} of a {kind}, but no {owner.title} to check it on"
            )
    if not _has_credentials(variables):
        by_key = f"{_ways('api_email')} with {_ways('api_key')}"
        problems.append(f"{host} lacks credentials: set {_ways('api_token')}, or {by_key}")
    if problems:
        raise Mistakes(OptionError(Option(), problem) for problem in problems)


def _variables_about(values: Mapping[str, Any], owner_option: str) -> list[str]:
    """The variables in `values` that describe objects of this owner alone; it is given by its
    option, such as `zone_id`."""
    variables = [name for name, owners in OWNERS_OF.items() if owners == {owner_option}]
    with_default = f"{PREFIX}rules"  # in the role
    return [
        name for name in variables if name != with_default and values.get(name) not in (None, [])
    ]


def _ways(*options: str) -> str:
    """The ways in which an inventory sets one of these options."""
    ways = [f"{INVENTORY[f'{PREFIX}{name}']} ({PREFIX}{name})" for name in options]
    return ", or ".join(filter(None, [", ".join(ways[:-1]), ways[-1]]))


def wrong_owner_in_words(kind: str, file_id: str, host: str, host_id: str) -> str:
    """The words for a file that belongs to another account or zone than the host."""
    return (
        f"is of another {kind}: that of the file is {file_id or 'not named'},"
        f" and that of {host} is {host_id}"
    )


def wrong_source(host: str, values: Mapping[str, Any], groups: Sequence[str]) -> list[OptionError]:
    """The errors of variables that an export of another account or zone wrote, or one that shares
    the file of a group which is none of the `groups` of the host."""
    source = values.get(SOURCE) or {}
    options = part_of(values).options if source else {}
    errors = []
    for name in OWNERS:
        file_id, host_id = source.get(name), options.get(name)
        if file_id and host_id and str(file_id).lower() != str(host_id).lower():
            problem = wrong_owner_in_words(name[:-3], file_id, host, host_id)
            advice = "take the export of this host, or, if the variables are meant for it, delete"
            text = f"the export {problem}; {advice} {SOURCE}"
            errors.append(OptionError(Option(SOURCE, name), text))
    group = source.get("group")
    if group and group not in groups:
        text = (
            f"the export leaves out what the hosts of the group {group} have in common, and {host}"
            " is not in it; put it back, or export it again"
        )
        errors.append(OptionError(Option(SOURCE, "group"), text))
    return errors


def check_keep(keep: object) -> int | None:
    """The number of snapshots to keep for a host, None for all; raises Mistakes."""
    if keep in (None, ""):
        return None
    number = int(str(keep))
    if number < 1:
        problem = f"{number} is less than 1; leave it out to keep all snapshots"
        raise Mistakes([OptionError(Option(SNAPSHOT_KEEP), problem)])
    return number


def one_owner(hosts: Sequence[str], variable: str, value: str) -> str:
    """A sentence that says that several hosts are one account or one zone."""
    if len(hosts) == 2:
        names, subject, object_ = " and ".join(hosts), "both", "the other"
    else:
        names, subject, object_ = first_few(hosts), "all", "the others"
    return (
        f"{names} are one: {subject} have {variable} {value}, so that each run of one undoes that"
        f" of {object_}. Correct it, or make one host of them."
    )
