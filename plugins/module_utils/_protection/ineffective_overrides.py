# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Overrides of managed DDoS rules that cannot work, since earlier ones decide."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from .._expressions.expression import Expression
from .._schema.ddos_overrides import L4_OVERRIDES, is_off
from .._schema.resource import Object, Resource
from .._schema.rulesets import named_entries
from .._values.kinds import as_json
from .arriving import ARRIVING, of_text_named_by_rules
from .covering import Claim, Covering, ListObject
from .overrides import not_understood, override_expression


def override_claims(resource: Resource, objects: Sequence[Object]) -> Iterator[Claim]:
    """Claims on overrides that cannot work. For each managed rule, the first matching override that
    sets something for it decides."""
    active = [obj for obj in objects if not is_off(obj)]
    is_packet = resource is L4_OVERRIDES
    settings_before: list[SettingsByRule | None] = []
    listed: list[ListObject] = []
    for place, override in enumerate(active):
        settings = None if not_understood(override) else _set_by(override)
        before = []
        for earlier_place, earlier in enumerate(settings_before):
            if _sets_all_of(earlier, settings):
                before.append(earlier_place)
        listed.append(
            ListObject(
                resource.key_of(override),
                resource.label_of(override),
                _of_override(resource, override),
                place if settings is None else as_json(settings),
                before=before,
            )
        )
        settings_before.append(settings)
    covering = Covering(listed, packets=is_packet, truth_of_text=of_text_named_by_rules)
    does_the_same = "it has the same expression and settings as {}"
    return covering.claims(does_the_same, None if is_packet else ARRIVING)


def _of_override(resource: Resource, override: Object) -> Expression:
    """The expression of an override; `true` if it has none."""
    expression = override_expression(resource, override)
    return expression if expression.text else Expression.of("true")


SettingsByRule = Mapping[str, Any]  # of an override, by managed rule; an empty name is for all


def _set_by(override: Object) -> SettingsByRule:
    settings: dict[str, Any] = {}
    whole = {name: override[name] for name in ("action", "sensitivity") if override.get(name)}
    if whole:
        settings[""] = whole
    for kind, name, entry in named_entries(override):
        settings[f"{kind} {name}"] = entry
    return settings


def _sets_all_of(earlier: SettingsByRule | None, later: SettingsByRule | None) -> bool:
    """Return whether the `earlier` override sets something for each managed rule that the `later`
    one is about. False if one of them is None: an override that is not understood."""
    if earlier is None or later is None:
        return False
    return "" in earlier or ("" not in later and earlier.keys() >= later.keys())
