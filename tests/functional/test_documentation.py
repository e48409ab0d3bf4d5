# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is written of the modules is what they do: options, defaults, and every key of every result."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.basic import env_fallback
from ansible_collections.edgeops.protection.plugins.module_utils.api.auth import ENVIRONMENT
from ansible_collections.edgeops.protection.plugins.module_utils.api.session import VERSION
from ansible_collections.edgeops.protection.plugins.module_utils.api.settings import OWNERS, shared_options
from ansible_collections.edgeops.protection.plugins.module_utils.schema.account import ACCOUNT, RULES
from ansible_collections.edgeops.protection.plugins.module_utils.schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils.specs.registry import MODULE_SPECS

from tests.documentation.pages import with_return
from tests.documentation.samples import sampled_results
from tests.fake_service import LocalService
from tests.functional.idempotence_cases import CASES, CUSTOM, FIREWALL, RULE_1, WHOLE
from tests.functional.test_idempotence import seed
from tests.support.module_run import ACCOUNT as ACCOUNT_ID
from tests.support.module_run import ZONE, Modules, run_main

FOREIGN = {"rules.score_per_period"}  # a field that this collection does not manage, and carries along

ROOT = Path(__file__).parents[2]
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("[a-z]*.py"))
FOR_CORE = {"failed", "invocation", "warnings", "msg", "changed"}  # what Ansible documents itself


@pytest.fixture(scope="session")
def documentation() -> Mapping[str, Any]:
    """What ansible-doc says of every module."""
    names = [f"edgeops.protection.{name}" for name in MODULES]
    program = Path(sys.executable).parent / "ansible-doc"
    told = subprocess.run([program, "--json", "-t", "module", *names], capture_output=True, check=True, text=True)
    found: dict[str, Any] = json.loads(told.stdout)
    return {name.rpartition(".")[2]: found[name] for name in names}


def test_every_view_is_a_module_and_every_module_is_in_the_action_group() -> None:
    groups = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text(encoding="utf-8"))["action_groups"]
    assert sorted(MODULE_SPECS) == MODULES == sorted(groups["all"])


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
    spec = {**shared_options(spec.owner, env_fallback), **spec.options}
    documented = documentation[module]["doc"]
    assert facts(documented["options"], "suboptions") == facts(spec, "options")
    assert documented["attributes"]["check_mode"]["support"] == "full"
    assert documented["version_added"] == "0.1.0"


@pytest.mark.parametrize("module", MODULES)
def test_the_environment_documented_is_the_environment_that_is_read(
    module: str, documentation: Mapping[str, Any]
) -> None:
    variables = {
        **ENVIRONMENT,
        MODULE_SPECS[module].owner: OWNERS[MODULE_SPECS[module].owner],
        "base_url": "CLOUDFLARE_BASE_URL",
    }
    for option, documented in documentation[module]["doc"]["options"].items():
        text = " ".join(documented["description"])
        assert (f"E({variables[option]})" in text) if option in variables else ("E(" not in text)


def documented_fields(resource: Resource, documentation: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Each field of a resource that has a default, with what account_protection says of it."""
    options = documentation["account_protection"]["doc"]["options"]
    option = "rules" if resource in RULES else "filters" if resource.name.endswith("_filter") else resource.plural
    for field in resource.fields:
        if field.default is not None:
            yield field.name, field.default, " ".join(options[option]["suboptions"][field.name]["description"])


@pytest.mark.parametrize("resource", [item for item in ACCOUNT if item.create], ids=lambda item: item.name)
def test_what_a_new_object_gets_is_documented(resource: Resource, documentation: Mapping[str, Any]) -> None:
    for name, default, text in documented_fields(resource, documentation):
        told = "an empty one" if default == "" else f"V({str(default).lower()})"
        assert told in text, name


@pytest.mark.parametrize("module", MODULES)
def test_the_results_are_documented_as_they_are_declared_with_samples_of_real_runs(
    module: str, service: LocalService
) -> None:
    text = (ROOT / "plugins" / "modules" / f"{module}.py").read_text(encoding="utf-8")
    assert with_return(text, module, sampled_results(module, service)) == text, "run make docs-update"


def results_of(module: str, service: LocalService, modules: Modules) -> list[dict[str, Any]]:
    """Results of all sorts: predicted, done, refused before writing, and broken off after the first write."""
    found = []
    for case in (case for case in CASES if case.module == module):
        service.reset()
        seed(service, case)
        found += [modules.done(module, check=check, **case.options) for check in (True, False)]
    service.reset()
    service.account(ACCOUNT_ID).seed(**WHOLE)
    service.zone(ZONE).seed(**FIREWALL, **CUSTOM)
    asked: dict[str, Any] = {"covers": ["192.0.2.1"]} if module == "protection_info" else {}
    found += [] if MODULE_SPECS[module].writes else [modules.done(module, **asked)]
    options = next((case.options for case in CASES if case.module == module and case.operations), {})
    if module == "firewall_rules":
        options = {"rules": [{"id": RULE_1, "action": "block"}]}
    elif module == "custom_rules":
        options = {"rules": [{"ref": "login", "action": "block"}]}
    elif module == "protection_filter":
        options = {"kind": "syn_flood", "expression": "tcp.dstport eq 22", "mode": "enabled"}
    elif module in ("allowlist_entry", "tcp_protection_status"):
        options = {**options, **({"enabled": True} if module == "tcp_protection_status" else {"prefix": "10.0.0.1"})}
    if "accept_risks" in MODULE_SPECS[module].options:
        options = {**options, "accept_risks": MODULE_SPECS[module].options["accept_risks"]["choices"]}
    place = {"zone_id": ZONE} if MODULE_SPECS[module].owner == "zone_id" else {"account_id": ACCOUNT_ID}
    connection = {"base_url": service.base_url, "api_token": service.token}
    found.append(run_main(module, {**connection, **place, **options}, check=True, verbose=True))
    for method in ("POST|PUT|PATCH|DELETE", "GET"):
        service.misbehave("status", method=method, status=500)
        found.append(modules.run(module, retries=0, **options))
    return found


def keys_of(value: Any, documented: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The paths of all keys in a value, as deep as the documentation goes."""
    for item in value if isinstance(value, list) else [value]:
        for name, held in item.items() if isinstance(item, Mapping) else ():
            yield path + name
            contained = (documented.get(name) or {}).get("contains")
            if contained:
                yield from keys_of(held, contained, f"{path}{name}.")


def documented_keys(documented: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for name, entry in documented.items():
        yield path + name
        yield from documented_keys(entry.get("contains") or {}, f"{path}{name}.")


@pytest.mark.parametrize("module", MODULES)
def test_every_key_of_a_result_is_documented_and_every_documented_key_occurs(
    module: str, service: LocalService, modules: Modules, documentation: Mapping[str, Any]
) -> None:
    documented = documentation[module]["return"]
    occurring: set[str] = set()
    for result in results_of(module, service, modules):
        occurring |= set(keys_of(result, documented))
    top = {key for key in occurring if key in FOR_CORE or key in FOREIGN}
    assert sorted(occurring - top) == sorted(documented_keys(documented))
