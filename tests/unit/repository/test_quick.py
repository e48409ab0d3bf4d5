# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""make quick runs the tests that are about the changed files, and none that do not exist."""

from __future__ import annotations

import re

import pytest

from tests.functional.idempotence_cases import Case
from tests.support.ansible_run import REPOSITORY
from tests.support.concerned import is_concerned, modules_of

SOURCE = (REPOSITORY / "tests" / "sessions" / "quick.py").read_text(encoding="utf-8")

FILES_OF_THE_HOUSE = "tests/e2e/test_documents.py::test_the_architecture_page_shows_the_files_there_are"


def quick_tests(*names: str) -> list[str]:
    """The function of the session, without nox, which is not there where tests run."""
    wanted = SOURCE[SOURCE.index("PAGE = ") : SOURCE.index("@nox.session")]
    namespace = {"re": re, "ROOT": REPOSITORY, "Iterable": object, "Iterator": object}
    exec("from __future__ import annotations\n" + wanted, namespace)
    return [*namespace["tests_of"](names)]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("plugins/plugin_utils/_report/record.py", ["tests/unit/plugins/plugin_utils/_report", FILES_OF_THE_HOUSE]),
        ("plugins/module_utils/_text.py", ["tests/unit/plugins/module_utils/test_text.py", FILES_OF_THE_HOUSE]),
        ("plugins/filter/to_prefixes.yml", ["tests/functional/test_to_prefixes.py"]),
        ("plugins/modules/ip_list.py", ["tests/functional/test_documentation.py"]),
        ("plugins/action/write_nothing.py", []),
        ("tests/functional/test_report.py", ["tests/functional/test_report.py"]),
        (
            "plugins/module_utils/_schema/zone.py",
            [
                "tests/unit/plugins/module_utils/_schema/test_zone.py",
                "tests/functional/test_resource_samples.py",
                "tests/functional/test_idempotence.py",
                "tests/functional/test_bad_options.py",
                "tests/functional/test_risks.py",
                "tests/unit/fake_service/test_declarations.py",
                FILES_OF_THE_HOUSE,
            ],
        ),
        ("tests/functional/idempotence_cases.py", ["tests/functional/test_idempotence.py"]),
        ("tests/functional/risk_cases.py", ["tests/functional/test_risks.py"]),
        ("tests/functional/zone_risk_cases.py", ["tests/functional/test_risks.py"]),
        ("tests/functional/fault_cases.py", ["tests/functional/test_faults.py"]),
        ("tests/support/bad_options.py", ["tests/functional/test_bad_options.py"]),
        ("tests/support/resource_samples.yml", ["tests/functional/test_resource_samples.py"]),
        (
            "tests/fake_service/declared.py",
            [
                "tests/unit/fake_service/test_declared.py",
                "tests/unit/fake_service/test_declarations.py",
                "tests/unit/fake_service/test_contract.py",
            ],
        ),
        ("tests/fake_service/server.py", ["tests/unit/fake_service"]),
        ("docs/report.md", ["tests/e2e/test_documents.py::test_a_page_runs_and_shows_its_output[docs/report.md]"]),
        ("galaxy.yml", []),
    ],
)
def test_a_changed_file_has_its_tests(name: str, tests: list[str]) -> None:
    assert quick_tests(name, name) == tests


@pytest.mark.parametrize(
    ("names", "modules"),
    [
        (["plugins/module_utils/_schema/zone.py"], {"security_level"}),
        (["plugins/modules/ip_list.py", "docs/report.md"], {"ip_list"}),
        (["plugins/module_utils/_schema/rate_limits.py"], {"rate_limit_rules"}),
        (["plugins/module_utils/_schema/lists.py"], {"ip_list", "ip_lists"}),
        (["plugins/module_utils/_schema/account.py"], {"account_protection", "allowlist_entry"}),
        (["tests/functional/idempotence_cases.py"], set()),
    ],
)
def test_a_declaration_concerns_the_modules_of_its_resources(names: list[str], modules: set[str]) -> None:
    concerned = modules_of(names)
    assert modules <= concerned and bool(modules) is bool(concerned)


def test_rows_of_other_modules_are_left_out() -> None:
    rule = Case("a case", "custom_rules", {})
    assert is_concerned({"case": rule}, {"custom_rules"})
    assert not is_concerned({"case": rule}, {"security_level"})
    assert is_concerned({"call": (rule, "security_level")}, {"security_level"})
    assert is_concerned({"check": True}, {"security_level"})
