# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a judge says of the vendor's API, a line each, so that two of its releases can be compared.

    python -m tests.judges.facts cloudflare

shows the lines of the release that Python imports.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Literal, get_args, get_origin

from tests.judges.cf import Operations, operations_of_cf


def facts_of_operations(operations: Operations) -> Iterator[str]:
    """The operations of the command line."""
    for name, operation in operations.items():
        yield name
        yield from (f"{name}: parameter {parameter}" for parameter in operation.parameters)
        yield from (f"{name}: field {field} {described.text()}" for field, described in operation.fields.items())


def facts_of_sdk() -> Iterator[str]:
    """The phases, and the fields of requests with their words."""
    from cloudflare.types.rulesets.phase import Phase

    from tests.support.sdk_types import TYPES

    yield from (f"phase {phase}" for phase in get_args(Phase))
    met: set[Any] = set()
    for module, name in TYPES.values():
        yield from facts_of_type(getattr(import_module(f"cloudflare.types.{module}"), name), met)


def facts_of_type(hint: Any, met: set[Any]) -> Iterator[str]:
    """The fields of a type and of all types in it that were not met yet."""
    from typing_extensions import is_typeddict

    from tests.support.sdk_types import fields_of

    if is_typeddict(hint):
        if hint not in met:
            met.add(hint)
            for field, inner in fields_of(hint).items():
                yield f"{hint.__name__}.{field}"
                yield from (f"{hint.__name__}.{field} is {word}" for word in words_of(inner))
                yield from facts_of_type(inner, met)
    else:
        for argument in get_args(hint):
            yield from facts_of_type(argument, met)


def words_of(hint: Any) -> Iterator[Any]:
    """The words of a type, be it required or one of several."""
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    else:
        for argument in get_args(hint):
            yield from words_of(argument)


def facts_of_parser() -> Iterator[str]:
    """The fields and functions that the parser knows."""
    import octorules_wirefilter

    for scheme in (None, "magic_firewall"):
        known = octorules_wirefilter.get_schema_info(scheme)
        title = scheme or "requests"
        yield from (f"{title}: field {field['name']} {field['type']}" for field in known["fields"])
        yield from (f"{title}: function {name}" for name in known["functions"])


FACTS: Mapping[str, Callable[[], Iterator[str]]] = {
    "cf": lambda: facts_of_operations(operations_of_cf()),
    "cloudflare": facts_of_sdk,
    "octorules-wirefilter": facts_of_parser,
}


if __name__ == "__main__":
    print("\n".join(sorted({*FACTS[sys.argv[1]]()})))
