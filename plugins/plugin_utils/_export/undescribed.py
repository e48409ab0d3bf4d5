# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sentences for the comments of an export: on what an account and its zone hold, and no variable of
the host describes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._schema.custom_rules import CUSTOM_RULES_OF_ACCOUNT
from ...module_utils._schema.custom_rulesets import WHOLE_RULESETS
from ...module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ...module_utils._schema.registry import MANAGED, managed_of
from ...module_utils._schema.resource import (
    ACCOUNT_OPTION,
    OWNERS,
    ZONE_OWNER,
    Object,
    Resource,
    without,
)
from ...module_utils._specs.host import option_of
from ...module_utils._specs.whole_state import whole_state
from ...module_utils._text import first_few, plural
from .._alike import without_ray
from .._baseline.service_time import ReadFailed
from .._baseline.variables import ROLE, Part, RunModule
from .host_state import HostState, read_host

PACKET_PHASES, INFO = "packet_phases", "protection_info"


class Undescribed(NamedTuple):
    """Finds what the file of a host leaves out, though its token may read it. `connection` has the
    account and the zone, and `skipped` the options that the file is not to describe."""

    connection: Mapping[str, Any]
    skipped: Sequence[str]
    run_module: RunModule

    def notes(self, host: HostState) -> list[str]:
        """A sentence on each object or collection that is left out, the same in each run."""
        return [*self._of_zone(), *_undescribed_rules_of_account(host), *self._of_packets(host)]

    def _of_zone(self) -> Iterator[str]:
        """Sentences on objects of the zone whose module manages those of the account alone. They
        are read apart, since rulesets of both may have one name."""
        resources = self._hidden_by_account()
        if not resources:
            return
        try:
            zone = read_host(resources, self.connection, self.run_module)
        except ReadFailed as exc:
            titles = first_few(resource.titles for resource in resources)
            yield f"The {titles} of the zone are not known: {without_ray(str(exc))}"
            return
        whole = whole_state(zone.objects)
        for resource in resources:
            for obj in whole.get(resource.plural, ()):
                yield (
                    f"The {resource.title_of(obj)} of the zone{_details(obj)} is left out: a host"
                    f" with an account manages the {resource.titles} of the account. To manage it,"
                    " make the zone a host of its own."
                )

    def _hidden_by_account(self) -> list[Resource]:
        owners = [
            name for name, owner in OWNERS.items() if any(map(self.connection.get, owner.options))
        ]
        described = managed_of(owners)
        return [
            managed.resource
            for managed in MANAGED
            if managed.resource.owner in owners
            and managed not in described
            and option_of(managed) not in self.skipped
        ]

    def _of_packets(self, host: HostState) -> Iterator[str]:
        """Sentences on rules beside the Network Firewall, for which its permission suffices."""
        if NETWORK_FIREWALL_RULES.plural not in host.objects:
            return
        options = {
            **without(self.connection, *ZONE_OWNER.options),
            "gather_subset": [PACKET_PHASES],
        }
        result = self.run_module(Part(INFO, options, ROLE), False)
        if result.get("failed"):
            reason = without_ray(str(result["msg"]))
            yield f"Rules beside those of the Network Firewall are not known: {reason}"
            return
        for phase in result[PACKET_PHASES]:
            if phase["rules"]:
                titles = f"{phase['title']} ({phase['rules']}, phase {phase['phase']})"
                yield f"Left out, since no role or module manages them: {titles}."


def _details(ruleset: Object) -> str:
    """The number of rules of a whole ruleset, and the rule that deploys it, in brackets."""
    count = plural(len(ruleset.get("rules") or ()), "rule", "rules")
    deployment = ruleset.get("deploy")
    deployed = f", deployed by the custom rule {deployment['ref']}" if deployment else ""
    return f" ({count}{deployed})"


def _undescribed_rules_of_account(host: HostState) -> Iterator[str]:
    """A sentence on the custom rules of the account that deploy none of its described rulesets."""
    rules = host.objects.get(CUSTOM_RULES_OF_ACCOUNT.plural, ())
    rulesets = whole_state(host.objects).get(WHOLE_RULESETS[ACCOUNT_OPTION].plural, ())
    deploying = {ruleset["deploy"]["ref"] for ruleset in rulesets if ruleset.get("deploy")}
    left_out = [rule for rule in rules if rule.get("ref") not in deploying]
    if left_out:
        labels = first_few(map(CUSTOM_RULES_OF_ACCOUNT.label_of, left_out))
        titles = plural(
            len(left_out), CUSTOM_RULES_OF_ACCOUNT.title, CUSTOM_RULES_OF_ACCOUNT.titles
        )
        yield (
            f"Left out, since of the custom rules of an account the role manages those alone that"
            f" deploy one of its rulesets by themselves: {titles} ({labels})."
        )
