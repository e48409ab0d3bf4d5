# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The schedules in examples/schedules for systemd and cron are what these take, and start commands that the program has."""

from __future__ import annotations

import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest

from tests.support.ansible_run import REPOSITORY

SCHEDULES = REPOSITORY / "examples" / "schedules"
UNITS = sorted((SCHEDULES / "systemd").iterdir())
PROGRAM = "/srv/ansible-protection/extensions/ci/protection"
INSTANCE = re.compile(r"protection@(\w+)\.service")
FIELDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))  # of cron
CRON = re.compile(r"^((?:\S+ ){5})(\w+) (.+)$", re.MULTILINE)
needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")


def verified(folder: Path) -> str:
    """What systemd finds wrong with the units of a folder, each of which it loads."""
    names = {path.name.replace("@.", "@report.") for path in folder.iterdir()}
    command = ["systemd-analyze", "verify", "--man=no", *sorted(str(folder / name) for name in names)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The units, with a program that every machine has."""
    for path in UNITS:
        text = path.read_text(encoding="utf-8").replace(PROGRAM, "/bin/true")
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    return tmp_path


def findings(folder: Path) -> list[str]:
    return [line for line in verified(folder).splitlines() if "protection" in line]


@needs_systemd
def test_systemd_takes_the_units(folder: Path) -> None:
    assert findings(folder) == []


def test_timers_start_commands() -> None:
    started = set()
    for path in UNITS:
        unit = ConfigParser(interpolation=None, strict=False)
        unit.read_string(path.read_text(encoding="utf-8"))
        if path.suffix == ".timer":
            started |= {*INSTANCE.findall(unit["Timer"]["Unit"])}
    assert started == {"report", "time"} <= commands()


def commands() -> set[str]:
    """The commands of the program."""
    text = (REPOSITORY / "extensions" / "ci" / "protection").read_text(encoding="utf-8")
    return {*re.findall(r"^(\w+)\)$", text, re.MULTILINE)}


def is_field(text: str, least: int, most: int) -> bool:
    """Whether a field of cron is a star with or without a step, or numbers within bounds."""
    if re.fullmatch(r"\*(/[1-9]\d*)?", text):
        return True
    return all(part.isdigit() and least <= int(part) <= most for part in re.split("[,-]", text))


def test_cron_takes_the_table() -> None:
    text = (SCHEDULES / "protection.cron").read_text(encoding="utf-8")
    jobs = CRON.findall(text.partition("MAILTO=")[2].partition("\n")[2])
    assert [re.findall(rf"{PROGRAM} (\w+)", command) for _times, _user, command in jobs] == [["report"], ["time"]]
    for times, user, command in jobs:
        assert user == "protection" and "%" not in command  # which cron takes for a line break
        assert all(is_field(field, *bounds) for field, bounds in zip(times.split(), FIELDS, strict=True))
    assert text.endswith("\n")
