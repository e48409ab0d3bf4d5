# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fast lane of contributors: the checks that a change touches, in less than a minute."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import nox

from .environment import PARALLEL, ROOT, changed_files, run, run_tests

PAGE = "tests/e2e/test_documents.py::test_a_page_runs_and_shows_its_output[{}]"
FILES_OF_THE_HOUSE = "tests/e2e/test_documents.py::test_the_architecture_page_shows_the_files_there_are"
# The tables of cases, of which tests/functional/conftest.py takes the rows that the changed declarations concern.
DECLARATION_TESTS = (
    "tests/functional/test_resource_samples.py",
    "tests/functional/test_idempotence.py",
    "tests/functional/test_bad_options.py",
    "tests/functional/test_risks.py",
    "tests/unit/fake_service/test_declarations.py",
)
# A file that is changed, and the tests of it that are quick; those that do not exist are left out.
TESTS = (
    (r"(tests/(?:unit|functional|workflows)/(?:.*/)?test_\w+\.py)", r"\1"),
    (r"plugins/(module_utils|plugin_utils)/(?!_schema/)(_\w+)/.*", r"tests/unit/plugins/\1/\2"),
    (r"plugins/module_utils/_schema/(?:resource|registry)\.py", "tests/unit/plugins/module_utils/_schema"),
    (r"plugins/module_utils/_schema/(\w+)\.py", r"tests/unit/plugins/module_utils/_schema/test_\1.py"),
    *((r"plugins/module_utils/_schema/\w+\.py", test) for test in DECLARATION_TESTS),
    (r"plugins/(module_utils|plugin_utils)/_(\w+)\.py", r"tests/unit/plugins/\1/test_\2.py"),
    (r"plugins/(?:module|plugin)_utils/.*\.py", FILES_OF_THE_HOUSE),
    (r"plugins/(?:modules|filter|lookup|action)/(\w+)\.(?:py|yml)", r"tests/functional/test_\1.py"),
    (r"tests/fake_service/(?:declared\.py|openapi.*)", "tests/unit/fake_service/test_declared.py"),
    (r"tests/fake_service/(?:declared\.py|openapi.*)", "tests/unit/fake_service/test_declarations.py"),
    (r"tests/fake_service/(?:declared\.py|openapi.*)", "tests/unit/fake_service/test_contract.py"),
    (r"tests/fake_service/(?!declared\.py|openapi).*", "tests/unit/fake_service"),
    (r"tests/functional/(?:idempotence|host)_cases\.py", "tests/functional/test_idempotence.py"),
    (r"tests/functional/(?:zone_)?risk_cases\.py", "tests/functional/test_risks.py"),
    (r"tests/functional/fault_cases\.py", "tests/functional/test_faults.py"),
    (r"tests/support/bad_options\.py", "tests/functional/test_bad_options.py"),
    (r"tests/support/resource_samples\.(?:py|yml)", "tests/functional/test_resource_samples.py"),
    (r"tests/documentation/.*", "tests/functional/test_documentation.py"),
    (r"roles/(\w+)/meta/argument_specs\.yml", "tests/functional/test_variables_schema.py"),
    (r"plugins/modules/\w+\.py", "tests/functional/test_documentation.py"),
    (r"((?:docs/)?\w+\.md)", PAGE.format(r"\1")),
)


def tests_of(names: Iterable[str]) -> Iterator[str]:
    """The quick tests of some files, each once."""
    tests = dict.fromkeys(
        match.expand(test) for name in names for path, test in TESTS if (match := re.fullmatch(path, name))
    )
    yield from (test for test in tests if (ROOT / test.partition("::")[0]).exists())


@nox.session(python=False)
def quick(session: nox.Session) -> None:
    """Check what differs from origin/main, in less than a minute: style, imports, and the tests that are about it."""
    names = changed_files(session)
    programs = [name for name in names if name.endswith(".py")]
    if programs:
        run(session, "ruff", "check", "--quiet", *programs, requires="lint")
        run(session, "ruff", "format", "--quiet", "--check", *programs, requires="lint")
        run(session, "lint-imports", "--config", "pyproject.toml", "--no-cache", "--no-logo", requires="lint")
    changes = {"CHANGED_FILES": " ".join(names)}
    run_tests(session, *PARALLEL, "tests/unit/repository", *tests_of(names), env=changes)
