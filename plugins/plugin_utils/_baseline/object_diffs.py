# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The diff of a host as a diff of each object, so that each hunk stands under its object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils._schema.registry import BY_PLURAL

SIDES = ("before", "after")
NOTHING = ""  # an object that does not exist, for Ansible


def object_diffs(diff: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """The diffs of the objects in a module's `diff`, each in Ansible's form, with a header that
    names the object, such as `custom rule a`."""
    sides = [(diff or {}).get(side) or {} for side in SIDES]
    for section in sorted({*sides[0], *sides[1]}):
        resource = BY_PLURAL.get(section)
        title = resource.title if resource else section.replace("_", " ")
        if resource and resource.key:
            objects = [side.get(section) or {} for side in sides]
            for key in sorted({*objects[0], *objects[1]}):
                yield _named(f"{title} {key}", *(_alone(section, side, key) for side in objects))
        else:
            yield _named(title, *(_side_of_section(section, side) for side in sides))


def _named(header: str, before: Any, after: Any) -> dict[str, Any]:
    headers = {f"{side}_header": header for side in SIDES}
    return {**headers, "before": before, "after": after}


def _alone(section: str, objects: Mapping[str, Any], key: str) -> Any:
    return {section: {key: objects[key]}} if key in objects else NOTHING


def _side_of_section(section: str, side: Mapping[str, Any]) -> Any:
    return {section: side[section]} if section in side else NOTHING


def of_host(host: str, diff: Mapping[str, Any]) -> dict[str, Any]:
    """The diff of an object under a header that names its host as well."""
    header = f"{host}: {diff['before_header']}"
    return _named(header, diff["before"], diff["after"])
