# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The example rulebook, run by ansible-rulebook itself against the local service."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY
from tests.support.module_run import ACCOUNT

PROGRAMS = REPOSITORY / ".cache" / "rulebook" / "bin"
RULEBOOK = "edgeops.protection.traffic"  # of the collection, as its users name it
LONGEST = 150  # seconds; ansible-rulebook starts Java first
LOST = {"ipDestinationAddress": "203.0.113.7", "packets": 6000, "verdict": "drop", "mitigationReason": "NOT_FOUND"}


@pytest.fixture
def service() -> Iterator[LocalService]:
    with LocalService() as running:
        yield running
        assert not running.breaches and not running.writes


class Rulebook:
    """A run of ansible-rulebook, and what it printed so far."""

    def __init__(self, service: LocalService, folder: Path) -> None:
        variables = {"accounts": [ACCOUNT], "interval": 10, "delay": 0, "min_packets_per_second": 10}
        files = {"vars.yml": variables, "hosts.yml": {"all": {"hosts": {"localhost": {"ansible_connection": "local"}}}}}
        for name, content in files.items():
            (folder / name).write_text(yaml.safe_dump(content), encoding="utf-8")
        self.path = folder / "output"
        ours = ("ANSIBLE_", "CLOUDFLARE_")
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(ours)},
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
            "PYTHONUNBUFFERED": "1",
            "ANSIBLE_HOME": str(folder / "ansible"),
            "CLOUDFLARE_API_TOKEN": service.token,
            "CLOUDFLARE_BASE_URL": service.base_url,
        }
        command = [
            str(PROGRAMS / "ansible-rulebook"),
            "--rulebook",
            RULEBOOK,
            "-i",
            "hosts.yml",
            "--vars",
            "vars.yml",
            "-vv",
        ]
        with self.path.open("w", encoding="utf-8") as output:
            self.process = subprocess.Popen(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )

    @property
    def output(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def wait_for(self, reached: Callable[[], Any]) -> None:
        """Wait until something is so, as long as it runs."""
        end = time.monotonic() + LONGEST
        while not reached():
            assert self.process.poll() is None and time.monotonic() < end, self.output
            time.sleep(0.5)

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def rulebook(service: LocalService, tmp_path: Path) -> Iterator[Rulebook]:
    service.account(ACCOUNT)
    running = Rulebook(service, tmp_path)
    yield running
    running.end()


def test_the_rulebook_acts_when_dropping_begins_and_ends(service: LocalService, rulebook: Rulebook) -> None:
    rulebook.wait_for(lambda: service.queries)
    service.account(ACCOUNT).seed(traffic=[{**LOST, "hours_ago": -second / 3600} for second in range(25)])
    begins = r"^out_of_state_tcp would drop \d+\.\d+ packets/s to 203\.0\.113\.0/24$"
    rulebook.wait_for(lambda: re.search(begins, rulebook.output, re.MULTILINE))
    service.misbehave("query_errors", messages=["not authorized for that account"], path="graphql", times=1)
    rulebook.wait_for(lambda: "is not known. " in rulebook.output)
    ends = "out_of_state_tcp: would_drop to 203.0.113.0/24 is over"
    rulebook.wait_for(lambda: ends in rulebook.output)
    assert len(re.findall(begins, rulebook.output, re.MULTILINE)) == 1
    assert rulebook.output.count(ends) == 1
    assert service.token not in rulebook.output
