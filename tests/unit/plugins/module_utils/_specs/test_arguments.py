# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import argument_spec, validate
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

INFINITE = float("inf")


UNSUPPORTED = (
    "Unsupported parameters for (edgeops.protection.firewall_rules) module: wrong. Supported parameters include: "
)
FILTERS = [{"id": "1", "filter": {"id": "2"}}, {"id": "1", "filter": 5}]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"wrong": 1}, UNSUPPORTED),
        ({"validate_certs": "perhaps"}, "argument 'validate_certs' is of type"),
        ({"retries": INFINITE}, "retries"),
        ({"rules": FILTERS}, "rules[1].filter: it cannot be read as dict"),
        ({"rules": FILTERS, "wrong": 1}, UNSUPPORTED),
    ],
)
def test_wrong_arguments_are_told_in_a_sentence(options: Mapping[str, Any], error: str) -> None:
    arguments = argument_spec(MODULE_SPECS["firewall_rules"])
    zone = {"zone_id": "0" * 32, "rules": []}
    validated = validate(arguments, "edgeops.protection.firewall_rules", {**zone, **options})
    assert error in str(validated.error)
    assert validated.options["zone_id"] == "0" * 32


def test_defaults_and_environment_are_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOUDFLARE_ACCOUNT_ID", "1" * 32)
    validated = validate(argument_spec(MODULE_SPECS["allowlist"]), "allowlist", {"entries": [], "retries": "3"})
    assert validated.error is None
    assert validated.options["account_id"] == "1" * 32
    assert (validated.options["retries"], validated.options["validate_certs"]) == (3, True)


def nested(arguments: Mapping[str, Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for argument in arguments.values():
        yield argument
        yield from nested(argument.get("options") or {})


@pytest.mark.parametrize("module", MODULE_SPECS)
def test_no_option_has_an_alias_or_is_deprecated(module: str) -> None:
    """AnsibleModule warns of these; validate() does not."""
    warned = {"aliases", "deprecated_aliases", "removed_in_version", "removed_at_date"}
    assert not any(warned & set(argument) for argument in nested(argument_spec(MODULE_SPECS[module])))
