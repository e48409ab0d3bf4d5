# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible.utils.display import Display
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.host_task import HostTask
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.results import HostRun
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import OF_HOST, Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import sentences

OMIT = "__omit_place_holder__"
NOTHING = {"changed": False, "operations": [], "plan_id": ""}


class Calls:
    """The calls of a task on a host with these variables; a module warns once."""

    def __init__(self, refusal: str = "", **variables: Any) -> None:
        self.variables = {"inventory_hostname": "lima", "omit": OMIT, **variables}
        self.templated = lambda values: {**values, "templated": True}
        self.refusal = refusal
        self.shows_diff = False
        self.display = Display()

    def run(self, module: str, options: Any, check_mode: bool, warn: Any, caller: Any) -> dict[str, Any]:
        warn(caller.host.labelled(f"{module} says so"))
        return {**NOTHING, "options": options, "check_mode": check_mode}


def task(**options: Any) -> HostTask:
    calls: Any = Calls(**options)
    return HostTask(calls)


def test_values_are_the_variables_that_the_host_has_and_does_not_omit() -> None:
    host = task(baseline_enabled=True, baseline_filters=OMIT, other=1)
    assert host.values(["baseline_enabled", "baseline_filters", "baseline_rules"]) == {"baseline_enabled": True}
    assert host.value("baseline_rules") is None


def test_values_with_templates_alone_are_templated() -> None:
    host = task(baseline_enabled=True, baseline_prefixes="{{ other }}")
    assert host.values(["baseline_enabled"]) == {"baseline_enabled": True}
    assert host.values(["baseline_enabled", "baseline_prefixes"]) == {
        "baseline_enabled": True,
        "baseline_prefixes": "{{ other }}",
        "templated": True,
    }


def test_warnings_name_the_host_unless_its_runner_is_quiet() -> None:
    shown: list[str] = []
    calls: Any = Calls()
    calls.display = SimpleNamespace(warning=shown.append)
    host, part = HostTask(calls), Part("custom_rules", {"a": 1})
    assert (host.quiet_runner().run_module(part, True)["options"], shown) == ({"a": 1}, [])
    result = host.runner().run_module(part, True)
    assert shown == ["lima: edgeops.protection.custom_rules says so"]
    assert (result["options"], result["check_mode"]) == ({"a": 1}, True)


def test_a_secret_in_the_name_of_a_variable_is_masked() -> None:
    secret = "a_token_that_nobody_may_read"
    (text,) = task(edge_api_token=secret, **{f"baseline_{secret}": 1}).misspelt_variables()
    assert text == "lima: baseline_********: there is no such variable."


def test_two_hosts_with_one_account_are_told_by_their_names() -> None:
    lima = task(edge_account_id="A" * 32, edge_zone_name="shop.example")
    url = "https://API.cloudflare.com:443/client/v4/"
    oslo = task(inventory_hostname="oslo", edge_account_id="a" * 32, edge_zone_name="other.example", edge_base_url=url)
    assert lima.shared_owners() == lima.shared_owners() == []
    (text,) = oslo.shared_owners()
    assert text.startswith(
        f"lima and oslo are one: both have edge_account_id {'a' * 32}, so that each run of one undoes"
    )


def test_a_zone_that_hosts_name_by_its_id_and_its_domain_is_one_as_soon_as_results_tell() -> None:
    lima = task(edge_zone_name="kyiv.example")
    oslo = task(inventory_hostname="oslo", baseline_zone_id="d" * 32)
    assert lima.shared_owners() == oslo.shared_owners() == []
    (text,) = lima.shared_owners({"zone_id": "d" * 32})
    assert text.startswith(f"oslo and lima are one: both have edge_zone_id {'d' * 32}")


@pytest.mark.parametrize(
    ("first_id", "second_id", "is_one"),
    [("a", "b", False), ("a", "a", True), ("", "b", True), ("a", "", True), ("", "", True)],
)
def test_zones_of_one_name_are_one_unless_their_ids_differ(first_id: str, second_id: str, is_one: bool) -> None:
    name = f"{first_id or 'no'}-{second_id or 'no'}.example"
    texts: list[str] = []
    for host, of_zone in (("lima", first_id), ("oslo", second_id)):
        zone_id = {"edge_zone_id": f"{name} {of_zone}"} if of_zone else {}
        texts += task(inventory_hostname=host, edge_zone_name=name, **zone_id).shared_owners()
    assert (len(texts) == 1) is is_one, texts


@pytest.mark.parametrize("refusal", ["", "This module carries credentials."])
def test_a_wrong_variable_or_a_remote_host_fails_before_any_call(refusal: str) -> None:
    def wrong() -> HostRun:
        raise ValueError("baseline_rules is not a list.")

    host = {"edge_account_id": "a" * 32, "edge_api_token": "x" * 40}
    result = task(refusal=refusal, baseline_ruls=[], **host).result_of(wrong, OF_HOST)
    assert (result["failed"], result["msg"]) == (True, refusal or "baseline_rules is not a list.")
    others = task(refusal=refusal, baseline_timeout="long").result_of(wrong, OF_HOST)
    assert others["msg"].startswith(
        f"4 errors: (1) {(refusal or 'baseline_rules is not a list.').rstrip('.')}; (2) base"
    )
    assert "; (3) lima is neither an account nor a zone: set " in others["msg"]
    (warning,) = result["warnings"]
    assert warning.startswith("lima: ") and "baseline_ruls" in warning


def test_a_variable_that_a_message_only_resembles_is_warned_of() -> None:
    """The warning is a part of a longer sentence, which says something of another variable."""

    def wrong() -> HostRun:
        raise ValueError("my_baseline_ruls: there is no such variable (did you mean baseline_rules?), it seems.")

    result = task(baseline_ruls=[], edge_account_id="a" * 32, edge_api_token="x" * 40).result_of(wrong, OF_HOST)
    assert result["warnings"] == ["lima: baseline_ruls: there is no such variable (did you mean baseline_rules?)."]


def test_a_mistake_of_a_posture_is_told_although_its_words_hold_the_name_of_a_wrong_variable() -> None:
    host = {"edge_account_id": "a" * 32, "edge_zone_id": "b" * 32, "edge_api_token": "x" * 40}
    night = {"security_level": "as_baseline_rules_say"}
    mistakes = task(**host, baseline_rules=5, baseline_postures={"night": night}).mistakes(OF_HOST, {})
    starts = [text.partition(": ")[0] for text in sentences(mistakes)]
    assert "baseline_postures.night.security_level" in starts and "baseline_rules" in starts


def test_what_a_posture_misses_in_a_wrong_variable_is_not_told() -> None:
    host = {"edge_account_id": "a" * 32, "edge_zone_id": "b" * 32, "edge_api_token": "x" * 40}
    posture = {"until": "2027-01-30T00:00:00Z", "enabled": True, "security_level": "high"}
    mistakes = task(**host, baseline_enabled=[], baseline_posture=posture).mistakes(OF_HOST, {})
    assert [text for text in sentences(mistakes) if "nothing sets back" in text] == [
        "baseline_posture.security_level: nothing sets back security level; name it in baseline_security_level as well."
    ]
    gone = task(**host, baseline_postures=5, baseline_posture={"name": "night", "until": "2099-01-01"})
    assert not [text for text in sentences(gone.mistakes(OF_HOST, {})) if "no posture is called" in text]
