# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever stands in the options, a module ends in a result or in a failure of one sentence or a few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import MAX_ERRORS
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import RESTORED, argument_spec
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import CUSTOM, FIREWALL, RULE_1, WHOLE
from tests.support.module_run import ACCOUNT, ZONE, Modules

LIKELY = st.sampled_from(
    [
        "192.0.2.0/24", "203.0.113/24", "2001:db8::/32", "198.51.100.7", RULE_1, "true", "global",
        "WEUR", "office", "login", "first", "before login", "after office",
    ]
)  # fmt: skip
ODD = st.one_of(st.none(), st.integers(), st.floats(), st.booleans(), st.text(), st.lists(st.text(), max_size=2))
PLAIN = {
    "str": st.one_of(LIKELY, LIKELY, st.text()),
    "bool": st.booleans(),
    "raw": st.one_of(st.integers(-1, 5), st.just("")),
    "int": st.integers(-1, 3),
    "float": st.floats(-1, 3),
    "path": st.just("/nowhere"),
    "dict": st.dictionaries(st.text(), st.text(), max_size=2),
}


def values(option: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """What an option may hold: mostly what fits, sometimes what does not."""
    kind = option.get("type", "str")
    if "choices" in option:
        one = st.sampled_from(option["choices"])
        fitting: st.SearchStrategy[Any] = st.lists(one, max_size=3) if kind == "list" else one
    elif "options" in option:
        one = objects(option["options"])
        fitting = st.lists(one, max_size=3) if kind == "list" else one
    elif kind == "list":
        fitting = st.lists(PLAIN[option["elements"]], max_size=3)
    else:
        fitting = PLAIN[kind]
    return st.integers(0, 19).flatmap(lambda dice: fitting if dice else ODD)


def objects(spec: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    required = {name: values(option) for name, option in spec.items() if option.get("required")}
    return st.fixed_dictionaries(required, optional={name: values(spec[name]) for name in spec if name not in required})


@settings(
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@pytest.mark.parametrize("module", MODULE_SPECS)
@given(data=st.data(), check=st.booleans())
def test_any_options_end_in_a_result_or_in_a_sentence(
    module: str, data: st.DataObject, check: bool, service: LocalService, modules: Modules, waits: list[float]
) -> None:
    service.reset()
    service.account(ACCOUNT).seed(**WHOLE)
    service.zone(ZONE).seed(**FIREWALL, **CUSTOM)
    # A state comes from a snapshot that the restore has checked, and never from a person.
    spec = {name: option for name, option in MODULE_SPECS[module].options.items() if name != RESTORED}
    options = data.draw(objects(spec))
    shared = {name: option for name, option in argument_spec(MODULE_SPECS[module]).items() if name != RESTORED}
    if data.draw(st.integers(0, 4)) == 0:
        options |= data.draw(objects({name: shared[name] for name in shared if name != "base_url"}))
    result = modules.run(module, check=check, **options)
    if result.get("failed"):
        assert 10 < len(result["msg"]) < 250 * MAX_ERRORS
        assert "Traceback" not in str(result)
        assert "exception" not in result
    else:
        assert result["changed"] in (True, False)
    assert not (check and service.writes)
