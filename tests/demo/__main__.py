# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Three accounts and a zone, on a local service: one exported, all planned, approved, applied in stages, and reported."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from textwrap import wrap
from typing import Any

import yaml

from tests.demo.screen import host_lines, table
from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook

INVENTORY = Path("tests/demo/inventory")
STATE = Path(__file__).parent / "state.yml"
FOLDER = Path(".cache/demo")
DRIFTED = "singapore"
LOSING = "023e105f4ecef8ad9ca31a8372d0c353"  # the account of frankfurt
APPROVED = f"baseline_expected_plan={FOLDER}/plan/plans/{{{{ inventory_hostname }}}}.json"
STAGE = 4.1  # hours; rules monitor for four before they mitigate
EVIDENCE = '{"baseline_rollout_evidence": {"hours": 4}}'
LOST = {"verdict": "drop", "mitigationReason": "NOT_FOUND", "packets": 50_000}  # would have been dropped

Report = Mapping[str, Any]


@dataclass
class Demonstration:
    """The local service and what has been run against it."""

    service: LocalService
    verbose: bool = False
    runs: list[Run] = field(default_factory=list)

    def run(self, title: str, playbook: str, *options: str | Path) -> Run:
        """Run a playbook as the title says."""
        shown = " ".join(f"'{option}'" if " " in str(option) else str(option) for option in options)
        print(
            f"\n{len(self.runs) + 1}. {title}\n   $ ansible-playbook playbooks/{playbook}.yml {shown}".rstrip(),
            flush=True,
        )
        address = f"edge_base_url={self.service.base_url}"
        run = ansible_playbook("-i", INVENTORY, "-e", address, *options, f"playbooks/{playbook}.yml")
        if self.verbose or run.code:
            print(run.output, flush=True)
        self.runs.append(run)
        return run

    def report(self, title: str, name: str) -> Report:
        """Run the playbook report, and read what it wrote."""
        self.run(title, "report", "-e", f"report_directory={FOLDER / name}")
        path = REPOSITORY / FOLDER / name / "report.json"
        document: Report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"hosts": []}
        return document


def main() -> int:
    """Show the way; 0 only if no run failed, and every host is in order and mitigates."""
    shutil.rmtree(REPOSITORY / FOLDER, ignore_errors=True)
    with LocalService() as service:
        service.load(yaml.safe_load(STATE.read_text(encoding="utf-8")))
        demonstration = Demonstration(service, verbose=bool(os.environ.get("VERBOSE")))
        demonstration.run(
            "Export what an account holds", "export", "--limit", DRIFTED, "-e", f"export_directory={FOLDER}"
        )
        exported = REPOSITORY / FOLDER / DRIFTED / "protection.yml"
        print(
            f"   {FOLDER / DRIFTED / 'protection.yml'} has {len(exported.read_text().splitlines())} lines for review."
        )
        plan = demonstration.report("Plan: compare every account with the inventory", "plan")
        for record in plan["hosts"]:
            print("\n".join(host_lines(record)))
        demonstration.run("Apply the approved plan, and no other", "baseline", "-e", APPROVED)
        service.clock.advance(hours=STAGE)
        seed_traffic(service, {LOSING: LOST})
        later = demonstration.run("Four hours later: mitigate where the traffic allows it", "baseline", "-e", EVIDENCE)
        print("\n".join(waiting(later)))
        service.clock.advance(hours=STAGE)
        seed_traffic(service, {})
        demonstration.run("Again four hours later, when flow tracking knows them", "baseline", "-e", EVIDENCE)
        final = demonstration.report("Report", "report")
        calls = Counter(_host_of(call.path) for call in service.calls)
    print("\n".join(table(_rows(plan, demonstration.runs, final, calls))))
    print(f"   See {FOLDER}/report/report.html. {'' if demonstration.verbose else 'VERBOSE=1 make demo shows all.'}")
    is_fine = all(record["status"] == "in_order" and record["mitigates"] for record in final["hosts"])
    wrong = not is_fine or not final["hosts"] or any(run.code for run in demonstration.runs)
    print("\nFAILED." if wrong else "\nAll as approved, and every account is protected.")
    return 1 if wrong else 0


def seed_traffic(service: LocalService, losing: Mapping[str, Mapping[str, Any]]) -> None:
    """Packets that pass to every protected prefix, and by account those that would have been dropped."""
    for identity, account in service.accounts.items():
        prefixes = [str(item["prefix"]) for item in account.prefixes if not item["excluded"]]
        targets = [str(ip_network(prefix)[place]) for prefix in prefixes for place in (7, -8)]
        passing = [{"ipDestinationAddress": target, "packets": 1_200_000, "sampleInterval": 1000} for target in targets]
        lost = [{**passing[0], **losing[identity]}] if identity in losing else []
        account.seed(traffic=[*passing, *lost])


def waiting(run: Run) -> Iterator[str]:
    """What a run did not enable yet, and why, by host."""
    for line in run.output.splitlines():
        if "is not enabled yet" in line:
            yield from wrap(line, 108, initial_indent="  ", subsequent_indent="    ")


def _host_of(path: str) -> str:
    """The host of the inventory whose account or zone a call was about."""
    hosts = yaml.safe_load((REPOSITORY / INVENTORY / "hosts.yml").read_text(encoding="utf-8"))["accounts"]["hosts"]
    owners = {identifier: host for host, ids in hosts.items() for identifier in ids.values()}
    return next((host for identifier, host in owners.items() if identifier in path), path)


def operations(run: Run) -> dict[str, list[Any]]:
    """What a run changed, by host, as a report names it."""
    merged: dict[str, list[Any]] = {}
    for task in run.of():
        listed = [(item["action"], item["resource"], item["key"]) for item in task.result.get("operations", [])]
        merged.setdefault(task.host, []).extend(listed)
    return merged


def planned(report: Report) -> dict[str, list[Any]]:
    """What a report says that a run would change, by host."""
    return {
        record["host"]: [(item["action"], item["resource"], item["key"]) for item in record["operations"]]
        for record in report["hosts"]
    }


def _rows(plan: Report, runs: Sequence[Run], final: Report, calls: Mapping[str, int]) -> dict[str, dict[str, object]]:
    applied, first, second = (operations(run) for run in runs[2:5])
    statuses = {record["host"]: record for record in final["hosts"]}
    return {
        host: {
            "planned": len(items),
            "applied": len(applied.get(host, [])),
            "4 h later": len(first.get(host, [])),
            "8 h later": len(second.get(host, [])),
            "calls": calls[host],
            "status": statuses[host]["status"].replace("_", " ") if host in statuses else "",
            "mitigates": "yes" if host in statuses and statuses[host]["mitigates"] else "no",
        }
        for host, items in sorted(planned(plan).items())
    }


if __name__ == "__main__":
    sys.exit(main())
