# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is written of the modules is what they do: options, defaults, and every key of every result."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import yaml
from ansible.module_utils.basic import env_fallback
from ansible_collections.edgeops.protection.plugins.module_utils._api.session import VERSION
from ansible_collections.edgeops.protection.plugins.module_utils._api.settings import ENVIRONMENT, shared_options
from ansible_collections.edgeops.protection.plugins.module_utils._guard.risks.registry import ALL_RISKS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import ACCOUNT_RESOURCES as RESOURCES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import COLLECTIONS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import EXPIRES, OWNERS, Resource
from ansible_collections.edgeops.protection.plugins.module_utils._specs.base import (
    PLAN_OPTIONS,
    ModuleSpec,
    argument_spec,
)
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import (
    BASELINE as BASELINE_ARGUMENTS,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._export.describe import VARIABLES as EXPORT
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import STATUSES
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import declared_in

from tests.documentation.generated import GENERATED
from tests.documentation.pages import with_return
from tests.documentation.risks import ALL_LIMITS, PAGE
from tests.documentation.samples import sampled_results
from tests.fake_service import LocalService
from tests.functional.idempotence_cases import CASES
from tests.support.module_run import Modules
from tests.support.resource_samples import sampled_options
from tests.support.service_state import seed

# Fields that this collection does not manage, and carries along.
FOREIGN = {
    f"{name}.score_per_period"
    for name in ("rules", "ruleset.rules", "rulesets.rules", "overrides", "ddos_l4_overrides", "network_firewall_rules")
}
FOREIGN |= {"overrides.other_rule", "ddos_l4_overrides.other_rule"}
FOREIGN |= {f"rules.ratelimit.{name}" for name in ("of_the_future", "score_per_period", "score_response_header_name")}
FOREIGN |= {"items.exclude_exact_hostname"}  # an item with it is left alone

ROOT = Path(__file__).parents[2]
ACTIONS = {"host"}  # of roles and playbooks: its options are of another form
MODULES = sorted({path.stem for path in (ROOT / "plugins" / "modules").glob("[a-z]*.py")} - ACTIONS)
FILTERS = sorted((ROOT / "plugins" / "filter").glob("*.yml"))
ROLE_SPECS = sorted((ROOT / "roles").glob("*/meta/argument_specs.yml"))
NEXT_RELEASE = str(yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))["version"])
FOR_CORE = {"failed", "invocation", "warnings", "msg", "changed"}  # what Ansible documents itself


@pytest.fixture(scope="session")
def documentation() -> Mapping[str, Any]:
    """What ansible-doc says of every module."""
    names = [f"edgeops.protection.{name}" for name in MODULES]
    program = Path(sys.executable).parent / "ansible-doc"
    output = subprocess.run([program, "--json", "-t", "module", *names], capture_output=True, check=True, text=True)
    results: dict[str, Any] = json.loads(output.stdout)
    return {name.rpartition(".")[2]: results[name] for name in names}


def test_the_sender_names_the_version_of_the_collection() -> None:
    assert yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))["version"] == VERSION


def facts(spec: Mapping[str, Any], nested: str) -> dict[str, Any]:
    """What is comparable of options: type, choices, default, required, and the same of their suboptions."""
    return {
        name: {
            "type": option.get("type", "str"),
            "elements": option.get("elements"),
            "choices": option.get("choices"),
            "default": option.get("default"),
            "required": bool(option.get("required")),
            "options": facts(option.get(nested) or {}, nested),
        }
        for name, option in spec.items()
    }


@pytest.mark.parametrize("module", MODULES)
def test_the_options_documented_are_the_options_there_are(module: str, documentation: Mapping[str, Any]) -> None:
    spec = MODULE_SPECS[module]
    options = argument_spec(spec)
    documented = documentation[module]["doc"]
    assert facts(documented["options"], "suboptions") == facts(options, "options")
    assert documented["attributes"]["check_mode"]["support"] == "full"


@cache
def releases() -> Mapping[str, Any]:
    """The releases of the changelog, which takes a while to read."""
    document = yaml.safe_load((ROOT / "changelogs" / "changelog.yaml").read_text(encoding="utf-8"))
    named: Mapping[str, Any] = document["releases"]
    return named


def release_of(kind: str, name: str) -> str:
    """The release whose changelog lists a module, plugin or role; the next one where none does yet."""
    for version, release in releases().items():
        entries = {"module": release.get("modules"), "filter": release.get("plugins", {}).get("filter")}
        entries["role"] = release.get("objects", {}).get("role")
        if name in [entry["name"] for entry in entries[kind] or []]:
            return str(version)
    return NEXT_RELEASE


@pytest.mark.parametrize("module", MODULES)
def test_a_module_says_in_which_release_it_was_added(module: str, documentation: Mapping[str, Any]) -> None:
    assert documentation[module]["doc"]["version_added"] == release_of("module", module)


@pytest.mark.parametrize("path", FILTERS, ids=lambda path: path.stem)
def test_a_filter_says_in_which_release_it_was_added(path: Path) -> None:
    documented = yaml.safe_load(path.read_text(encoding="utf-8"))["DOCUMENTATION"]
    assert documented["version_added"] == release_of("filter", path.stem)


@pytest.mark.parametrize("path", ROLE_SPECS, ids=lambda path: path.parts[-3])
def test_a_role_says_in_which_release_it_was_added(path: Path) -> None:
    main = yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]["main"]
    assert main["version_added"] == release_of("role", path.parts[-3])


@pytest.mark.parametrize("module", MODULES)
def test_options_that_are_newer_than_their_module_say_so(module: str, documentation: Mapping[str, Any]) -> None:
    options = documentation[module]["doc"]["options"]
    of_risks = {"accept_risks", *(limit.name for limit in ALL_LIMITS)}
    newer = {*of_risks, "staged_rollout", "covers", "zone_name", *PLAN_OPTIONS, *EXPIRES} & options.keys()
    assert {name: options[name].get("version_added") for name in newer} == dict.fromkeys(newer, NEXT_RELEASE)


def resources_of(module: str) -> list[Resource]:
    """The resources that a module reads when it is called with its defaults."""
    spec = MODULE_SPECS[module]
    defaults = {name: option.get("default") for name, option in spec.options.items()}
    required = {name: option for name, option in spec.options.items() if option.get("required")}
    lists: dict[str, Any] = {name: [] for name, option in required.items() if option.get("type") == "list"}
    options = {**defaults, **lists, **sampled_options(required.keys() - lists.keys())}
    return list(spec.reads(options, spec.desired(options), {}))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_documents_the_permissions_that_it_needs(module: str, documentation: Mapping[str, Any]) -> None:
    notes = " ".join(documentation[module]["doc"]["notes"])
    for permission in {resource.permission for resource in resources_of(module)}:
        methods = ("GET", "PUT") if MODULE_SPECS[module].writes else ("GET",)
        for method in methods:
            assert f"C({permission.describe(method).partition(' (')[0]})" in notes
        assert f"of the {permission.scope}" in notes
        assert ("Only API tokens have it" in notes) is permission.token_only


MOST_WORDS = 900  # of half of the modules: what they are for, options, examples and results
OF_ALL = {*shared_options("", env_fallback), *PLAN_OPTIONS} - {
    option for owner in OWNERS.values() for option in owner.options
}


def texts(value: Any) -> Iterator[str]:
    """The texts of descriptions, of options and results with all that is in them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from value
    else:
        for described in (value or {}).values():
            yield from texts(described["description"])
            yield from texts(described.get("suboptions") or described.get("contains"))


def test_half_of_the_modules_are_described_in_900_words(documentation: Mapping[str, Any]) -> None:
    words = {}
    for module, page in documentation.items():
        parts = [page["doc"]["description"], page["doc"]["options"], page["examples"], page["return"]]
        words[module] = sum(len(text.split()) for part in parts for text in texts(part))
    assert median(words.values()) <= MOST_WORDS, words


@pytest.mark.parametrize("module", MODULES)
def test_a_module_describes_its_own_options_and_no_shared_ones(module: str) -> None:
    """Fragments have those, and pages that they link to say more of them."""
    text = (ROOT / "plugins" / "modules" / f"{module}.py").read_text(encoding="utf-8")
    own = yaml.safe_load(text.partition('DOCUMENTATION = r"""')[2].partition('"""')[0]).get("options", {})
    assert own.keys() & OF_ALL == set()


VERBS = {
    "Compute",
    "Deploy",
    "Do",
    "Find",
    "Keep",
    "Make",
    "Manage",
    "Override",
    "Read",
    "Report",
    "Set",
    "Turn",
    "Update",
    "Write",
}
DESCRIBED = [
    *(ROOT / "plugins" / "modules").glob("[a-z]*.py"),
    *(ROOT / "plugins" / "inventory").glob("[a-z]*.py"),
    *(ROOT / "plugins" / "lookup").glob("[a-z]*.py"),
    *FILTERS,
    *ROLE_SPECS,
]


@pytest.mark.parametrize("path", DESCRIBED, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_summary_begins_with_a_verb(path: Path) -> None:
    summary = re.search(r"short_description: (?:\(internal\) )?(\w+)", path.read_text(encoding="utf-8"))
    assert summary and summary[1] in VERBS


def plain(texts: str | list[str]) -> list[str]:
    """A description without the marks of Ansible's documentation, which roles do not have."""
    return [re.sub(r"\b[A-Z]+\(([^()]*)\)", r"\1", text) for text in ([texts] if isinstance(texts, str) else texts)]


def role_facts(options: Mapping[str, Any], nested: str) -> dict[str, Any]:
    """What a role's variable and a module's option have in common: the facts of their suboptions and what they say."""
    return {
        name: {
            **facts({name: {**option, nested: {}}}, nested)[name],
            "description": plain(option["description"]),
            "suboptions": role_facts(option.get(nested) or {}, nested),
        }
        for name, option in options.items()
    }


SINGLE = {
    "protection_rule": "rules",
    "protection_filter": "filters",
    "dns_protection_rule": "dns_rules",
    "allowlist_entry": "allowlist",
}
LISTS = {"protected_prefixes": ("prefixes", "prefixes"), "allowlist": ("entries", "allowlist")}


@pytest.mark.parametrize("module", [*SINGLE, *LISTS])
def test_a_field_is_documented_alike_in_every_module(module: str, documentation: Mapping[str, Any]) -> None:
    own, (option, whole) = documentation[module]["doc"]["options"], LISTS.get(module, ("", SINGLE.get(module, "")))
    own = own[option]["suboptions"] if option else own
    fields = documentation["account_protection"]["doc"]["options"][whole]["suboptions"]
    common = fields.keys() & own.keys()
    assert common >= fields.keys() - {"id", "created_on", "modified_on"}
    assert role_facts({name: own[name] for name in common}, "suboptions") == role_facts(
        {name: fields[name] for name in common}, "suboptions"
    )


@pytest.mark.parametrize(("path", "brought_up_to_date"), GENERATED)
def test_what_follows_from_declarations_is_up_to_date(path: Path, brought_up_to_date: Callable[[str], str]) -> None:
    text = path.read_text(encoding="utf-8")
    assert brought_up_to_date(text) == text, "run make docs-update"


def test_every_risk_has_a_section() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"\n## {item.code}\n" in text for item in ALL_RISKS)


ROLE_MODULES = {"baseline": "account_protection"}


@pytest.mark.parametrize("path", ROLE_SPECS, ids=lambda path: path.parts[-3])
def test_the_variables_of_a_role_have_the_facts_of_the_options_that_they_are_named_after(path: Path) -> None:
    """A variable has no default of its own where the module's applies; what a role adds is its own."""
    prefix = path.parts[-3] + "_"
    variables = yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"]
    module = MODULE_SPECS.get(ROLE_MODULES.get(path.parts[-3], ""))
    options = argument_spec(module) if module else shared_options("", env_fallback)
    named = {name: options[name.removeprefix(prefix)] for name in variables if name.removeprefix(prefix) in options}
    for of_host in ("expected_plan", "purge"):  # and not of one module
        named.pop(f"baseline_{of_host}", None)
    assert len(named) > 9 or path.parts[-3] == "report"  # which has no connection of its own
    for name, option in named.items():
        for fact in ("type", "elements", "choices"):
            assert variables[name].get(fact) == option.get(fact), f"{name}: {fact}"


READ_BY_ROLES = {
    "baseline": BASELINE_ARGUMENTS,
    "export": EXPORT,
    "report": {
        **declared_in("report"),
        "report_fail_on": {"type": "list", "elements": "str", "choices": [*STATUSES, ""]},
    },
}


def read_facts(options: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that decide which values are right; a role has defaults of its own, and a host may lack a variable."""
    own = {"default": None, "required": False}
    return {name: {**option, **own} for name, option in facts(options, "options").items()}


@pytest.mark.parametrize("path", ROLE_SPECS, ids=lambda path: path.parts[-3])
def test_a_role_reads_the_variables_that_it_documents(path: Path) -> None:
    """The actions check the variables, since the playbooks tell ansible-core not to."""
    role = path.parts[-3]
    documented = yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"]
    assert read_facts(READ_BY_ROLES.get(role, declared_in(role))) == read_facts(documented)
    tasks = (ROOT / "playbooks" / f"{role}.yml").read_text(encoding="utf-8")
    assert "rolespec_validate: false" in tasks or "import_role" not in tasks


def owners_of(module: str) -> list[str]:
    """The options that name the owner of a module's objects."""
    spec = MODULE_SPECS[module]
    return [*OWNERS] if type(spec).owned is not ModuleSpec.owned else [spec.owner]


@pytest.mark.parametrize("module", MODULES)
def test_the_environment_documented_is_the_environment_that_is_read(
    module: str, documentation: Mapping[str, Any]
) -> None:
    variables = {
        **ENVIRONMENT,
        **{owner: OWNERS[owner].variable for owner in owners_of(module)},
        "base_url": "CLOUDFLARE_BASE_URL",
    }
    for option, documented in documentation[module]["doc"]["options"].items():
        text = " ".join(texts(documented["description"]))
        assert (f"E({variables[option]})" in text) if option in variables else ("E(" not in text)


def documented_fields(resource: Resource, documentation: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Each field of a resource that has a default, with what account_protection says of it."""
    options = documentation["account_protection"]["doc"]["options"]
    (option,) = [name for name, resources in COLLECTIONS.items() if resource in resources]
    for field in resource.fields:
        if field.default is not None:
            yield field.name, field.default, " ".join(options[option]["suboptions"][field.name]["description"])


@pytest.mark.parametrize("resource", [item for item in RESOURCES if item.create], ids=lambda item: item.name)
def test_defaults_of_new_objects_are_documented(resource: Resource, documentation: Mapping[str, Any]) -> None:
    for name, default, text in documented_fields(resource, documentation):
        output = "An empty text" if default == "" else f"V({str(default).lower()})"
        assert output in text, name


def keys_of(value: Any, documented: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The paths of all keys in a value, as deep as the documentation goes."""
    for item in value if isinstance(value, list) else [value]:
        for name, inner in item.items() if isinstance(item, Mapping) else ():
            yield path + name
            contained = (documented.get(name) or {}).get("contains")
            if contained:
                yield from keys_of(inner, contained, f"{path}{name}.")


def documented_keys(documented: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for name, entry in documented.items():
        yield path + name
        yield from documented_keys(entry.get("contains") or {}, f"{path}{name}.")


def results_of(module: str, service: LocalService, modules: Modules) -> Iterator[dict[str, Any]]:
    """Results of runs, which have the keys of those that are predicted."""
    for case in (case for case in CASES if case.module == module):
        service.reset()
        seed(service, case.module, case.existing)
        yield modules.done(module, **case.options)


@pytest.mark.parametrize("module", MODULES)
def test_results_are_documented_as_they_are_declared_with_samples_of_real_runs(
    module: str, service: LocalService, modules: Modules, documentation: Mapping[str, Any]
) -> None:
    """Every key of a result is documented, and every documented key occurs, since it has a sample."""
    text = (ROOT / "plugins" / "modules" / f"{module}.py").read_text(encoding="utf-8")
    samples = sampled_results(module, service)  # refused before writing, and broken off after the first write, as well
    assert with_return(text, module, samples) == text, "run make docs-update"
    documented = documentation[module]["return"]
    results = (*samples, *results_of(module, service, modules))
    occurring = {key for result in results for key in keys_of(result, documented)}
    assert occurring - FOR_CORE - FOREIGN <= {*documented_keys(documented), *results_of_every_module()}


def results_of_every_module() -> list[str]:
    page = (ROOT / "docs" / "check_mode.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
