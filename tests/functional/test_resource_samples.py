# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each resource of the registry has all that tests and the local service need of it, and its sample comes and changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest
import requests
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import MANAGED, Managed
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import InFiles, Resource
from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import MODULE_SPECS
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.merged_host import MergedHost
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import PREFIX

from tests.documentation.samples import REQUESTS
from tests.documentation.shapes import DESCRIPTIONS, OWN_RESULTS
from tests.fake_service import LocalService
from tests.fake_service.contract import Contract
from tests.fake_service.credentials import AREA_OF_PERMISSION
from tests.functional.idempotence_cases import CASES
from tests.support.ansible_run import REPOSITORY
from tests.support.host_parts import host, lawful_part
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.resource_samples import SAMPLES, TEXTS, Sample
from tests.support.service_state import clearances, collections_of, name_in_documents, objects_in

NOW = datetime(2027, 1, 29, tzinfo=UTC)
PLACEHOLDER = re.compile(r"\{\w+\}")
PATHS = {PLACEHOLDER.sub("{}", path) for _method, path in Contract.shared().operations()}


def lacking_samples(managed: Managed) -> Iterator[str]:
    """What resource_samples.yml lacks of a resource."""
    resource = managed.resource
    objects = TEXTS.get(resource.plural, {})
    for name in ("existing", "changed", *(["another"] if resource.key and resource.create else [])):
        if name not in objects:
            yield f"resource_samples.yml: {name}"
    # A body that replaces the object sets back what it leaves out; no test sees this of a field with its default.
    if managed.plain and resource.update and resource.update.whole_object:
        existing = objects.get("existing", {})
        for field in resource.fields:
            if existing.get(field.name, field.default) == field.default:
                yield f"resource_samples.yml: a value of {field.name} in existing that is not its default"


def lacking_in_service(resource: Resource) -> Iterator[str]:
    """What the local service lacks of a resource."""
    if resource.permission.name not in AREA_OF_PERMISSION:
        yield f"fake_service/credentials.py: an area for the permission {resource.permission.name}"
    for collection in resource.collections:
        if PLACEHOLDER.sub("{}", f"/{collection.path}") not in PATHS:
            yield f"fake_service/declared.py or openapi.yaml: the path {collection.path}"
    with LocalService() as service:
        owner = service.account(ACCOUNT) if resource.owner == "account_id" else service.zone(ZONE)
        try:
            objects_in(owner, resource)
        except LookupError:
            yield f"fake_service/declared.py: {name_in_documents(resource)} in state documents"


def lacking_of_module(managed: Managed) -> Iterator[str]:
    """What the tests of a module lack."""
    if managed.module not in {case.module for case in CASES}:
        yield f"idempotence_cases.py: a row of the module {managed.module}"
    if managed.module not in MODULE_SPECS:  # a part of hosts
        return
    if not (REPOSITORY / "plugins" / "modules" / f"{managed.module}.py").exists():
        yield f"plugins/modules/{managed.module}.py"
    if managed.module not in REQUESTS:
        yield f"documentation/samples.yml: requests of {managed.module}"
    if managed.plain:  # whose results follow from its declaration
        return
    if managed.module not in DESCRIPTIONS["results"]:
        yield f"documentation/descriptions.yml: results of {managed.module}"
    if managed.module not in OWN_RESULTS:
        yield f"documentation/shapes.py: results of {managed.module}"


def lacking(managed: Managed) -> list[str]:
    """All that a resource lacks, by file."""
    resource = managed.resource
    texts = DESCRIPTIONS["objects"].keys()
    is_declared = managed.plain or isinstance(resource.listing, InFiles)
    is_described = is_declared or texts & {resource.name, managed.option}
    return [
        *lacking_samples(managed),
        *lacking_in_service(resource),
        *lacking_of_module(managed),
        *([] if is_described else [f"documentation/descriptions.yml: objects of {resource.name}"]),
    ]


def test_no_resource_lacks_anything() -> None:
    problems = {managed.resource.plural: lacking(managed) for managed in MANAGED}
    assert {name: lines for name, lines in problems.items() if lines} == {}
    assert TEXTS.keys() == problems.keys()


class Host:
    """A host whose baseline has one object, in the account or the zone of the sample."""

    def __init__(self, service: LocalService, sample: Sample) -> None:
        self.service, self.sample = service, sample
        variables = host(service)
        variables.pop("edge_zone_id" if sample.resource.owner == "account_id" else "edge_account_id")
        self.variables = variables

    def applied(self, obj: Any) -> dict[str, Any]:
        """Predict, apply and apply again; what the service has of the resource, and inside of its objects, afterwards."""
        values = {**self.variables, f"{PREFIX}{self.sample.name}": self.sample.value(obj)}
        lawful_part(MergedHost("lima", values, [], NOW).part())
        return self.state()

    def state(self) -> dict[str, Any]:
        """What the service has of the resource, and inside of its objects."""
        state = deepcopy(collections_of(self.service))
        resource = self.sample.resource
        inside = [contents.plural for contents in resource.contents_in(state)]
        return {name: state[name] for name in (resource.plural, *inside)}

    def start(self) -> None:
        """Let the owner have the existing object."""
        account, zone = self.service.account(ACCOUNT), self.service.zone(ZONE)
        resource = self.sample.resource
        if resource.create or not resource.key:
            self.applied(self.sample.existing)
            return
        owner = account if resource.owner == "account_id" else zone
        owner.seed(**{name_in_documents(resource): [dict(self.sample.existing)]})  # which no module creates


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample.resource.plural))
def test_a_sample_comes_and_changes_in_the_state_that_tests_compare(sample: Sample, service: LocalService) -> None:
    lima = Host(service, sample)
    lima.start()
    before = lima.state()
    assert before[sample.resource.plural]
    after = lima.applied(sample.changed)
    assert after != before
    assert clearances(service) == []
    for obj, changed in zip(before[sample.resource.plural], after[sample.resource.plural], strict=False):
        for name in (sample.existing.keys() - sample.changed.keys()) & obj.keys():
            assert changed[name] == obj[name], f"{name} is named by nobody"


@pytest.mark.parametrize("path", ["magic/advanced_tcp_protection/configs/prefixes", "rules/lists"])
def test_a_call_that_clears_a_collection_is_noticed(path: str, service: LocalService) -> None:
    service.account(ACCOUNT)
    url = f"{service.base_url}/accounts/{ACCOUNT}/{path}"
    for suffix in ("", "/1f"):
        requests.delete(url + suffix, headers={"Authorization": f"Bearer {service.token}"}, timeout=5)
    assert [cleared.rpartition(ACCOUNT)[2] for cleared in clearances(service)] == [f"/{path}"]
