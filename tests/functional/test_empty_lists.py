# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Empty lists, as templates make them, in every option: check mode says what the run does, and the second run does nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS

from tests.fake_service import LocalService
from tests.functional.host_cases import HOSTS
from tests.functional.idempotence_cases import CASES, Case
from tests.support.module_run import WRITING, Modules
from tests.support.sampled_rows import sample
from tests.support.service_state import comparable, seed

SPECS = {**MODULE_SPECS, **WRITING}
RISKS = "accept_risks"
Spec = Mapping[str, Mapping[str, Any]]


def is_list(option: tuple[str, Mapping[str, Any]]) -> bool:
    return option[1].get("type") == "list" and option[0] != RISKS


def with_an_empty_list(spec: Spec, options: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Options with one empty list each, and the path of it; of several items in a list the first one has it."""
    for name, option in spec.items():
        value, inner = options.get(name), option.get("options")
        if is_list((name, option)):
            yield name, {**options, name: []}
        if inner and isinstance(value, Mapping):
            yield from ((f"{name}.{path}", {**options, name: own}) for path, own in with_an_empty_list(inner, value))
        if inner and isinstance(value, list):
            for index, item in enumerate(value):
                for path, own in with_an_empty_list(inner, item):
                    several = [*value[:index], own, *value[index + 1 :]]
                    yield f"{name}.{item.get('action', '')}.{path}", {**options, name: several}


def cases() -> Iterator[Any]:
    known: set[tuple[str, str, bool]] = set()
    for case in (*CASES, *HOSTS):
        for path, options in with_an_empty_list(SPECS[case.module].options, case.options):
            kind = (case.module, path, bool(case.existing))
            if kind not in known:
                known.add(kind)
                yield pytest.param(case, options, id=f"{case.module}-{path}-{case.name}")


ROWS = [*cases()]


def test_every_list_of_the_options_is_among_the_rows() -> None:
    paths = {row.id.partition("-")[2] for row in ROWS}
    inner = ("phases", "products", "characteristics", "categories", "rules", "rulesets", "items")
    assert all(any(name in path for path in paths) for name in inner)
    of_lists = {name for name, spec in WRITING.items() if any(map(is_list, spec.options.items()))}
    assert len(of_lists) > 10 and {case.values[0].module for case in ROWS} >= of_lists


@pytest.mark.parametrize(("case", "options"), sample(ROWS, 3))
def test_check_mode_says_of_an_empty_list_what_the_run_does(
    case: Case, options: dict[str, Any], service: LocalService, modules: Modules
) -> None:
    seed(service, case.module, case.existing)
    risks = SPECS[case.module].options.get(RISKS, {})
    if risks:
        every = modules.run(case.module, check=True, **{**options, RISKS: []}).get("risks", ())
        options = {**options, RISKS: [{"code": risk["code"], "reason": "a test"} for risk in every]}
    predicted = modules.run(case.module, check=True, **options)
    assert not service.writes
    done = modules.run(case.module, **options)
    if predicted.get("failed"):
        assert done["msg"] == predicted["msg"] and not service.writes
        return
    assert not done.get("failed"), done["msg"]
    assert comparable(done) == comparable(predicted)
    again = modules.done(case.module, **options)
    assert not again["changed"], again["operations"]
