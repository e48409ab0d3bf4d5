# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The modules by name. The file of a module is loaded when a task needs it, since Ansible compiles
each file in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Mapping, Sequence

from .base import RESTORED, ModuleSpec, Options

if TYPE_CHECKING:
    from .host import Host

Specs = Mapping[str, ModuleSpec]


TRAFFIC = "protection_traffic_info"
HOST_MODULE = "host"  # all that a host describes, of several modules
# By the file that has them; `rulesets` has all others.
ROOMS: Mapping[str, Sequence[str]] = {
    "account": (
        "tcp_protection_status",
        "protected_prefixes",
        "allowlist_entry",
        "allowlist",
        "protection_rule",
        "dns_protection_rule",
        "protection_filter",
        "account_protection",
    ),
    "ip_lists": ("ip_list",),
    "custom_rulesets": ("custom_ruleset",),
    "info": ("protection_info", "firewall_rules_info", "custom_rules_info"),
    "traffic": (TRAFFIC,),
    "host": (HOST_MODULE,),
    "rulesets": (),
}


def _modules_in(room: str) -> Specs:
    # Ansible packs the files that it finds in statements; one imported by its name is not there.
    if room == "account":
        from .account import ACCOUNT_SPECS as specs
    elif room == "ip_lists":
        from .ip_lists import IP_LIST_SPECS as specs
    elif room == "custom_rulesets":
        from .custom_rulesets import CUSTOM_RULESET_SPECS as specs
    elif room == "info":
        from .info import INFO_SPECS as specs
    elif room == "traffic":
        from .traffic import TRAFFIC_SPECS as specs
    elif room == "host":
        from .host import HOST_SPECS as specs
    else:
        from .rulesets import RULESET_SPECS as specs
    return specs


class _Modules(Specs):
    def __getitem__(self, module: str) -> ModuleSpec:
        for room, modules in ROOMS.items():
            if module in modules:
                return _modules_in(room)[module]
        return _modules_in("rulesets")[module]

    def __iter__(self) -> Iterator[str]:
        for room in ROOMS:
            yield from _modules_in(room)

    def __len__(self) -> int:
        return sum(1 for _module in self)


MODULE_SPECS = _Modules()


def host_spec(options: Options) -> Host:
    """The spec of a host for the owners that its options name. It is a restore if the options
    contain a snapshot.
    """
    if options.get(RESTORED):
        from .restored import RestoredHost  # loaded for restores

        return RestoredHost(options).owned(options, {})
    from .host import HOST

    return HOST.owned(options, {})


def spec_of_run(
    module_spec: ModuleSpec,
    options: Options,
    environment: Mapping[str, str],
    plurals: Sequence[str] = (),
) -> ModuleSpec:
    """The spec for one run of a module, for the owner in the options or the environment; raises
    OptionError. If `plurals` names collections, the run reads these alone.
    """
    if RESTORED in module_spec.options:
        spec: ModuleSpec = host_spec(options)
    else:
        spec = module_spec.owned(options, environment)
    if plurals:
        from .state_reader import StateReader  # loaded for roles

        return StateReader(spec.owners, plurals)
    return spec
