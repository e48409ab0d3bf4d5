# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random objects of the types that the vendor's SDK has for answers, as a service may return them: each choice of the
types, and fields of the future."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from random import Random
from types import NoneType
from typing import Any, Literal, Union, get_args, get_origin

from cloudflare.types.ddos_protection.advanced_tcp_protection import (
    AllowlistListResponse,
    PrefixListResponse,
    syn_protection,
    tcp_flow_protection,
)
from cloudflare.types.firewall import FirewallRule
from cloudflare.types.rules import ListsList
from cloudflare.types.rulesets.phase_get_response import PhaseGetResponse
from pydantic import BaseModel

Item = dict[str, Any]
ONE_IN = 4  # of objects, those with a field of the future
STATES = 150  # that a run with EVERY_ROW=1 tries
MOMENT = "2026-01-02T03:04:05.678901Z"
FUTURE: list[Item] = [{"of_the_future": 1}, {"of_the_future": {"nested": ["a", None]}}, {"of_the_future": None}]
EXPRESSIONS = [
    "true", 'http.host eq "a.example"', "ip.src in {192.0.2.0/24}", "ip.src in $office", "cf.new.field gt 3",
    'any(cf.intel.ip.datasets[*] == "ddos")', "(http.request.uri.path", "", "ssl",
]  # fmt: skip
TEXTS = ["", "x", "{{ 1 + 1 }}", "yes", "2026-01-01", "it's\n: #", "\u202e"]
# By the name of a field, the texts that it has: networks, names and words that the types leave to a text.
TEXTS_OF: Mapping[str, list[str]] = {
    "expression": EXPRESSIONS,
    "counting_expression": [text for text in EXPRESSIONS if text],  # the API has none that is empty
    "prefix": ["192.0.2.0/24", "192.0.2.7/25", "2001:DB8::/32", "203.0.113.x/24", "198.51.100.7", ""],
    "scope": ["global", "region", "datacenter", "planet"],
    "mode": ["enabled", "disabled", "monitoring", "quantum"],
    "rate_sensitivity": ["low", "medium", "high", "highest"],
    "burst_sensitivity": ["low", "medium", "high", "highest"],
    "mitigation_type": ["challenge", "retransmit", "cookie"],
    "version": ["1", "2"],
    "name": ["global", "WEUR", "office", "SJC"],
    "created_on": [MOMENT],
    "modified_on": [MOMENT],
}
TYPES: Mapping[str, Any] = {
    "prefixes": PrefixListResponse,
    "allowlist": AllowlistListResponse,
    "syn_flood.rules": syn_protection.RuleListResponse,
    "syn_flood.filters": syn_protection.FilterListResponse,
    "out_of_state_tcp.rules": tcp_flow_protection.RuleListResponse,
    "out_of_state_tcp.filters": tcp_flow_protection.FilterListResponse,
    "firewall_rules": FirewallRule,
    "lists": ListsList,
    "rules": get_args(PhaseGetResponse.model_fields["rules"].annotation)[0],
}
IDS = {"id", "ref"}


class Answers:
    """Random objects, by one source of chance."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.plain: Mapping[Any, Callable[[str], Any]] = {
            str: self._text,
            bool: lambda _name: random.random() < 0.5,
            int: lambda _name: random.choice([0, 1, 10, 60, 429, 100_000]),
            float: lambda _name: random.choice([0, 1, 60, 2.5]),
            datetime: lambda _name: MOMENT,
            object: lambda _name: random.choice(["x", 1, None, {"a": []}]),
        }

    def objects(self, name: str, most: int = 4) -> list[Item]:
        """Some objects of a collection, each with an id of its own."""
        return [self.value(TYPES[name], "") for _number in range(self.random.randint(0, most))]

    def value(self, hint: Any, name: str) -> Any:
        """A value of a type, of the field of some name."""
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Literal:
            return self.random.choice(arguments)
        if origin is Union or str(origin) == "<class 'types.UnionType'>":
            return self.value(self.random.choice(arguments), name)
        if origin is list:
            return [self.value(arguments[0], name) for _number in range(self.random.randint(0, 2))]
        if origin is dict:
            return {self._id(): self.value(arguments[1], name)}
        if isinstance(hint, type) and issubclass(hint, BaseModel):
            return self._object(hint)
        if hint is NoneType:
            return None
        return self.plain.get(hint, self.plain[object])(name)

    def _object(self, model: type[BaseModel]) -> Item:
        made: Item = {}
        for name, field in model.model_fields.items():
            alias = field.alias or name
            if field.is_required() or alias in IDS or self.random.random() < 0.6:
                made[alias] = self._id() if alias in IDS else self.value(field.annotation, alias)
        if self.random.randrange(ONE_IN) == 0:
            made.update(self.random.choice(FUTURE))
        return made

    def _text(self, name: str) -> str:
        return self._id() if name in IDS or name.endswith("_id") else self.random.choice(TEXTS_OF.get(name, TEXTS))

    def _id(self) -> str:
        return f"{self.random.getrandbits(128):032x}"
