# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What stands beside the protection is read, and never written: the collection announces and withdraws nothing."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Iterator

from ansible_collections.edgeops.protection.plugins.module_utils._schema import neighbours
from ansible_collections.edgeops.protection.plugins.module_utils._schema.neighbours import (
    AUDIT_LOG,
    ONBOARDED,
    bgp_prefixes_of,
    delegations_of,
)
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Nested, Resource
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

PLUGINS = Path(neighbours.__file__).parents[2]
BESIDE = (ONBOARDED, bgp_prefixes_of({}), delegations_of({}), AUDIT_LOG)
ANNOUNCES = re.compile(r"addressing|/bgp|bgp/|advertis|announc|withdraw", re.IGNORECASE)


def declared() -> Iterator[Resource]:
    """Every resource that a file of the collection declares, whatever its name."""
    assert MODULE_SPECS  # all files with declarations are imported
    for name, module in list(sys.modules.items()):
        if name.startswith("ansible_collections.edgeops.protection.plugins."):
            values = list(vars(module).values())
            values += [item for value in values if isinstance(value, (tuple, list)) for item in value]
            values += [item for value in values if isinstance(value, dict) for item in value.values()]
            yield from (value for value in values if isinstance(value, Resource))


def test_no_declared_write_has_a_path_that_announces_or_withdraws() -> None:
    resources = list(declared())
    assert ONBOARDED in resources
    for resource in [*resources, *BESIDE]:
        writes = [resource.create, resource.update, resource.delete, resource.nested and resource.nested.write]
        if resource in BESIDE or ANNOUNCES.search(resource.path):
            assert not any(writes), resource.name
        nested = resource.nested if isinstance(resource.nested, Nested) else None
        assert not ANNOUNCES.search(nested.path if nested else "")
        assert not any(ANNOUNCES.search(write.suffix) for write in writes if write)


def test_no_other_file_knows_a_path_to_announcements() -> None:
    path = re.compile(r"""["'f][^"'\n]*(addressing/|/bgp\b|bgp/)""")
    files = [file for file in PLUGINS.rglob("*.py") if path.search(file.read_text(encoding="utf-8"))]
    assert [file.name for file in files] == ["neighbours.py"]
    text = files[0].read_text(encoding="utf-8")
    assert "Write(" not in text and "Request(" not in text
