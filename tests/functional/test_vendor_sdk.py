# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The vendor's own SDK as an independent client: what the local service is, is not merely what we believe."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args, get_type_hints

import cloudflare
import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import SKIPPABLE_PHASES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.registry import BY_PLURAL
from ansible_collections.edgeops.protection.plugins.module_utils._schema.rulesets import SKIPPED_PRODUCTS
from ansible_collections.edgeops.protection.plugins.module_utils._schema.zone import SECURITY_LEVELS
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.fields import (
    FIELDS_BY_KIND,
    PACKET_FIELDS_BY_KIND,
)
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.functions import FUNCTIONS_BY_KIND
from cloudflare.types.rulesets.phase import Phase
from cloudflare.types.rulesets.rule_create_params import SkipRuleActionParameters
from cloudflare.types.zones import SecurityLevel

from tests.fake_service import LocalService
from tests.fake_service.calls import Call
from tests.fake_service.contract import Contract
from tests.functional.host_cases import HOSTS
from tests.functional.idempotence_cases import CASES, FIREWALL, MANAGED, PER_ADDRESS, RULE_1, RULE_2, RULE_3
from tests.judges import cf
from tests.judges.sdk_answers import STATES
from tests.judges.strangers import expressions_of_strangers
from tests.support.ansible_run import REPOSITORY
from tests.support.module_run import ACCOUNT, ZONE, Modules
from tests.support.sdk_types import faults_in
from tests.unit.plugins.module_utils._expressions.wrong_and_right import OF_PACKETS, OF_REQUESTS

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the SDK marks area B so

KINDS = {"syn_protection": "syn_flood", "tcp_flow_protection": "out_of_state_tcp"}
ENTRY = {"prefix": "198.51.100.7", "comment": "probe", "enabled": True}
PREFIX = {"prefix": "192.0.2.0/24", "comment": "Frankfurt", "excluded": False}
RULE = {"scope": "region", "name": "WEUR", "mode": "monitoring", "rate_sensitivity": "low", "burst_sensitivity": "high"}
FILTER = {"expression": "tcp.dstport eq 80", "mode": "monitoring"}


@pytest.fixture
def sdk(service: LocalService) -> Iterator[cloudflare.Cloudflare]:
    connection: dict[str, Any] = {"api_token": service.token, "base_url": service.base_url, "max_retries": 0}
    with cloudflare.Cloudflare(**connection, _strict_response_validation=True) as client:
        yield client


def element_of(hint: Any) -> Any:
    """The type of the elements of a list."""
    (element,) = get_args(hint)
    return element


def operations(resource: Any, path: str) -> Iterator[str]:
    """The names of everything that a resource of the SDK can do, and its parts."""
    for name in (name for name in dir(type(resource)) if not name.startswith(("_", "with_"))):
        attribute = getattr(resource, name)
        if inspect.ismethod(attribute):
            yield f"{path}.{name}"
        elif type(attribute).__name__.endswith("Resource"):
            yield from operations(attribute, f"{path}.{name}")


def collection(sdk: cloudflare.Cloudflare, path: str) -> Any:
    target: Any = sdk
    for name in path.split("."):
        target = getattr(target, name)
    return target


def used_fully(
    sdk: cloudflare.Cloudflare, path: str, create: str, desired: Mapping[str, Any], change: Mapping[str, Any]
) -> Iterator[str]:
    """Create, list, read, change and delete one object, then all; yields the names of the operations used."""
    owner = {"account_id": ACCOUNT}
    resource = collection(sdk, path)
    if create == "bulk_create":
        (made,) = list(resource.bulk_create(**owner, body=[desired]))
        assert resource.create(**owner, **{**desired, "prefix": "203.0.113.0/24"}).id != made.id
        yield f"{path}.create"
    else:
        made = resource.create(**owner, **desired)
    yield f"{path}.{create}"
    assert made.to_dict().items() >= desired.items()
    assert {item.id: item for item in resource.list(**owner)}[made.id].to_dict() == made.to_dict()
    yield f"{path}.list"
    (identity,) = list(inspect.signature(resource.items.get).parameters)[:1]
    assert resource.items.get(**{identity: made.id}, **owner).to_dict() == made.to_dict()
    yield f"{path}.items.get"
    assert (
        resource.items.edit(**{identity: made.id}, **owner, **change).to_dict().items() >= {**desired, **change}.items()
    )
    yield f"{path}.items.edit"
    resource.items.delete(**{identity: made.id}, **owner)
    yield f"{path}.items.delete"
    assert made.id not in [item.id for item in resource.list(**owner)]
    resource.bulk_delete(**owner)
    yield f"{path}.bulk_delete"
    assert list(resource.list(**owner)) == []


def test_zones_accounts_and_changes_have_the_fields_of_the_types(
    service: LocalService, sdk: cloudflare.Cloudflare
) -> None:
    service.account(ACCOUNT)
    service.zone(ZONE).seed(account_id=ACCOUNT, name="zone.example")
    (zone,) = list(sdk.zones.list())
    assert zone == sdk.zones.get(zone_id=ZONE)
    assert (zone.name, zone.account.id, zone.plan.to_dict()["legacy_id"]) == ("zone.example", ACCOUNT, "enterprise")
    account: Any = sdk.accounts.get(account_id=ACCOUNT)
    assert list(sdk.accounts.list()) == [account] and account.id == ACCOUNT
    assert list(sdk.accounts.logs.audit.list(account_id=ACCOUNT, since="2026-11-01", before="2026-11-02")) == []
    assert service.breaches == []


ATP = "ddos_protection.advanced_tcp_protection"


def test_every_operation_on_tcp_protection(service: LocalService, sdk: cloudflare.Cloudflare) -> None:
    status = collection(sdk, ATP).status
    assert status.edit(account_id=ACCOUNT, enabled=True).enabled is True
    assert status.get(account_id=ACCOUNT).enabled is True
    used = {f"{ATP}.status.edit", f"{ATP}.status.get"}
    used |= set(used_fully(sdk, f"{ATP}.prefixes", "bulk_create", PREFIX, {"comment": "", "excluded": True}))
    used |= set(used_fully(sdk, f"{ATP}.allowlist", "create", ENTRY, {"enabled": False}))
    for component, mitigation in (("syn_protection", {"mitigation_type": "retransmit"}), ("tcp_flow_protection", {})):
        rule = {**RULE, **mitigation}
        used |= set(used_fully(sdk, f"{ATP}.{component}.rules", "create", rule, {"mode": "enabled"}))
        used |= set(used_fully(sdk, f"{ATP}.{component}.filters", "create", FILTER, {"mode": "disabled"}))
    assert used == set(operations(collection(sdk, ATP), ATP))
    assert service.breaches == []


def test_the_security_level_of_a_zone(service: LocalService, sdk: cloudflare.Cloudflare, modules: Modules) -> None:
    settings, level = collection(sdk, "zones.settings"), {"setting_id": "security_level", "zone_id": ZONE}
    known = get_args(get_args(SecurityLevel.model_fields["value"].annotation)[0])
    assert known == SECURITY_LEVELS
    for word in known:
        modules.done("security_level", level=word, accept_risks=["lowers_sensitivity"])
        assert settings.get(**level).to_dict()["value"] == word
        settings.edit(**level, value="medium")
        shown = modules.done("security_level", level="medium")
        assert (shown["changed"], shown["security_level"]["level"]) == (False, "medium")
    assert service.breaches == []


def test_firewall_rules_and_filters_are_listed_and_replaced(service: LocalService, sdk: cloudflare.Cloudflare) -> None:
    """The SDK's types of this area are wrong: where a method cannot send what the service takes, its path is called."""
    service.zone(ZONE).seed(**FIREWALL)
    rules, filters, zone = collection(sdk, "firewall.rules"), collection(sdk, "filters"), {"zone_id": ZONE}
    assert [rule.id for rule in rules.list(**zone)] == [RULE_1, RULE_2, RULE_3]
    first = {"filter": {"id": "a" * 32}, "extra_body": {"id": RULE_1}}
    assert rules.update(RULE_1, **zone, action="block", **first).to_dict()["action"] == "block"
    second = {"id": RULE_2, "action": "allow", "priority": 9, "filter": {"id": "b" * 32}}
    sdk.put(f"/zones/{ZONE}/firewall/rules", body=[second], cast_to=object)
    stored = {rule["id"]: rule for rule in service.zone(ZONE).rules}
    assert (stored[RULE_2]["action"], stored[RULE_2]["priority"]) == ("allow", 9)
    one, other = ("a" * 32, "b" * 32)
    assert filters.update(one, **zone, expression="ip.src eq 192.0.2.1", extra_body={"id": one}).id == one
    (changed,) = filters.bulk_update(**zone, body=[{"id": other, "expression": "true", "paused": True}])
    assert changed.paused is True
    read = {item.id: item.expression for item in filters.list(**zone)}
    assert (read[one], read[other]) == (filters.get(one, **zone).expression, "true") == ("ip.src eq 192.0.2.1", "true")
    assert service.breaches == []


DESIRED: dict[str, Any] = {
    "enabled": True,
    "prefixes": [PREFIX, {**PREFIX, "prefix": "192.0.2.64/28", "excluded": True}],
    "allowlist": [{**ENTRY, "prefix": "198.51.100.7/32"}],
    "rules": [{"kind": kind, **RULE} for kind in KINDS.values()],
    "filters": [{"kind": kind, **FILTER} for kind in KINDS.values()],
}


def test_the_sdk_reads_objects_that_a_module_wrote(sdk: cloudflare.Cloudflare, modules: Modules) -> None:
    written = modules.done("account_protection", **DESIRED)["protection"]
    tcp = collection(sdk, ATP)
    read = {
        "status": tcp.status.get(account_id=ACCOUNT).to_dict(),
        "prefixes": [item.to_dict() for item in tcp.prefixes.list(account_id=ACCOUNT)],
        "allowlist": [item.to_dict() for item in tcp.allowlist.list(account_id=ACCOUNT)],
        **{
            part: [
                {"kind": kind, **item.to_dict()}
                for component, kind in KINDS.items()
                for item in getattr(getattr(tcp, component), part).list(account_id=ACCOUNT)
            ]
            for part in ("rules", "filters")
        },
    }
    assert by_id(read) == by_id(written)


def by_id(value: Any) -> Any:
    """A whole account with its lists sorted, and with times instead of texts that tell them."""
    return {
        name: sorted(map(timed, attribute), key=lambda item: item["id"]) if isinstance(attribute, list) else attribute
        for name, attribute in value.items()
    }


def timed(item: Mapping[str, Any]) -> dict[str, Any]:
    stamps = {name: item[name] for name in ("created_on", "modified_on")}
    return {**item, **{name: datetime.fromisoformat(str(stamp)) for name, stamp in stamps.items()}}


def test_a_module_finds_objects_of_the_sdk_in_order(sdk: cloudflare.Cloudflare, modules: Modules) -> None:
    tcp = collection(sdk, ATP)
    tcp.status.edit(account_id=ACCOUNT, enabled=True)
    list(tcp.prefixes.bulk_create(account_id=ACCOUNT, body=DESIRED["prefixes"]))
    tcp.allowlist.create(account_id=ACCOUNT, **ENTRY)
    for component in KINDS:
        getattr(tcp, component).rules.create(account_id=ACCOUNT, **RULE)
        getattr(tcp, component).filters.create(account_id=ACCOUNT, **FILTER)
    purge = ["prefixes", "allowlist", "rules", "filters"]
    assert modules.done("account_protection", **DESIRED, purge=purge)["operations"] == []


def test_firewall_rules_go_both_ways(service: LocalService, sdk: cloudflare.Cloudflare, modules: Modules) -> None:
    service.zone(ZONE).seed(**FIREWALL)
    desired = {"id": RULE_1, "action": "block", "priority": 3, "filter": {"expression": "ip.src eq 192.0.2.1"}}
    modules.done("firewall_rules", rules=[desired])
    rules: Any = collection(sdk, "firewall.rules")
    read = next(rule.to_dict() for rule in rules.list(zone_id=ZONE) if rule.id == RULE_1)
    assert (read["action"], read["priority"], read["filter"]["expression"]) == ("block", 3, "ip.src eq 192.0.2.1")
    rules.update(RULE_1, zone_id=ZONE, action="block", filter=read["filter"], extra_body={"id": RULE_1, "priority": 8})
    assert modules.done("firewall_rules", check=True, rules=[desired])["operations"][0]["fields"] == {"priority": 3}
    assert modules.done("firewall_rules_info", id=RULE_1)["rules"][0]["priority"] == 8


def test_lists_and_their_items(service: LocalService, sdk: cloudflare.Cloudflare) -> None:
    """Pages of one item each, so that the SDK follows the cursors."""
    account: Any = {"account_id": ACCOUNT}
    lists: Any = collection(sdk, "rules.lists")
    made = lists.create(**account, name="office", kind="ip", description="Office")
    assert lists.update(made.id, **account, description="Offices").description == "Offices"
    items = [{"ip": f"192.0.2.{number}", "comment": "gate"} for number in (1, 2, 3)]
    begun = [lists.items.create(made.id, **account, body=items).operation_id]
    read = list(lists.items.list(made.id, **account, per_page=1))
    assert [item.to_dict()["ip"] for item in read] == ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
    doomed = {"items": [{"id": read[0].id}]}
    begun.append(lists.items.delete(made.id, **account, extra_body=doomed).operation_id)
    states = [lists.bulk_operations.get(one, **account).status for one in begun]
    assert states == ["completed", "completed"]
    assert [(item.id, item.num_items) for item in lists.list(**account)] == [(made.id, 2)]
    assert lists.delete(made.id, **account).id == made.id
    assert service.breaches == []


DEPLOYED = {
    "id": MANAGED,
    "version": "latest",
    "overrides": {
        "action": "block",
        "enabled": True,
        "categories": [{"category": "wordpress", "action": "log", "enabled": False}],
        "rules": [{"id": RULE_1, "action": "managed_challenge", "enabled": True, "score_threshold": 40}],
    },
}
RESPONSE = {"response": {"status_code": 429, "content": "later", "content_type": "text/plain"}}
COUNTED = {**PER_ADDRESS, "counting_expression": "http.response.code eq 401", "requests_to_origin": True}
MANAGED_PARAMETERS: list[tuple[str, Mapping[str, Any]]] = [
    ("execute", DEPLOYED),
    ("skip", {"ruleset": "current"}),
    ("skip", {"rulesets": [MANAGED]}),
    ("skip", {"rules": {MANAGED: [RULE_1]}}),
]
RULES_OF_ZONES: list[tuple[str, str, Mapping[str, Any]]] = [
    ("rate_limit_rules", "http_ratelimit", {"action": "block", "action_parameters": RESPONSE, "ratelimit": COUNTED}),
    ("rate_limit_rules", "http_ratelimit", {"action": "log", "ratelimit": PER_ADDRESS}),
    *(
        ("managed_rules", "http_request_firewall_managed", {"action": action, "action_parameters": parameters})
        for action, parameters in MANAGED_PARAMETERS
    ),
]


@pytest.mark.parametrize(("module", "phase", "fields"), RULES_OF_ZONES)
def test_rules_of_a_phase_go_both_ways(
    module: str,
    phase: Any,
    fields: Mapping[str, Any],
    service: LocalService,
    sdk: cloudflare.Cloudflare,
    modules: Modules,
) -> None:
    """A module changes nothing in the SDK's rule; the SDK reads what the module wrote as the same rule, by its types."""
    service.zone(ZONE)
    rule: Any = {
        "ref": "r",
        "expression": 'http.request.uri.path eq "/x"',
        "description": "",
        "enabled": True,
        **fields,
    }
    sdk.rulesets.phases.update(phase, zone_id=ZONE, rules=[rule])
    assert not modules.done(module, rules=[rule], purge=True)["changed"]
    service.reset()
    service.zone(ZONE)
    modules.done(module, rules=[rule], purge=True)
    (stored,) = sdk.rulesets.phases.get(phase, zone_id=ZONE).rules
    read = stored.to_dict(mode="json", exclude_unset=True)
    assert read.items() >= rule.items() and stored.action == rule["action"]


BODIES: list[tuple[str, str, Any, list[str]]] = [
    ("PUT", f"zones/{ZONE}/rulesets/phases/http_ratelimit/entrypoint", {"rules": [{"action": "block", "enabled": "yes"}]},
     ["/rules/0/enabled: 'yes' is no bool"]),
    ("PUT", f"zones/{ZONE}/rulesets/phases/http_ratelimit/entrypoint", {"rules": [{"action": "block", "enabled": True}]}, []),
    ("POST", f"zones/{ZONE}/rulesets/1/rules", {"action": "skip", "action_parameters": {"phase": "all"}},
     ["/action_parameters/phase: 'all' is none of ('current',)"]),
    ("POST", f"zones/{ZONE}/rulesets/1/rules", {"action": "block", "frequency": 5}, ["/frequency: there is no such field"]),
    ("POST", f"accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs/allowlist", {"prefix": "192.0.2.1", "comment": ""}, ["/enabled: it is missing"]),
    ("POST", f"accounts/{ACCOUNT}/magic/advanced_tcp_protection/configs/prefixes/bulk", [{**PREFIX, "excluded": 0}], ["/excluded: 0 is no bool"]),
    ("GET", f"zones/{ZONE}", None, []),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "faults"), BODIES)
def test_the_types_of_requests_are_read_strictly(method: str, path: str, body: Any, faults: list[str]) -> None:
    """They judge the calls of test_idempotence.py, all of which the types of the SDK describe."""
    call = Call(1, method, f"/{path}", {}, body, {}, None, None, 0)
    assert faults_in([call]) == [f"{method} /{path}{fault}" for fault in faults]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SKIPPED_PRODUCTS, element_of(get_type_hints(SkipRuleActionParameters)["products"])),
        (SECURITY_LEVELS, get_args(SecurityLevel.model_fields["value"].annotation)[0]),
    ],
)
def test_words_are_those_of_the_types(ours: Sequence[str], theirs: Any) -> None:
    assert {*ours} == {*get_args(theirs)}


def test_the_page_counts_the_rows_of_the_judges() -> None:
    page = (REPOSITORY / "docs" / "evidence.md").read_text(encoding="utf-8")
    assert f"| the calls of {len([*CASES, *HOSTS])} tasks | 0 |" in page
    assert f"| {len([*OF_REQUESTS, *OF_PACKETS])} expressions | 0 |" in page
    assert f"| {len(expressions_of_strangers())} expressions | 0 |" in page
    tables = (FIELDS_BY_KIND, PACKET_FIELDS_BY_KIND, FUNCTIONS_BY_KIND)
    assert f"| {sum(len(names.split()) for table in tables for names in table.values())} rows | 0 |" in page
    assert f"| {STATES} states each week | 0 |" in page
    assert f"| `{cf.PACKAGE}` {cf.VERSION}, " in page
    assert f"and {len(Contract.shared().operations())} operations of the local service |" in page
    assert f"(`cloudflare` {cloudflare.__version__.rpartition('.')[0]})" in page


def test_phases_are_among_those_of_the_types() -> None:
    phases = {resource.phase for resource in BY_PLURAL.values() if resource.phase} | {*SKIPPABLE_PHASES}
    assert phases <= {*get_args(Phase)}


READ_ALONE: list[tuple[str, dict[str, Any]]] = [
    ("addressing.prefixes", {}),
    ("addressing.prefixes.bgp_prefixes", {"prefix_id": "p1"}),
]


@pytest.mark.parametrize(("path", "within"), READ_ALONE)
def test_the_sdk_knows_each_field_of_what_is_read_alone(
    path: str, within: Mapping[str, Any], service: LocalService, sdk: cloudflare.Cloudflare
) -> None:
    service.account(ACCOUNT).seed(onboarded=[{"id": "p1", "cidr": "192.0.2.0/24"}])
    (item,) = list(collection(sdk, path).list(account_id=ACCOUNT, **within))
    assert not item.model_extra
