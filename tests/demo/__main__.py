# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Three accounts and a zone are brought to their baseline: predicted, done, and found in order."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import Run, ansible_playbook

INVENTORY = Path(__file__).parent / "inventory"
STATE = Path(__file__).parent / "state.yml"
RUNS = (
    ("1. Predicted: ansible-playbook --check --diff playbooks/baseline.yml", ("--check", "--diff")),
    ("2. Done: ansible-playbook playbooks/baseline.yml", ()),
    ("3. Again: ansible-playbook playbooks/baseline.yml", ()),
)


def main() -> int:
    """Show the three runs and their summary; 0 only if what was predicted was done and nothing was left to do."""
    with LocalService() as service:
        service.load(yaml.safe_load(STATE.read_text(encoding="utf-8")))
        runs: list[Run] = []
        writes: list[int] = []
        for title, options in RUNS:
            before = len(service.writes)
            print(f"\n{title}\n{'=' * len(title)}", flush=True)
            run = ansible_playbook(
                "-i", INVENTORY, "-e", f"edge_base_url={service.base_url}", *options, "playbooks/baseline.yml"
            )
            print(run.output, flush=True)
            runs.append(run)
            writes.append(len(service.writes) - before)
        calls = Counter(_host_of(call.path) for call in service.calls)
    return report(runs, writes, calls)


def _host_of(path: str) -> str:
    """The host of the inventory whose account or zone a call was about."""
    hosts = yaml.safe_load((INVENTORY / "hosts.yml").read_text(encoding="utf-8"))["accounts"]["hosts"]
    owners = {identifier: host for host, ids in hosts.items() for identifier in ids.values()}
    return next((host for identifier, host in owners.items() if identifier in path), path)


def operations(run: Run) -> dict[str, list[Any]]:
    """What a run changed, or would have changed, by host."""
    merged: dict[str, list[Any]] = {}
    for task in run.of():
        merged.setdefault(task.host, []).extend(task.result.get("operations", []))
    return merged


def report(runs: list[Run], writes: list[int], calls: Counter[str]) -> int:
    """Print the closing table and what is wrong, if anything is."""
    predicted, done, left = (operations(run) for run in runs)
    print(f"{'account':<14}{'predicted':>10}{'done':>10}{'left to do':>12}{'calls made':>12}")
    for host in sorted(predicted):
        counts = (len(predicted[host]), len(done.get(host, [])), len(left.get(host, [])), calls[host])
        print("{:<14}{:>10}{:>10}{:>12}{:>12}".format(host, *counts))
    problems = [
        text
        for text, wrong in (
            ("a run failed", any(run.code for run in runs)),
            ("no account was seen", not predicted),
            ("nothing was predicted, so nothing was shown", not any(predicted.values())),
            ("check mode wrote something", writes[0] > 0),
            ("what was done is not what was predicted", predicted != done),
            ("the last run found something to do", any(left.values()) or writes[2] > 0),
        )
        if wrong
    ]
    print("\n" + ("All as predicted, nothing left to do." if not problems else "FAILED: " + "; ".join(problems) + "."))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
