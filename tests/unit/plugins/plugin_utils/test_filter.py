# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.edgeops.protection.plugins.plugin_utils._plain import run_filter
from jinja2 import Undefined


def both(rules: Any, custom_rules: Any) -> Any:
    return rules, custom_rules


def test_lists_and_iterators_reach_the_function_as_lists() -> None:
    assert run_filter(both, iter([1]), [2]) == ([1], [2])
    assert run_filter(both, Undefined(), []) == ([], [])


def test_a_wrong_value_is_an_error_of_ansible_without_its_cause() -> None:
    def refuse(_rules: Any, _custom_rules: Any) -> None:
        raise ValueError("rules is not a list")

    with pytest.raises(AnsibleFilterError, match=r"^rules is not a list\.$") as caught:
        run_filter(refuse, [], [])
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
