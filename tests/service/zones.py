# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one zone holds: firewall rules and the filters they act on."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field

from .accounts import Item

OPTIONAL = ("products", "ref")


@dataclass
class Zone:
    """The `filter` of a rule is the very dict that stands in `filters`, so the two never differ."""

    rules: list[Item] = field(default_factory=list)
    filters: list[Item] = field(default_factory=list)

    def seed(self, *, rules: Iterable[Item] = (), filters: Iterable[Item] = ()) -> Zone:
        """Add filters, and rules with their filters nested; ids and defaults are filled in where missing.

        A nested filter that names the id of a filter already there is that filter.
        """
        for fields in filters:
            self._seed_filter(fields)
        for fields in rules:
            known = self.find(self.filters, fields["filter"].get("id", ""))
            self.rules.append(rule(fields, known or self._seed_filter(fields["filter"])))
        return self

    def _seed_filter(self, fields: Item) -> Item:
        self.filters.append(filter_(fields))
        return self.filters[-1]

    @staticmethod
    def find(items: list[Item], identifier: str) -> Item | None:
        return next((item for item in items if item["id"] == identifier), None)

    def uses(self, filter_id: str) -> bool:
        return any(rule["filter"]["id"] == filter_id for rule in self.rules)

    def document(self) -> Item:
        """The zone in the shape of a state document."""
        return {"rules": self.rules, "filters": self.filters}


def rule(fields: Item, its_filter: Item) -> Item:
    """A whole rule; whatever the fields leave out is at its default, as the service keeps nothing of what was there."""
    unknown = fields.keys() - {"id", "action", "filter", "paused", "description", "priority", *OPTIONAL}
    if unknown:
        raise ValueError(f"a firewall rule has no {', '.join(sorted(unknown))}")
    return {
        "id": fields.get("id") or uuid.uuid4().hex,
        "paused": fields.get("paused", False),
        "description": fields.get("description", ""),
        "action": fields["action"],
        "priority": fields.get("priority"),
        **{name: fields[name] for name in OPTIONAL if name in fields},
        "filter": its_filter,
    }


def filter_(fields: Item) -> Item:
    """A whole filter; whatever the fields leave out is at its default."""
    unknown = fields.keys() - {"id", "expression", "paused", "description", "ref"}
    if unknown:
        raise ValueError(f"a filter has no {', '.join(sorted(unknown))}")
    return {
        "id": fields.get("id") or uuid.uuid4().hex,
        "expression": fields["expression"],
        "paused": fields.get("paused", False),
        "description": fields.get("description", ""),
        **({"ref": fields["ref"]} if "ref" in fields else {}),
    }
