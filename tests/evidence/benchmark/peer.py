# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Zones in order, read by the role in check mode and by the report, beside octorules and beside a task of another kind.

octorules and octorules-cloudflare are in an environment of their own, since they need other releases of libraries.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from .measure import Case, Row, Taken, Way
from .processes import Failure, run
from .serving import Serving
from .ways import PLAYBOOK, constant

FORKS = WORKERS = 20
LATENCY = 0.05  # seconds, of each call
RULES = 20  # of a zone
ROUNDS = 3
FEW, MANY = 20, 120  # hosts, whose runs make the time of a further one
IN_ORDER = "No changes detected."
HTML, TEXT = (f"octorules.plan_output.Plan{form}" for form in ("Html", "Text"))
# The most that the role, and the report, may take of the time of octorules, by the number of zones; below, the start of Python decides.
AT_MOST = {60: (0.9, 1.3), 300: (1.0, 0.6), 1_000: (1.0, 0.5)}
LATE = 300  # zones, whose calls are answered late
LARGEST = 5_000  # zones
MEMORY = 1024.0  # MiB, of a report on them

Words = Sequence[str | Path]
Task = Mapping[str, Any]


def rules() -> list[dict[str, Any]]:
    """The custom rules of a zone, as an inventory, octorules and the service have them."""
    return [
        {
            "ref": f"rule{number}",
            "description": f"Rule {number}",
            "action": "block",
            "expression": f'http.host eq "host{number}.example.com" and ip.src in {{192.0.2.{number}}}',
            "enabled": True,
        }
        for number in range(RULES)
    ]


def zones(count: int) -> dict[str, str]:
    """So many zones by name, each with its id."""
    return {f"zone{number}.example.com": f"{number:032x}" for number in range(count)}


def role(name: str) -> Task:
    """A task that imports a role as the playbooks do."""
    return {
        "name": "Run",
        "ansible.builtin.import_role": {"name": f"edgeops.protection.{name}", "rolespec_validate": False},
    }


def debug() -> Task:
    """A task that does next to nothing."""
    return {"name": "Run", "ansible.builtin.debug": {"msg": "Nothing"}}


def custom_rules() -> Task:
    """The module that the role runs for a zone."""
    options = {
        "zone_id": "{{ edge_zone_id }}",
        "api_token": "{{ edge_api_token }}",
        "base_url": "{{ edge_base_url }}",
        "call_budget": 0,
        "rules": "{{ baseline_custom_rules }}",
    }
    return {"name": "Run", "edgeops.protection.custom_rules": options}


class Fleet:
    """So many zones in order, and the runs that find them so; its files are in a folder of its own."""

    def __init__(self, serving: Serving, scratch: Path, count: int, latency: float = 0.0) -> None:
        self._serving, self._scratch, self._zones = serving, scratch / f"zones{count}", zones(count)
        self._latency = latency

    def octorules(self, program: str, html: bool = False) -> Taken:
        """Its plan, which can be written as HTML as well."""
        connection = {"CLOUDFLARE_API_TOKEN": self._serving.token, "CLOUDFLARE_BASE_URL": self._serving.base_url}
        settings = [f"{name}={value}" for name, value in connection.items()]
        phase = ["--scope", "zones", "--phase", "cloudflare.waf_custom_rules"]
        return self.taken(["env", *settings, program, "--config", self.write_config(html), *phase, "plan"], IN_ORDER)

    def role(self) -> Taken:
        """The role baseline in check mode."""
        return self.play(role("baseline"), "changed=0", check_mode=True)

    def report(self) -> Taken:
        """The playbook report, which writes JSON, HTML, Markdown, JUnit and metrics."""
        words = [*self.playing(), "edgeops.protection.report"]
        return self.taken(words, f"{len(self._zones)} in order")

    def play(
        self, task: Task, proof: str, times: int | None = None, reads: bool = True, check_mode: bool = False
    ) -> Taken:
        """A play with a task for each zone, which prints a proof for each of them, or so many `times`."""
        words, playbook = self.playing(), self._scratch / "play.yml"
        playbook.write_text(json.dumps([{"hosts": "zones", "gather_facts": False, "tasks": [task]}]), encoding="utf-8")
        words += [playbook, "--check"] if check_mode else [playbook]
        return self.taken(words, proof, len(self._zones) if times is None else times, reads)

    def playing(self) -> list[str | Path]:
        """ansible-playbook with the inventory of the zones."""
        return [PLAYBOOK, "-i", self.write_inventory(), "-f", str(FORKS)]

    def taken(self, words: Words, proof: str, times: int = 1, reads: bool = True) -> Taken:
        """What a run takes; raises Failure if it does not find every zone in order, or writes."""
        self._scratch.mkdir(exist_ok=True)
        described = rules()
        held = {
            zone: {"name": name, "plan": "business", "custom_rules": described} for name, zone in self._zones.items()
        }
        self._serving.hold({}, self._latency, held)
        taken, text = run(words, self._scratch)
        read = {call["path"].split("/")[2] for call in self._serving.calls() if "rulesets" in call["path"]}
        if text.count(proof) != times or self._serving.was_written_to():
            raise Failure(f"{words[0]} did not find the zones in order:\n{text[-2000:]}")
        if read != (set(self._zones.values()) if reads else set()):
            raise Failure(f"{words[0]} read {len(read)} of {len(self._zones)} zones.")
        return taken

    def write_inventory(self) -> Path:
        """The zones as hosts, with the variables of their group."""
        variables = {
            "ansible_connection": "local",
            "ansible_python_interpreter": "{{ ansible_playbook_python }}",
            "edge_api_token": self._serving.token,
            "edge_base_url": self._serving.base_url,
            "edge_zone_plan": "pro",  # as the inventory plugin tells it
            "baseline_call_budget": 0,
            "baseline_custom_rules": rules(),
            "report_directory": str(self._scratch / "report"),
        }
        hosts = {name: {"edge_zone_id": zone} for name, zone in self._zones.items()}
        self._scratch.mkdir(exist_ok=True)
        path = self._scratch / "zones.json"
        path.write_text(json.dumps({"zones": {"hosts": hosts, "vars": variables}}), encoding="utf-8")
        return path

    def write_config(self, html: bool = False) -> Path:
        """The same zones and rules for octorules."""
        folder = self._scratch / "rules"
        folder.mkdir(parents=True, exist_ok=True)
        text = yaml.safe_dump({"cloudflare": {"waf_custom_rules": rules()}}, sort_keys=False)
        for name in self._zones:
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
    """The fleets beside octorules, whose program this is, and a further host beside one of other tasks."""
    for count in AT_MOST:
        yield beside_octorules(serving, scratch, octorules, count)
    yield beside_octorules(serving, scratch, octorules, LATE, LATENCY)
    yield further_host(serving, scratch)
    yield largest_fleet(serving, scratch)


def beside_octorules(serving: Serving, scratch: Path, octorules: str, count: int, latency: float = 0.0) -> Case:
    """The role and the report on so many zones; the largest fleet beside a smaller one, too."""
    fleet = Fleet(serving, scratch, count, latency)
    late = f", {latency * 1000:g} ms per request" if latency else ""
    ours, report = role_title(count) + late, f"the report on {count:,} zones in order{late}"
    theirs = f"octorules plan of {count:,} zones{late}"
    html = f"{theirs}, with its HTML"
    ways = {
        theirs: Way(lambda: fleet.octorules(octorules)),
        ours: Way(fleet.role),
        html: Way(lambda: fleet.octorules(octorules, html=True)),
        report: Way(fleet.report),
    }
    rows = [
        Row(work, against, limit, of_processors=of_processors, chief=count == max(AT_MOST))
        for work, against, limit in zip((ours, report), (theirs, html), AT_MOST[count], strict=True)
        for of_processors in (False, True)
    ]
    if count == max(AT_MOST):
        middle = sorted(AT_MOST)[-2]
        ways[role_title(middle)] = Way(Fleet(serving, scratch, middle).role)
        rows.append(Row(ours, role_title(middle), 1.2, times=count / middle))
    return Case(f"zones_{count}{'_late' if latency else ''}", ways, rows, rounds=ROUNDS)


def role_title(count: int) -> str:
    return f"{count:,} zones in order, role baseline in check mode"


def further_host(serving: Serving, scratch: Path) -> Case:
    """What one more zone costs."""
    few, many = (Fleet(serving, scratch, count) for count in (FEW, MANY))

    def further(play: Callable[[Fleet], Taken]) -> Way:
        def measured() -> Taken:
            longer, shorter = play(many), play(few)
            return Taken(longer.processor - shorter.processor, longer.peak)

        return Way(measured, MANY - FEW)

    ours, module, least = (
        f"a further host of {what}, processors' time"
        for what in ("the role baseline in check mode", "a custom_rules task", "a debug task")
    )
    ways = {
        ours: further(Fleet.role),
        module: further(lambda fleet: fleet.play(custom_rules(), "changed=0", check_mode=True)),
        least: further(lambda fleet: fleet.play(debug(), "ok=1", reads=False)),
    }
    return Case("further_host", ways, [Row(ours, least, 1.7), Row(ours, module, 1.1)], rounds=ROUNDS)


def largest_fleet(serving: Serving, scratch: Path) -> Case:
    """The memory of a report on very many zones."""
    work, nothing = f"the report on {LARGEST:,} zones in order", "no memory"
    ways = {work: Way(Fleet(serving, scratch, LARGEST).report), nothing: constant(0)}
    return Case("largest_fleet", ways, [Row(work, nothing, MEMORY, unit="MiB")], rounds=1)
