# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of fields: each can be read, and has all of its values."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.fields import FIELDS, values_of
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import Comparison, Unread, parse


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_has_every_value(name: str) -> None:
    field = FIELDS[name]
    everything = parse(f"{name} in {{{'0.0.0.0/0 ::/0' if name.startswith('ip.') else '0..65535'}}}")
    assert isinstance(everything, Comparison)
    assert field.values_of(everything) == field.everything
    with pytest.raises(Unread):
        field.values_of(everything._replace(operator="contains"))


def test_another_field_is_not_malformed() -> None:
    leaf = parse("udp.dstport eq 53")
    assert isinstance(leaf, Comparison)
    with pytest.raises(Unread) as caught:
        values_of(leaf)
    assert str(caught.value) == f"filters know no field 'udp.dstport', only {', '.join(FIELDS)}"
    assert not caught.value.malformed
