# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The name of a resource stands in its declaration, its module and its samples; all else reads the registry."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED

REPOSITORY = Path(__file__).parents[3]
FOLDERS = ("plugins", "tests/support", "tests/documentation", "tests/fake_service", "tests/sessions")
OF_A_RESOURCE = ("plugins/module_utils/_schema/", "plugins/modules/", "plugins/action/")
WORDS = {"status", "prefix", "prefixes", "allowlist"}  # which mean other things as well, such as that of an answer
# Files that know a resource by name, and what they do with it that no declaration says.
ALLOWED: Mapping[str, str] = {
    "plugins/filter/evaluate.py": "names the state that it takes as an argument",
    "plugins/module_utils/_api/neighbours.py": "reads lists beside the protection",
    "plugins/module_utils/_protection/expectation.py": "decides what an expectation is about",
    "plugins/module_utils/_specs/account.py": "names modules of single objects",
    "plugins/module_utils/_specs/base.py": "names the parts of a host that specifications treat differently",
    "plugins/module_utils/_specs/custom_rulesets.py": "is the specification of custom rulesets",
    "plugins/module_utils/_specs/ip_lists.py": "is the specification of lists",
    "plugins/module_utils/_specs/registry.py": "names the files of specifications",
    "plugins/module_utils/_specs/rulesets.py": "is the specification of rulesets",
    "plugins/plugin_utils/_attack/attack.py": "writes the posture of an attack",
    "plugins/plugin_utils/_attack/blocking.py": "writes the rules that block an attack",
    "plugins/plugin_utils/_attack/options.py": "reads what an attack is answered with",
    "plugins/plugin_utils/_baseline/variables.py": "leaves custom rulesets out of postures",
    "plugins/plugin_utils/_report/moved.py": "says that Cloudflare has changed one of its own rules",
    "plugins/plugin_utils/_report/predict.py": "asks for the traffic of DNS if rules decide about it",
    "plugins/plugin_utils/_report/record.py": "says that Cloudflare has changed one of its own rules",
    "tests/documentation/roles.py": "has a module of another name than the variable",
    "tests/documentation/samples.py": "lets rules refer to a list",
    "tests/documentation/shapes.py": "has the results of modules that are no list and no setting",
    "tests/fake_service/accounts.py": "holds what is no plain setting or list",
    "tests/fake_service/declared.py": "has the rows of plain settings and lists",
    "tests/fake_service/lists.py": "looks for references in rules",
    "tests/fake_service/zones.py": "holds what is no plain setting or list",
    "tests/support/attacked_site.py": "is a site under attack",
    "tests/support/bad_options.py": "is a table of cases",
    "tests/support/ineffective_model.py": "models the order of phases",
    "tests/support/interleavings.py": "is a table of cases",
    "tests/support/module_run.py": "runs parts of a host that are no modules",
    "tests/support/parity_of_a_zone.py": "makes states of a zone and its account",
    "tests/support/report_fleet.py": "is a fleet of hosts",
    "tests/support/service_state.py": "has the names of state documents that differ",
}


def names_of_resources() -> set[str]:
    """The names and plurals of the resources of the registry."""
    names = {name for managed in MANAGED for name in (managed.resource.name, managed.resource.plural)}
    return names - WORDS


def literals(path: Path) -> Iterator[str]:
    """The texts of a program, and the names of its keyword arguments."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.removeprefix("baseline_")
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg


def files_with_names() -> dict[str, list[str]]:
    """The files that have names of resources, each with the names; those of a resource itself aside."""
    names, files = names_of_resources(), {}
    for path in sorted(path for folder in FOLDERS for path in (REPOSITORY / folder).rglob("*.py")):
        file = path.relative_to(REPOSITORY).as_posix()
        known = names & {*literals(path)}
        if known and not file.startswith(OF_A_RESOURCE):
            files[file] = sorted(known)
    return files


def test_no_other_file_knows_a_resource_by_name() -> None:
    unexplained = {file: names for file, names in files_with_names().items() if file not in ALLOWED}
    assert unexplained == {}, "read the registry, or say here why a name has to stand there"


def test_a_plain_resource_is_known_to_few_files() -> None:
    """A setting or a list costs a row of the local service, and nothing that is typed elsewhere but cases."""
    plain = {name for managed in MANAGED if managed.plain for name in (managed.resource.name, managed.resource.plural)}
    files = {file for file, names in files_with_names().items() if plain & {*names}}
    cases = {"tests/support/attacked_site.py", "tests/support/bad_options.py"}
    of_attacks = {"plugins/plugin_utils/_attack/attack.py", "plugins/plugin_utils/_attack/options.py"}
    assert files == {"tests/fake_service/declared.py"} | cases | of_attacks
