# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import argument_spec
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS


def nested(arguments: Mapping[str, Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for argument in arguments.values():
        yield argument
        yield from nested(argument.get("options") or {})


@pytest.mark.parametrize("module", MODULE_SPECS)
def test_no_option_has_an_alias_or_is_deprecated(module: str) -> None:
    """AnsibleModule knows these, and the checker of options does not."""
    warned = {"aliases", "deprecated_aliases", "removed_in_version", "removed_at_date"}
    assert not any(warned & set(argument) for argument in nested(argument_spec(MODULE_SPECS[module])))
