# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each kind of value of a posture, in each way to name it, on each kind of host: before, during and after it, predicted,
applied, and applied again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import ZONE_OPTION
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.merged_host import MergedHost
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.posture import PostureEntries
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.posture_file import PostureFile
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import OF_A_POSTURE

from tests.fake_service import LocalService
from tests.functional.idempotence_cases import BLOCK
from tests.support.host_parts import host, lawful_part
from tests.support.module_run import ACCOUNT, ZONE
from tests.support.resource_samples import SAMPLES, Sample
from tests.support.sampled_rows import sample
from tests.support.service_state import collections_of, comparable

BEFORE, FIRST, SECOND, AFTER = (datetime(2027, 1, 29, hour, tzinfo=UTC) for hour in (3, 7, 9, 11))
SOON, LATER = "2027-01-29T08:00:00Z", "2027-01-29T10:00:00Z"
OF_POSTURES = [sample for sample in SAMPLES if sample.name in OF_A_POSTURE]
# By the plural of the resource: what a posture can bring.
KINDS: Mapping[str, Sample] = {
    sample.resource.plural: sample for sample in OF_POSTURES if sample.another or not sample.resource.key
}


def new_object(sample: Sample) -> dict[str, Any]:
    """An object that the baseline does not have, as a posture has it."""
    return {**sample.another, "position": "first"} if sample.resource.is_ordered else {**sample.another}


def of_baseline(*plurals: str) -> dict[str, Any]:
    """The variables of a baseline with the existing objects of these resources."""
    samples = [KINDS[plural] for plural in plurals]
    return {f"baseline_{sample.name}": sample.value(sample.existing) for sample in samples}


class Case(NamedTuple):
    """A kind of value, whether the baseline has it, the way to name it, and the host."""

    kind: str
    is_over: bool
    way: str
    is_both: bool

    def __str__(self) -> str:
        over, hosts = "over" if self.is_over else "new", "both" if self.is_both else "alone"
        return f"{self.kind}-{over}-{self.way}-{hosts}"

    @property
    def sample(self) -> Sample:
        """The objects of this kind."""
        return KINDS[self.kind]

    @property
    def is_of_zone(self) -> bool:
        """Whether a zone has them."""
        return self.sample.resource.owner == ZONE_OPTION

    @property
    def baseline(self) -> dict[str, Any]:
        """The variables of the host without a posture."""
        account = of_baseline("prefixes", "syn_flood_rules") if self.is_both or not self.is_of_zone else {}
        zone = of_baseline("custom_rules") if self.is_both or self.is_of_zone else {}
        return {**account, **zone, **of_baseline(self.kind)}

    @property
    def values(self) -> dict[str, Any]:
        """The values of the posture."""
        obj = self.sample.changed if self.is_over else new_object(self.sample)
        return {self.sample.name: self.sample.value(obj)}

    @property
    def beside(self) -> dict[str, Any]:
        """The values of another posture."""
        if self.is_of_zone:
            return {"custom_rules": [{"ref": "beside", **BLOCK}]}
        return {"prefixes": [{"prefix": "198.18.0.0/24"}]}


WAYS: Mapping[str, tuple[str, ...]] = {  # the postures of the host, each with its end
    "named": ("name",),
    "values": ("values",),
    "twice": ("name", "name later"),
    "values_twice": ("values", "values later"),
    "beside": ("values", "beside later"),
    "beside_earlier": ("beside", "name later"),
    "both": ("name", "values later"),
}
CASES = [
    Case(kind, is_over, way, is_both)
    for kind, sample_of_kind in KINDS.items()
    for is_over in ((True, False) if sample_of_kind.another else (True,))
    for way in WAYS
    for is_both in (True, False)
]


def entries_of(case: Case, folder: Path) -> PostureEntries:
    """The postures of the host, the first in its variables, the others in the file."""
    contents = {"name": {"name": "night"}, "values": case.values, "beside": case.beside}
    entries = []
    for words in WAYS[case.way]:
        content, _space, later = words.partition(" ")
        entries.append({**contents[content], "until": LATER if later else SOON})
    file = PostureFile(folder / "postures.yml")
    file.write("lima", [], entries[1:])
    return [(Option("baseline_posture"), entries[0]), *file.placed("lima", file.entries_of("lima"))]


def state(service: LocalService) -> dict[str, Any]:
    """All that the service has; a list that a posture has made remains without items."""
    collections = collections_of(service)
    collections["ip_lists"] = [one for one in collections["ip_lists"] if one["name"] != "fresh" or one["items"]]
    return {name: comparable(json.loads(json.dumps(items))) for name, items in collections.items() if items}


class Lima:
    """A host, whose time passes."""

    def __init__(self, service: LocalService, case: Case, folder: Path) -> None:
        ids = host(service)
        if not case.is_both:
            ids.pop("edge_account_id" if case.is_of_zone else "edge_zone_id")
        self.values = {**ids, **case.baseline, "baseline_postures": {"night": case.values}}
        self.service, self.entries = service, entries_of(case, folder)

    def run(self, now: datetime, entries: PostureEntries) -> dict[str, Any]:
        """Predict, apply and apply again; the state afterwards."""
        lawful_part(MergedHost("lima", self.values, entries, now).part())
        return state(self.service)


@pytest.mark.parametrize("case", sample(CASES, 24), ids=str)
def test_a_posture_comes_and_goes_and_leaves_nothing(case: Case, service: LocalService, tmp_path: Path) -> None:
    service.account(ACCOUNT), service.zone(ZONE)
    lima = Lima(service, case, tmp_path)
    before = lima.run(BEFORE, [])
    during = lima.run(FIRST, lima.entries)
    assert during != before
    between = lima.run(SECOND, lima.entries)
    is_later = {words for words in WAYS[case.way] if words.endswith("later")}
    assert (between == during) is (case.way in ("twice", "values_twice", "both"))
    assert (between == before) is not bool(is_later)
    assert lima.run(AFTER, lima.entries) == before
    assert lima.run(AFTER, []) == before, "nothing is left for anybody who removes the entries"


def test_every_kind_of_value_has_cases() -> None:
    kinds = {case.sample.name for case in CASES}
    assert {*OF_A_POSTURE} - kinds == {"accept_risks", "expectations", "firewall_rules"}
    assert len(CASES) > 257
