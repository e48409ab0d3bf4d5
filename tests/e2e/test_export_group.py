# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Exports of hosts that share a file of their group: what all of them have in common is written once, and a run of the baseline
finds nothing to do, whichever hosts a later export reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook
from tests.support.inventories import write_inventory

ACCOUNTS = {"berlin": "1" * 32, "hamburg": "2" * 32}
ZONES = {"blog": "a" * 32, "news": "b" * 32, "shop": "c" * 32}
ADMIN = {"ref": "admin", "action": "block", "expression": 'http.request.uri.path eq "/admin"'}
HIGH = {"baseline_security_level": "high"}


class Fleet:
    """An inventory of accounts and zones below a folder, and the playbooks that are run with it."""

    def __init__(self, folder: Path, service: LocalService) -> None:
        self.folder = folder / "inventory"
        self.folder.mkdir()
        groups = {
            "accounts": {name: {"edge_account_id": identity} for name, identity in ACCOUNTS.items()},
            "zones": {name: {"edge_zone_id": identity} for name, identity in ZONES.items()},
        }
        write_inventory(self.folder, service, groups, export_directory=str(self.folder / "host_vars"))
        self._groups_share("accounts", "zones")

    def _groups_share(self, *names: str) -> None:
        path = self.folder / "hosts.yml"
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        for name in names:
            document["all"]["children"][name]["vars"] = {"export_group": f"{{{{ '{name}' }}}}"}
        path.write_text(yaml.safe_dump(document), encoding="utf-8")

    def play(self, playbook: str, *options: str) -> Run:
        return ansible_playbook("-i", self.folder, *options, REPOSITORY / "playbooks" / f"{playbook}.yml")

    def files(self) -> dict[str, str]:
        """The texts of all files of variables, by their places."""
        paths = [path for path in self.folder.rglob("*.yml") if path.name != "hosts.yml"]
        return {str(path.relative_to(self.folder)): path.read_text(encoding="utf-8") for path in paths}

    def variables(self, place: str) -> dict[str, Any]:
        text = (self.folder / place).read_text(encoding="utf-8")
        return yaml.safe_load(text.replace("!unsafe ", "")) or {}

    def of_host(self, host: str) -> dict[str, Any]:
        return self.variables(f"host_vars/{host}/protection.yml")

    def write(self, place: str, text: str) -> Path:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def require_nothing_to_do(self, *options: str) -> None:
        run = self.play("baseline", "--check", *options).done()
        assert " 0 would change, 0 refused, 0 not reached.\n" in run.output, run.output


@pytest.fixture
def fleet(tmp_path: Path, service: LocalService) -> Fleet:
    rules = {"rules": [{"scope": "global", "name": "global", "mode": "enabled"}]}
    for number, identity in enumerate(ACCOUNTS.values()):
        service.account(identity).seed(
            enabled=True,
            prefixes=[{"prefix": f"192.0.{number}.0/24"}],
            allowlist=[{"prefix": "198.51.100.7", "comment": "{{ scanner }}"}],
            syn_flood=rules,
            out_of_state_tcp=rules,
        )
    for name, identity in ZONES.items():
        zone = {"plan": "business", "account_id": ACCOUNTS["berlin"], "security_level": {"value": "medium"}}
        service.zone(identity).seed(name=f"{name}.example", custom_rules=[ADMIN], **zone)
    service.zone(ZONES["shop"]).seed(rules=[{"action": "block", "filter": {"expression": "ssl"}}])
    return Fleet(tmp_path, service)


def test_what_all_hosts_of_a_group_have_is_written_once(fleet: Fleet, service: LocalService) -> None:
    run = fleet.play("export").done()
    accounts, zones = (fleet.variables(f"group_vars/{name}.yml") for name in ("accounts", "zones"))
    assert accounts["baseline_allowlist"] == [{"prefix": "198.51.100.7", "comment": "{{ scanner }}", "enabled": True}]
    assert "baseline_prefixes" not in accounts and "baseline_prefixes" in fleet.of_host("berlin")
    assert [rule["ref"] for rule in zones["baseline_custom_rules"]] == ["admin"]
    assert "baseline_firewall_rules" not in zones and "baseline_firewall_rules" in fleet.of_host("shop")
    assert not {"baseline_custom_rules", "baseline_security_level"} & fleet.of_host("shop").keys()
    assert fleet.of_host("shop")["baseline_source"]["group"] == "zones"
    shared = "".join(text for place, text in fleet.files().items() if place.startswith("group_vars"))
    assert not [identity for identity in (*ACCOUNTS.values(), *ZONES.values()) if identity in shared]
    assert "that 3 hosts of the group zones have in common." in " ".join(run.output.split())
    fleet.require_nothing_to_do()
    texts = fleet.files()
    again = fleet.play("export").done()
    assert "changed=0" in again.output and fleet.files() == texts
    assert not service.writes


def test_a_run_without_all_hosts_of_a_group_leaves_its_file_as_it_is(fleet: Fleet, service: LocalService) -> None:
    fleet.play("export").done()
    texts = fleet.files()
    service.zone(ZONES["blog"]).seed(security_level={"value": "high"})
    run = fleet.play("export", "--limit", "blog").done()
    assert (
        "group_vars/zones.yml stays as it is, since this run did not read all hosts of the group zones: news, shop"
        in (" ".join(run.output.split()))
    )
    assert {place for place, text in fleet.files().items() if texts.get(place) != text} == {
        "host_vars/blog/protection.yml"
    }
    assert fleet.of_host("blog").items() >= HIGH.items()
    fleet.require_nothing_to_do()
    fleet.play("export").done()
    assert "baseline_security_level" not in fleet.variables("group_vars/zones.yml")
    assert fleet.of_host("shop")["baseline_security_level"] == "medium"
    fleet.require_nothing_to_do()


def test_an_export_that_describes_less_takes_nothing_from_its_group(fleet: Fleet) -> None:
    fleet.play("export").done()
    fleet.play("export", "--limit", "blog", "-e", '{"export_skip": ["security_level"]}').done()
    assert fleet.of_host("blog")["baseline_security_level"] is None
    fleet.require_nothing_to_do()


@pytest.mark.parametrize("is_first", [True, False], ids=["first", "second"])
def test_a_host_that_fails_takes_nothing_from_the_others(fleet: Fleet, service: LocalService, is_first: bool) -> None:
    if not is_first:
        fleet.play("export").done()
    texts = fleet.files()
    zone = service.zones.pop(ZONES["shop"])
    run = fleet.play("export")
    assert run.code != 0 and "1 of 5 hosts failed." in run.output, run.output
    shared = ("group_vars/zones.yml", "host_vars/shop/protection.yml")
    assert [fleet.files().get(place) for place in shared] == [texts.get(place) for place in shared]
    assert ("baseline_custom_rules" in fleet.of_host("blog")) == is_first
    fleet.require_nothing_to_do("--limit", "all:!shop")
    service.zones[ZONES["shop"]] = zone
    fleet.play("export").done()
    assert "baseline_custom_rules" not in fleet.of_host("blog")
    fleet.require_nothing_to_do()


def test_variables_that_the_inventory_sets_above_a_group_stay_in_the_files_of_hosts(fleet: Fleet) -> None:
    inventory = yaml.safe_load((fleet.folder / "hosts.yml").read_text(encoding="utf-8"))
    zones = inventory["all"]["children"]["zones"]
    zones["children"] = {"press": {"hosts": {"news": None}}}
    zones["hosts"]["blog"].update(HIGH)
    inventory["all"]["children"]["sites"] = {"children": {"zones": None}}
    fleet.write("hosts.yml", yaml.safe_dump(inventory))
    fleet.write("group_vars/press.yml", yaml.safe_dump(HIGH))
    fleet.write("group_vars/sites.yml", yaml.safe_dump(HIGH))
    fleet.write("host_vars/shop/main.yml", yaml.safe_dump({"baseline_custom_rules": []}))
    fleet.play("export").done()
    texts = fleet.files()
    levels = [fleet.of_host(host).get("baseline_security_level") for host in ZONES]
    assert levels == ["medium", "medium", None]
    assert "baseline_custom_rules" in fleet.of_host("shop") and "baseline_custom_rules" not in fleet.of_host("blog")
    fleet.require_nothing_to_do()
    fleet.play("export").done()
    assert fleet.files() == texts


def test_check_mode_says_what_would_be_written(fleet: Fleet) -> None:
    run = fleet.play("export", "--check", "--diff").done()
    text = " ".join(run.output.split())
    assert "group_vars/zones.yml would have " in text and "+++ after: " in text
    assert not fleet.files()


# What somebody asks for, and what the error says.
MISTAKES: Mapping[str, tuple[list[str], str]] = {
    "no such group": (
        ["--limit", "zones", "-e", "export_group=zone"],
        "blog is not in the group zone (export_group), but in all, zones (did you mean zones?).",
    ),
    "a group of others": (["-e", "export_group=zones"], "berlin is not in the group zones (export_group), but in "),
    "two kinds": (["-e", "export_group=all"], "is an account, and blog is a zone: they share no variables."),
    "no host_vars": (
        ["-e", "export_directory=exported"],
        "Set export_directory to a folder of that name, such as exported/host_vars",
    ),
}


@pytest.mark.parametrize(("options", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_group_that_cannot_share_is_refused_before_anything_is_written(
    fleet: Fleet, options: list[str], message: str
) -> None:
    run = fleet.play("export", *options)
    assert run.code != 0 and not fleet.files()
    assert message in " ".join(run.output.split()), run.output


def test_a_file_that_people_wrote_for_the_group_is_never_replaced(fleet: Fleet, service: LocalService) -> None:
    path = fleet.write("group_vars/zones.yml", "baseline_snapshot_keep: 3\n")
    texts = fleet.files()
    run = fleet.play("export", "-e", '{"export_overwrite": true}')
    assert run.code != 0 and fleet.files() == texts
    folder = fleet.folder / "group_vars" / "zones"
    assert not [call for call in service.calls if "/zones/" in call.path]
    assert f"Move it to {folder}/main.yml" in " ".join(run.output.split())
    folder.mkdir()
    run = fleet.play("export")
    assert run.code != 0 and f"{path} is a file, which Ansible does not read" in " ".join(run.output.split())
    path.rename(folder / "main.yml")
    fleet.play("export").done()
    assert "baseline_custom_rules" in fleet.variables("group_vars/zones/protection.yml")
    fleet.require_nothing_to_do()


def test_an_edited_file_of_a_group_is_replaced_on_demand_alone(fleet: Fleet) -> None:
    fleet.play("export").done()
    text = fleet.files()["group_vars/zones.yml"]
    path = fleet.write("group_vars/zones.yml", f"{text}baseline_snapshot_keep: 3\n")
    run = fleet.play("export")
    assert run.code != 0 and "was edited since its export. Nothing was written." in " ".join(run.output.split())
    fleet.play("export", "-e", '{"export_overwrite": true}').done()
    assert path.read_text(encoding="utf-8") == text


def test_a_file_that_leaves_out_what_its_group_has_is_not_restored(fleet: Fleet) -> None:
    fleet.play("export").done()
    file = fleet.folder / "host_vars" / "shop" / "protection.yml"
    run = fleet.play("restore", "--limit", "shop", "--check", "-e", f"restore_file={file}")
    assert run.code != 0
    assert "leaves out what the hosts of the group zones have in common." in " ".join(run.output.split())


def test_a_host_that_has_left_its_group_lacks_what_the_group_has_in_common(fleet: Fleet) -> None:
    fleet.play("export").done()
    inventory = yaml.safe_load((fleet.folder / "hosts.yml").read_text(encoding="utf-8"))
    groups = inventory["all"]["children"]
    groups["sites"] = {"hosts": {"shop": groups["zones"]["hosts"].pop("shop")}}
    fleet.write("hosts.yml", yaml.safe_dump(inventory))
    for playbook in ("check_inventory", "baseline"):
        run = fleet.play(playbook, "-e", "target=sites", "--check")
        mistake = "leaves out what the hosts of the group zones have in common, and shop is not in it; put it back"
        assert run.code != 0 and f"baseline_source.group: the export {mistake}" in " ".join(run.output.split())
