# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What single overrides of managed DDoS rules take from the protection that the rules give."""

from __future__ import annotations

from .._coverage.overrides import weakenings
from .._schema.overrides import L4_OVERRIDES, L7_OVERRIDES
from .._schema.resource import Key, State
from .verdict import HARMLESS, Named, Verdict

RESOURCES = (L4_OVERRIDES, L7_OVERRIDES)


def judge_overrides(state: State, named: Named) -> dict[tuple[str, Key], Verdict]:
    """By plural and key, what each override that is not named takes from the managed rules, if it
    is the only one beside the named ones."""
    verdicts: dict[tuple[str, Key], Verdict] = {}
    for resource in RESOURCES:
        overrides = state.get(resource.plural) or ()
        keys = named.get(resource.plural, frozenset())
        described = [obj for obj in overrides if resource.key_of(obj) in keys]
        for obj in overrides:
            key = resource.key_of(obj)
            if key not in keys:
                both = [item for item in overrides if resource.key_of(item) in {*keys, key}]
                worse = weakenings(resource, described, both)
                reason = worse[0].reason if worse else ""
                verdicts[resource.plural, key] = Verdict(True, reason) if worse else HARMLESS
    return verdicts


def weaker_overrides(before: State, after: State) -> list[tuple[str, str, str]]:
    """The overrides that let more pass before a plan than after it: resource, key and reason."""
    return [
        (resource.name, item.label, f"{item.reason}, and the baseline does not")
        for resource in RESOURCES
        for item in weakenings(
            resource, after.get(resource.plural) or (), before.get(resource.plural) or ()
        )
    ]
