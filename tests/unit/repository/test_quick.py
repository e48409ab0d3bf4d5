# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""make quick runs the tests that are about the changed files, and none that do not exist."""

from __future__ import annotations

import re

import pytest

from tests.support.ansible_run import REPOSITORY

SOURCE = (REPOSITORY / "tests" / "sessions" / "quick.py").read_text(encoding="utf-8")


def quick_tests(*names: str) -> list[str]:
    """The function of the session, without nox, which is not there where tests run."""
    wanted = SOURCE[SOURCE.index("PAGE = ") : SOURCE.index("def git(")]
    namespace = {"re": re, "ROOT": REPOSITORY, "Iterable": object, "Iterator": object}
    exec("from __future__ import annotations\n" + wanted, namespace)
    return [*namespace["tests_of"](names)]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("plugins/plugin_utils/_report/record.py", ["tests/unit/plugins/plugin_utils/_report"]),
        ("plugins/module_utils/_text.py", ["tests/unit/plugins/module_utils/test_text.py"]),
        ("plugins/filter/to_prefixes.yml", ["tests/functional/test_to_prefixes.py"]),
        ("plugins/modules/ip_list.py", ["tests/functional/test_documentation.py"]),
        ("plugins/action/write_nothing.py", []),
        ("tests/functional/test_report.py", ["tests/functional/test_report.py"]),
        ("tests/fake_service/server.py", ["tests/unit/fake_service"]),
        ("docs/report.md", ["tests/e2e/test_documents.py::test_a_page_runs_and_shows_its_output[docs/report.md]"]),
        ("galaxy.yml", []),
    ],
)
def test_a_changed_file_has_its_tests(name: str, tests: list[str]) -> None:
    assert quick_tests(name, name) == tests
