# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Zones in order, read by the playbook baseline in check mode and by the report, beside octorules.

octorules and octorules-cloudflare are in an environment of their own, since they need other releases of libraries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from .measure import Case, Row, Taken, Way
from .processes import Failure, run
from .serving import Serving
from .ways import PLAYBOOK, constant

FORKS = WORKERS = 20
BUDGET = 30_000  # calls in five minutes, which no run here makes
LATENCY = 0.05  # seconds, of each call
RULES = 20  # of a zone
ACCOUNT = "a" * 32
ROUNDS = 3
IN_ORDER = "No changes detected."
HTML, TEXT = (f"octorules.plan_output.Plan{form}" for form in ("Html", "Text"))
SIZES = (300, 1_000)  # zones
LARGEST = 5_000  # zones
MEMORY = 1024.0  # MiB, of a report on them
# The most that the playbook baseline, and the report, may take of octorules without its HTML: of the seconds, of the processors'.
AT_MOST_BASELINE, AT_MOST_REPORT = (0.9, 0.8), (0.6, 0.6)

Words = Sequence[str | Path]


def rules(domain: str) -> list[dict[str, Any]]:
    """The custom rules of a zone, as an inventory, octorules and the service have them; they name hosts of a domain."""
    return [
        {
            "ref": f"rule{number}",
            "description": f"Rule {number}",
            "action": "block",
            "expression": f'http.host eq "host{number}.{domain}"',
            "enabled": True,
        }
        for number in range(RULES)
    ]


def zones(count: int) -> dict[str, str]:
    """So many zones by name, each with its id."""
    return {f"zone{number}.example.com": f"{number + 1:08x}{'f' * 24}" for number in range(count)}


BASELINE = {  # as the playbook imports it
    "name": "Run",
    "ansible.builtin.import_role": {"name": "edgeops.protection.baseline", "rolespec_validate": False},
}


class Fleet:
    """So many zones, of which so many are not in order, and the runs that find them so; its files are in a folder of its own.

    The inventory has the ids of the zones, and no names or plans of theirs; all have the same rules, or each its own.
    """

    def __init__(
        self,
        serving: Serving,
        scratch: Path,
        count: int,
        latency: float = 0.0,
        different: int = 0,
        own_rules: bool = False,
        program: Words = (PLAYBOOK,),
    ) -> None:
        self._serving, self._zones, self._latency, self._different = serving, zones(count), latency, different
        self._scratch, self._own_rules, self._program = scratch / f"zones{count}", own_rules, program
        held = [self._rules(name) for name in self._zones]
        for described in held[:different]:
            described[0] = {**described[0], "action": "managed_challenge"}
        self._held = {
            zone: {"name": name, "plan": "business", "custom_rules": described, "account_id": ACCOUNT}
            for (name, zone), described in zip(self._zones.items(), held, strict=True)
        }

    def _rules(self, zone: str) -> list[dict[str, Any]]:
        """The rules that are described for a zone: its own, or those of all zones."""
        return rules(zone if self._own_rules else "example.com")

    def octorules(self, program: str, html: bool = False) -> Taken:
        """Its plan, which can be written as HTML as well."""
        connection = {"CLOUDFLARE_API_TOKEN": self._serving.token, "CLOUDFLARE_BASE_URL": self._serving.base_url}
        settings = [f"{name}={value}" for name, value in connection.items()]
        phase = ["--scope", "zones", "--phase", "cloudflare.waf_custom_rules"]
        words: list[str | Path] = ["env", *settings, program, "--config", self.write_config(html), *phase, "plan"]
        return (
            self.taken(words, "managed_challenge", self._different) if self._different else self.taken(words, IN_ORDER)
        )

    def baseline(self) -> Taken:
        """The playbook baseline in check mode, which shows the differences."""
        proof = f"{len(self._zones) - self._different} in order, {self._different} would change, 0 refused"
        return self.taken([*self.playing(), "edgeops.protection.baseline", "--check", "--diff"], proof)

    def role(self) -> Taken:
        """The role baseline in check mode, with a task for each zone."""
        words, playbook = self.playing(), self._scratch / "play.yml"
        playbook.write_text(
            json.dumps([{"hosts": "zones", "gather_facts": False, "tasks": [BASELINE]}]), encoding="utf-8"
        )
        return self.taken([*words, playbook, "--check"], "changed=0", len(self._zones))

    def report(self) -> Taken:
        """The playbook report, which writes JSON, HTML, Markdown, JUnit and metrics."""
        words = [*self.playing(), "edgeops.protection.report"]
        return self.taken(words, f"{len(self._zones) - self._different} in order")

    def playing(self) -> list[str | Path]:
        """The program with the inventory of the zones."""
        return [*self._program, "-i", self.write_inventory(), "-f", str(FORKS)]

    def taken(self, words: Words, proof: str, times: int = 1) -> Taken:
        """What a run takes; raises Failure if it does not find every zone as it is, or writes."""
        self._scratch.mkdir(exist_ok=True)
        self._serving.hold({}, self._latency, self._held)
        taken, text = run(words, self._scratch)
        calls = self._serving.calls()
        read = {call["path"].split("/")[2] for call in calls if "rulesets" in call["path"]}
        if text.count(proof) != times or self._serving.was_written_to():
            raise Failure(f"{words[0]} did not find the zones as they are:\n{text[-2000:]}")
        if read != set(self._zones.values()):
            raise Failure(f"{words[0]} read {len(read)} of {len(self._zones)} zones.")
        return replace(taken, calls=len(calls))

    def write_inventory(self) -> Path:
        """The zones as hosts."""
        variables = {
            "ansible_connection": "local",
            "ansible_python_interpreter": "{{ ansible_playbook_python }}",
            "edge_api_token": self._serving.token,
            "edge_base_url": self._serving.base_url,
            "baseline_call_budget": BUDGET,
            "report_directory": str(self._scratch / "report"),
        }
        variables.update({} if self._own_rules else {"baseline_custom_rules": self._rules("")})
        hosts = {
            name.partition(".")[0]: {
                "edge_zone_id": zone,
                **({"baseline_custom_rules": self._rules(name)} if self._own_rules else {}),
            }
            for name, zone in self._zones.items()
        }
        self._scratch.mkdir(exist_ok=True)
        path = self._scratch / "zones.json"
        path.write_text(json.dumps({"zones": {"hosts": hosts, "vars": variables}}), encoding="utf-8")
        return path

    def write_config(self, html: bool = False) -> Path:
        """The same zones and rules for octorules."""
        folder = self._scratch / "rules"
        folder.mkdir(parents=True, exist_ok=True)
        for name in self._zones:
            text = yaml.dump(
                {"cloudflare": {"waf_custom_rules": self._rules(name)}}, Dumper=yaml.CSafeDumper, sort_keys=False
            )
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        output = {"page": {"class": HTML, "path": str(self._scratch / "plan.html")}, "text": {"class": TEXT}}
        config = {
            "manager": {"max_workers": WORKERS, **({"plan_outputs": output} if html else {})},
            "providers": {"cloudflare": {"token": "env/CLOUDFLARE_API_TOKEN"}, "rules": {"directory": str(folder)}},
            "zones": {name: {"sources": ["rules"]} for name in self._zones},
        }
        path = self._scratch / "config.yaml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        return path


def cases(serving: Serving, scratch: Path, octorules: str) -> Iterator[Case]:
    """The fleets beside octorules, whose program this is, and those beside what they need at least."""
    for count in SIZES:
        yield beside_octorules(serving, scratch, octorules, "in order", count)
        yield beside_octorules(serving, scratch, octorules, "1 % different", count, different=count // 100)
    late = f"in order, {LATENCY * 1000:g} ms per request"
    yield beside_octorules(serving, scratch, octorules, late, SIZES[0], latency=LATENCY)
    yield beside_octorules(serving, scratch, octorules, "in order, with rules of their own", SIZES[0], own_rules=True)
    yield largest_fleet(serving, scratch)


def beside_octorules(serving: Serving, scratch: Path, octorules: str, state: str, count: int, **options: Any) -> Case:
    """The playbook baseline and the report on so many zones, and on a small fleet in order the role as well.

    octorules takes less without its HTML, so that these lines are the unfavourable ones.
    """
    fleet = Fleet(serving, scratch, count, **options)
    what = f"{count:,} zones {state}"
    theirs, html = "octorules plan", "octorules plan, with its HTML"
    baseline, report, role_of_each = (
        f"{name} on {what}" for name in ("playbook baseline --check", "the report", "the role baseline in check mode")
    )
    ways = {theirs: Way(lambda: fleet.octorules(octorules)), baseline: Way(fleet.baseline), report: Way(fleet.report)}
    is_chief = "latency" not in options and (count == min(SIZES) if options else count == max(SIZES))
    against = {theirs: is_chief}
    if not options:
        ways[html] = Way(lambda: fleet.octorules(octorules, html=True))
        against[html] = False
    shown = {baseline: True, report: not options}  # on the page for users, which a fleet of each size is enough for
    rows = [
        Row(work, other, limits[of_processors], of_processors=of_processors, chief=chief and shown[work])
        for work, limits in ((baseline, AT_MOST_BASELINE), (report, AT_MOST_REPORT))
        for other, chief in against.items()
        for of_processors in (False, True)
    ]
    if count == min(SIZES) and not options:
        ways[role_of_each] = Way(fleet.role)
        rows += [Row(role_of_each, theirs, 1.0, of_processors=one, chief=True) for one in (False, True)]
    return Case(f"fleet_{count}_{'_'.join(options) or 'in_order'}", ways, rows, rounds=ROUNDS)


def largest_fleet(serving: Serving, scratch: Path) -> Case:
    """The memory and the calls of very many zones."""
    fleet, nothing = Fleet(serving, scratch, LARGEST), "nothing"
    runs = {
        "playbook baseline --check": (fleet.baseline, LARGEST + LARGEST // 40),
        "the report": (fleet.report, LARGEST + LARGEST // 40),
    }
    ways = {nothing: constant(0)}
    rows: list[Row] = []
    for name, (run_of, calls) in runs.items():
        work = f"{name} on {LARGEST:,} zones in order"
        ways[work] = Way(run_of)
        rows.append(Row(work, nothing, MEMORY, unit="MiB", chief=True))
        rows.append(Row(work, nothing, calls, unit="calls"))
    return Case(f"fleet_{LARGEST}", ways, rows, rounds=1)
