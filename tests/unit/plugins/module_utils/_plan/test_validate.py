# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What Cloudflare would refuse, or may refuse, is said with its option before any request."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._plan.desired import Desired, examine
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Field, Permission, Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from ansible_collections.edgeops.protection.plugins.module_utils._values.kinds import TEXT


def examined(value: Any) -> list[str]:
    if value == "refused":
        raise ValueError("it is bad")
    return [f"'{value}' is odd"] if value == "odd" else []


VALUE = TEXT._replace(examine=examined)
INNER = (Field("text", VALUE),)
RESOURCE = Resource(
    name="thing", plural="things", title="thing", owner="", path="things", permission=Permission("Thing", "zone"), key=("name",),
    fields=(Field("name", VALUE), Field("text", VALUE), Field("inner", TEXT, fields=INNER)),
)  # fmt: skip


def desired(absent: bool = False, **values: Any) -> list[Desired]:
    values = {"name": "a", **values}
    key = RESOURCE.key_of(values)
    return [Desired(RESOURCE, {key: values}, absent=absent, paths={key: Option("things", 2)})]


@pytest.mark.parametrize(
    ("values", "warnings"),
    [
        ({}, []),
        ({"text": "b"}, []),
        ({"text": "odd"}, ["things[2].text: 'odd' is odd."]),
        (
            {"inner": {"text": "odd"}, "text": "odd"},
            ["things[2].text: 'odd' is odd.", "things[2].inner.text: 'odd' is odd."],
        ),
    ],
)
def test_a_value_that_the_service_may_refuse_is_a_warning(values: Any, warnings: list[str]) -> None:
    assert examine(desired(**values)) == warnings


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"text": "refused"}, "things[2].text: it is bad (thing a)"),
        ({"inner": {"text": "refused"}}, "things[2].inner.text: it is bad (thing a)"),
        ({"name": "refused"}, "things[2].name: it is bad"),
    ],
)
def test_a_value_that_the_service_refuses_is_an_error_that_names_the_object(values: Any, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        examine(desired(**values))
    assert caught.value.message == message


def test_absent_entries_skip_validation() -> None:
    assert examine(desired(absent=True, name="refused")) == []
