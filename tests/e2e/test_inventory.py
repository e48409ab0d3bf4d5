# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory plugin: accounts and zones of a token as hosts."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible

FRANKFURT, SINGAPORE, DENVER = ("f" * 32, "5" * 32, "d" * 32)
SHOP, BLOG, ELSEWHERE = ("1" * 32, "2" * 32, "3" * 32)


@pytest.fixture
def service(service: LocalService) -> LocalService:
    service.account(FRANKFURT).seed(name="Example GmbH (Frankfurt)")
    service.account(SINGAPORE).seed(name="Example Pte")
    service.account(DENVER).seed(name="example pte!", type="standard")
    service.zone(SHOP).seed(name="shop.example.com", plan="business", account_id=FRANKFURT)
    service.zone(BLOG).seed(name="blog.example.com", plan="free", status="pending", account_id=SINGAPORE)
    return service


def inventory(
    tmp_path: Path, service: LocalService, token: str | None = None, name: str = "edgeops.yml", **options: Any
) -> Run:
    """What ansible-inventory prints of such a file."""
    path = tmp_path / name
    settings = {
        "plugin": "edgeops.protection.accounts",
        "base_url": service.base_url,
        "api_token": token or service.token,
    }
    path.write_text(yaml.safe_dump({**settings, **options}), encoding="utf-8")
    return ansible("ansible-inventory", "-i", path, "--list")


def listing(run: Run) -> Mapping[str, Any]:
    assert run.code == 0, run.output
    inventory_listing: Mapping[str, Any] = json.loads(run.output[run.output.index("{") :], object_hook=plain)
    return inventory_listing


def plain(item: dict[str, Any]) -> Any:
    """Data without the mark that Ansible puts on what it must not take for a template."""
    return item.get("__ansible_unsafe", item)


def test_accounts_and_zones_are_hosts_with_their_variables(tmp_path: Path, service: LocalService) -> None:
    groups = listing(inventory(tmp_path, service))
    assert sorted(groups["accounts"]["hosts"]) == ["example-gmbh-frankfurt", "example-pte-555555", "example-pte-dddddd"]
    assert sorted(groups["zones"]["hosts"]) == ["blog.example.com", "shop.example.com"]
    assert groups["zones_of_example_gmbh_frankfurt"]["hosts"] == ["shop.example.com"]
    hosts = groups["_meta"]["hostvars"]
    assert hosts["example-pte-dddddd"] == {
        "ansible_connection": "local",
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
        "edge_account_id": DENVER,
        "edge_account_name": "example pte!",
        "edge_account_type": "standard",
    }
    assert hosts["shop.example.com"] == {
        "ansible_connection": "local",
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
        "edge_zone_id": SHOP,
        "edge_zone_name": "shop.example.com",
        "edge_zone_plan": "business",
        "edge_zone_status": "active",
        "edge_zone_paused": False,
        "edge_zone_account": "example-gmbh-frankfurt",
        "edge_zone_account_id": FRANKFURT,
    }


def test_no_secret_is_in_the_inventory(tmp_path: Path, service: LocalService) -> None:
    assert service.token not in inventory(tmp_path, service).output


@pytest.mark.parametrize(
    ("options", "hosts"),
    [
        ({"accounts": ["Example GmbH*"]}, ["example-gmbh-frankfurt", "shop.example.com"]),
        ({"accounts": [SINGAPORE], "zones": []}, ["example-pte-555555"]),
        ({"accounts": [], "zones": ["*.example.com"]}, ["blog.example.com", "shop.example.com"]),
        ({"zones": ["BLOG.*"], "accounts": []}, ["blog.example.com"]),
        ({"accounts": ["nobody"], "zones": [SHOP]}, []),
    ],
    ids=str,
)
def test_names_ids_and_globs_select(
    tmp_path: Path, service: LocalService, options: Mapping[str, Any], hosts: list[str]
) -> None:
    run = inventory(tmp_path, service, **options)
    assert sorted(listing(run)["_meta"]["hostvars"]) == hosts
    assert ("The inventory has no hosts" in run.output) == (not hosts)
    assert ("No account or zone that the token sees matches nobody." in run.output) == (not hosts)
    read = {call.path.partition("?")[0] for call in service.calls}
    assert read == {f"/{name}" for name in ("accounts", "zones") if options.get(name) != []}


def test_a_refused_list_of_accounts_does_not_hide_those_that_zones_name(tmp_path: Path, service: LocalService) -> None:
    service.misbehave("status", status=403, path="^/accounts")
    run = inventory(tmp_path, service)
    assert sorted(listing(run)["accounts"]["hosts"]) == ["example-gmbh-frankfurt", "example-pte"]
    assert "accounts without zones are missing" in " ".join(run.output.split())
    refused = inventory(tmp_path, service, zones=[])
    assert "GET accounts was answered with HTTP 403" in refused.output
    assert "Account Settings Read (account)" in " ".join(refused.output.split())


@pytest.mark.parametrize("fault", ["status", "member"])
def test_a_part_of_the_accounts_is_not_all_of_them(tmp_path: Path, service: LocalService, fault: str) -> None:
    """A later page is refused, or empty and without a total."""
    service.misbehave("page_cap", path="^/accounts", cap=1)
    settings: dict[str, Any] = (
        {"status": 403} if fault == "status" else {"members": {"result": "[]", "result_info": "{}"}}
    )
    service.misbehave(fault, path="^/accounts", skip=1, **settings)
    run = inventory(tmp_path, service)
    output = " ".join(run.output.split())
    assert "The inventory takes the accounts that its zones name" not in output
    assert ("of the listing, and a part is" if fault == "status" else "the listing ends after 1 of 3") in output


def test_accounts_that_the_token_does_not_see_come_from_their_zones(tmp_path: Path, service: LocalService) -> None:
    """The token sees Frankfurt, and a zone of Singapore."""
    hosts = listing(
        inventory(tmp_path, service, token=service.add_token("token-of-some", only=[FRANKFURT, SHOP, BLOG]))
    )
    assert sorted(hosts["accounts"]["hosts"]) == ["example-gmbh-frankfurt", "example-pte"]
    assert hosts["_meta"]["hostvars"]["example-pte"]["edge_account_id"] == SINGAPORE
    assert hosts["zones_of_example_pte"]["hosts"] == ["blog.example.com"]


def test_a_token_that_sees_nothing_says_what_it_needs(tmp_path: Path, service: LocalService) -> None:
    run = inventory(tmp_path, service, token=service.add_token("blind-token", account_settings="none", zone="none"))
    assert "The inventory has no hosts" in run.output
    assert "Account Settings Read (account) and Zone Read (zone)" in " ".join(run.output.split())


@pytest.mark.parametrize(
    ("fault", "words"),
    [({"kind": "status", "status": 403}, "Zone Read (zone)"), ({"kind": "status", "status": 500}, "Cloudflare failed")],
    ids=["403", "500"],
)
def test_a_refused_listing_is_an_error(
    tmp_path: Path, service: LocalService, fault: dict[str, Any], words: str
) -> None:
    service.misbehave(**fault, path="^/zones")
    run = inventory(tmp_path, service, retries=0)
    assert "edgeops.protection.accounts: GET zones was answered with HTTP" in run.output
    assert words in run.output


def test_a_name_that_looks_like_a_template_is_data(tmp_path: Path, service: LocalService) -> None:
    service.account(DENVER).seed(name="{{ 6 * 7 }}")
    path = tmp_path / "edgeops.yml"
    inventory(tmp_path, service)
    run = ansible("ansible", "-i", path, "6-7", "-m", "ansible.builtin.debug", "-a", "var=edge_account_name")
    assert "{{ 6 * 7 }}" in run.output, run.output


def test_groups_are_constructed(tmp_path: Path, service: LocalService) -> None:
    groups = listing(
        inventory(
            tmp_path,
            service,
            keyed_groups=[{"key": "edge_zone_plan", "prefix": "plan"}],
            groups={"pending_zones": "edge_zone_status | default('active') != 'active'"},
            compose={"edge_label": "edge_account_name | default(edge_zone_name)"},
        )
    )
    assert groups["plan_business"]["hosts"] == ["shop.example.com"]
    assert groups["pending_zones"]["hosts"] == ["blog.example.com"]
    assert groups["_meta"]["hostvars"]["example-gmbh-frankfurt"]["edge_label"] == "Example GmbH (Frankfurt)"


def test_a_cached_inventory_makes_no_calls(tmp_path: Path, service: LocalService) -> None:
    cache: dict[str, Any] = {
        "cache": True,
        "cache_plugin": "ansible.builtin.jsonfile",
        "cache_connection": str(tmp_path / "cache"),
    }
    first = listing(inventory(tmp_path, service, **cache))
    calls = len(service.calls)
    assert listing(inventory(tmp_path, service, **cache)) == first
    assert len(service.calls) == calls
    assert not any(service.token in path.read_text() for path in (tmp_path / "cache").iterdir())


def test_an_old_cache_is_told_with_its_age(tmp_path: Path, service: LocalService) -> None:
    cache: dict[str, Any] = {
        "cache": True,
        "cache_plugin": "ansible.builtin.jsonfile",
        "cache_connection": str(tmp_path / "cache"),
        "cache_timeout": 10**6,
    }
    inventory(tmp_path, service, **cache)
    assert "from its cache" not in inventory(tmp_path, service, **cache).output
    (file,) = (tmp_path / "cache").iterdir()
    five_hours_ago = time.time() - 5 * 3600
    file.write_text(re.sub(r'(read_at\\*": )[0-9.]+', rf"\g<1>{five_hours_ago}", file.read_text()))
    told = " ".join(inventory(tmp_path, service, **cache).output.split())
    assert "from its cache, 5 hours old. If the plan of a zone has changed since" in told


def test_a_cache_without_what_the_options_ask_for_is_read_anew(tmp_path: Path, service: LocalService) -> None:
    """A cache without zones, and one that another service filled."""
    cache: dict[str, Any] = {
        "cache": True,
        "cache_plugin": "ansible.builtin.jsonfile",
        "cache_connection": str(tmp_path / "cache"),
    }
    assert "zones" not in listing(inventory(tmp_path, service, zones=[], **cache))
    assert "zones" in listing(inventory(tmp_path, service, **cache))
    calls = len(service.calls)
    with LocalService() as other:
        assert "zones" not in listing(inventory(tmp_path, other, **cache))
    assert len(service.calls) == calls


def test_the_token_may_be_a_template(tmp_path: Path, service: LocalService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_INVENTORY_TOKEN", service.token)
    token = "{{ lookup('ansible.builtin.env', 'EDGE_INVENTORY_TOKEN') }}"
    assert "accounts" in listing(inventory(tmp_path, service, token=token))


@pytest.mark.parametrize("name", ["edgeops.yaml", "production.edgeops.yml"])
def test_the_name_of_the_file_says_whose_it_is(tmp_path: Path, service: LocalService, name: str) -> None:
    assert "accounts" in listing(inventory(tmp_path, service, name=name))


def test_the_documentation_is_complete() -> None:
    run = ansible("ansible-doc", "-t", "inventory", "--json", "edgeops.protection.accounts")
    documented = json.loads(run.output)["edgeops.protection.accounts"]
    assert documented["doc"]["version_added"] == "1.0.0"
    assert {"accounts", "zones", "cache", "keyed_groups", "api_token"} <= set(documented["doc"]["options"])
    source = (REPOSITORY / "plugins" / "inventory" / "accounts.py").read_text(encoding="utf-8")
    assert "edgeops.protection.accounts" in source
