# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Work of this checkout beside the same work of an older commit, in pairs."""

from __future__ import annotations

import json
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from . import accounts, plays
from .measure import Case, Row, Taken, Way
from .peer import BASELINE, FORKS, ROUNDS, SIZES, Fleet, rules, zones
from .processes import REPOSITORY, Failure, run
from .ways import PLAYBOOK, Ways, Work

COMMIT = "f52529b"  # the whole layers, before traffic and expectations
BEFORE = "8f1041ae"  # before a host was one plan
TASKS = {
    "one more task that finds nothing to do (tcp_protection_status)": plays.status_in_order,
    "account_protection, whole account in order": plays.account_protection,
}
PARTS = 20
HOSTS, FIRST = 60, 100  # hosts, and the number of their first account


def is_there(commit: str) -> bool:
    """Whether the clone has a commit; a shallow one lacks the older ones."""
    words = ["git", "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(words, cwd=REPOSITORY, capture_output=True, check=False).returncode == 0


def collection_of(commit: str, folder: Path) -> Path:
    """A path of collections with this one as a commit has it; raises Failure for one that the clone lacks."""
    archive, collection = folder / "collection.tar", folder / "ansible_collections" / "edgeops" / "protection"
    collection.mkdir(parents=True)
    words = ["git", "archive", "--output", str(archive), commit]
    git = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if git.returncode:
        raise Failure(f"The commit {commit} cannot be compared with: {git.stderr.strip()}")
    with tarfile.open(archive) as files:
        files.extractall(collection, filter="data")
    return folder


def without(tasks: plays.Tasks, option: str) -> plays.Tasks:
    """The tasks without an option that the older commit lacks."""

    def older(account: str) -> list[plays.Task]:
        return [
            {
                name: {key: item for key, item in value.items() if key != option} if isinstance(value, dict) else value
                for name, value in task.items()
            }
            for task in tasks(account)
        ]

    return older


def program_of(commit: str, scratch: Path) -> tuple[str | Path, ...]:
    """ansible-playbook with the collection of a commit, which is extracted at once."""
    return ("env", f"ANSIBLE_COLLECTIONS_PATH={collection_of(commit, scratch / commit)}", PLAYBOOK)


def older(ways: Ways, commit: str) -> Ways:
    """Ways that run the collection of a commit."""
    return Ways(ways.serving, ways.scratch, program_of(commit, ways.scratch))


def cases(now: Ways, before: Ways, commit: str = COMMIT) -> Iterator[Case]:
    """Each task, now and then."""
    work = Work(accounts.in_order(), parts=PARTS)
    for (title, task), name in zip(TASKS.items(), ("task_then", "account_then"), strict=True):
        then = f"the same at {commit}"
        ways = {title: now.more(task(), work), then: before.more(without(task(), "call_budget"), work)}
        is_least = task is plays.status_in_order
        rows = [Row(title, then, 1.1, chief=is_least), Row(title, then, 1.0, of_processors=True)]
        yield Case(name, ways, rows)


def role_then(ways: Ways, program: Sequence[str | Path], commit: str = BEFORE, count: int = SIZES[0]) -> Case:
    """The role with a task for each zone, now and at a commit, whose program this is."""
    now, before = (Fleet(ways.serving, ways.scratch, count, program=one) for one in ((PLAYBOOK,), program))
    title, then = f"the role baseline in check mode, {count:,} zones in order", f"the same at {commit}"
    alternatives = {title: Way(now.role), then: Way(before.role)}
    return Case("role_then", alternatives, [Row(title, then, 0.75, of_processors=True)], rounds=ROUNDS)


def host_then(ways: Ways, program: Sequence[str | Path], commit: str = BEFORE, count: int = HOSTS) -> Case:
    """The role on hosts with an account, its lists and rulesets, and a zone, now and at a commit, whose program this is."""
    title = f"the role baseline in check mode, {count:,} accounts with lists, rulesets and zones, in order"
    then = f"the same at {commit}"
    alternatives = {
        title: Way(partial(in_check_mode, ways, count, (PLAYBOOK,))),
        then: Way(partial(in_check_mode, ways, count, program)),
    }
    return Case("host_then", alternatives, [Row(title, then, 0.6, of_processors=True)], rounds=ROUNDS)


def in_check_mode(ways: Ways, count: int, program: Sequence[str | Path]) -> Taken:
    """What the role takes to find so many hosts in order; raises Failure if it finds one of them otherwise."""
    held, described = accounts.in_order(), accounts.desired()
    blocked, listed = rules("example.com"), [{"ip": f"198.51.100.{number}"} for number in range(20)]
    ruleset = {"name": "Bots", "rules": blocked[:5]}
    held.update(lists=[{"name": "offices", "items": listed}], custom_rulesets=[ruleset], network_firewall_rules=[])
    described.update(ip_lists=[{"name": "offices", "items": listed}], custom_rulesets=[ruleset], custom_rules=blocked)
    held_by_account = {accounts.identifier(FIRST + number): held for number in range(count)}
    held_by_zone: dict[str, dict[str, Any]] = {
        zone: {"name": name, "account_id": account, "custom_rules": blocked}
        for (name, zone), account in zip(zones(count).items(), held_by_account, strict=True)
    }
    ways.serving.hold(held_by_account, 0.0, held_by_zone)
    variables: dict[str, Any] = {f"baseline_{option}": value for option, value in described.items()}
    variables.update(edge_api_token=ways.serving.token, edge_base_url=ways.serving.base_url)
    variables.update(ansible_connection="local", baseline_call_budget=plays.ENOUGH)
    variables["ansible_python_interpreter"] = "{{ ansible_playbook_python }}"
    hosts = {
        item["name"].partition(".")[0]: {"edge_account_id": item["account_id"], "edge_zone_id": zone}
        for zone, item in held_by_zone.items()
    }
    inventory, playbook = ways.scratch / "hosts.json", ways.scratch / "role.yml"
    inventory.write_text(json.dumps({"hosts": {"hosts": hosts, "vars": variables}}), encoding="utf-8")
    playbook.write_text(json.dumps([{"hosts": "all", "gather_facts": False, "tasks": [BASELINE]}]), encoding="utf-8")
    taken, text = run([*program, "-i", inventory, "-f", str(FORKS), playbook, "--check"], ways.scratch)
    if text.count("changed=0") != count or ways.serving.was_written_to():
        raise Failure(f"The role did not find the hosts as they are:\n{text[-2000:]}")
    return taken
