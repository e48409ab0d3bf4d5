# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A sample of each resource of the registry: an object that exists, the same with a change, and another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import PREFIX, VARIABLE_OF

Values = Mapping[str, Any]
TEXTS: Mapping[str, Mapping[str, Values]] = yaml.safe_load(
    Path(__file__).with_name("resource_samples.yml").read_text("utf-8")
)


class Sample(NamedTuple):
    """Objects of a resource, in the options of its module; `another` is empty if none can be created."""

    resource: Resource
    existing: Values
    changed: Values
    another: Values

    @property
    def name(self) -> str:
        """The name of the resource's values in a host's variables, such as `rules`."""
        return VARIABLE_OF[self.resource.plural].removeprefix(PREFIX)

    def value(self, *objects: Values) -> Any:
        """What a host's variable holds for some objects: a list of them, or what a setting is."""
        if self.resource.key:
            return [dict(obj) for obj in objects]
        (setting,) = objects
        return dict(setting) if len(self.resource.fields) > 1 else setting[self.resource.fields[0].name]


def _samples() -> Iterator[Sample]:
    for managed in MANAGED:
        objects = TEXTS.get(managed.resource.plural, {})
        if {"existing", "changed"} <= objects.keys():  # the test of what resources lack names those without
            another = objects.get("another", {})
            yield Sample(managed.resource, objects["existing"], objects["changed"], another)


SAMPLES = tuple(_samples())


def changed_by_module() -> dict[str, dict[str, Any]]:
    """The options of the module of each setting and plain list that make the changed sample, of a list as a whole object."""
    options: dict[str, dict[str, Any]] = {}
    for managed in MANAGED:
        objects = TEXTS.get(managed.resource.plural, {})
        if managed.is_setting and "changed" in objects:
            options[managed.module] = dict(objects["changed"])
        elif managed.is_list and "changed" in objects:
            options[managed.module] = {managed.option: [{**objects.get("existing", {}), **objects["changed"]}]}
    return options


def sampled_options(names: Set[str]) -> dict[str, Any]:
    """Values for the options with these names, all of one object; LookupError if no object has all of them."""
    for sample in SAMPLES:
        if names <= sample.existing.keys():
            return {name: sample.existing[name] for name in names}
    raise LookupError(f"no sample has {', '.join(sorted(names))}")
