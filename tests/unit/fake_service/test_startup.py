# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service as a program."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
import yaml

from tests.fake_service import LocalService
from tests.fake_service.__main__ import DEMO, main
from tests.fake_service.misbehaviour import KINDS

REPOSITORY = Path(__file__).parents[3]
RULE = '{ref: a, action: block, expression: "true"}'
README = REPOSITORY / "tests" / "fake_service" / "README.md"


@contextmanager
def running(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The program, once it has written its port to a file, with the first line that it prints after that."""
    file = folder / "port"
    command = [sys.executable, "-m", "tests.fake_service", "--port-file", str(file), *options]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    program = subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert program.stdout
        first_line = program.stdout.readline()  # empty if the program ends
        assert first_line, program.communicate()
        yield program, first_line
    finally:
        program.kill()
        program.communicate()


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGINT, signal.SIGTERM]], ids=str)
def test_the_service_starts_prints_its_address_and_ends(tmp_path: Path, signals: list[signal.Signals]) -> None:
    with running(tmp_path) as (program, first_line):
        port = int((tmp_path / "port").read_text())
        assert first_line == f"The local service is at http://127.0.0.1:{port}/client/v4\n"
        assert requests.get(f"http://127.0.0.1:{port}/control/state", timeout=60).status_code == 200
        for number in signals:
            program.send_signal(number)
        assert program.stdout and program.stderr
        output, complaints = program.stdout.read(), program.stderr.read()  # until the program ends
        program.wait()
    assert "export CLOUDFLARE_API_TOKEN=" in output
    state = yaml.safe_load(DEMO.read_text(encoding="utf-8"))
    owners = {**state["accounts"], **state["zones"]}
    assert [name for name, owner in owners.items() if f"{name}  {owner['name']}\n" not in output] == []
    assert f"-e edge_base_url=http://127.0.0.1:{port}/client/v4 -e edge_api_token=" in output
    assert f"      base_url: http://127.0.0.1:{port}/client/v4\n" in output
    assert (complaints, program.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"zones: {{abc: {{custom_rules: [{RULE}, {RULE}]}}}}", "two rules have the ref 'a'"),
        ("accounts: {abc: {prefix: []}}", "an account has no prefix"),
        ("a: : b", "mapping values are not allowed here"),
        ("[1]", "'list' object"),
    ],
)
def test_a_state_that_cannot_be_taken_is_an_error_without_a_traceback(
    tmp_path: Path, text: str, reason: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state.yml"
    state.write_text(text)
    monkeypatch.setattr(sys, "argv", ["service", "--state", str(state)])
    with pytest.raises(SystemExit) as ended:
        main()
    output, complaints = capsys.readouterr()
    assert (ended.value.code, output) == (2, "")
    assert f"error: --state: {state} is no state document: " in complaints
    assert reason in complaints


def test_the_readme_shows_a_state_document_that_can_be_taken_over() -> None:
    readme = README.read_text()
    (example,) = re.findall(r"```yaml\n(.*?)```", readme, flags=re.DOTALL)
    service = LocalService()
    service.load(yaml.safe_load(example))
    assert len(service.accounts) == len(service.zones) == 1


def test_the_readme_names_every_kind_of_misbehaviour() -> None:
    readme = README.read_text()
    assert [name for name in KINDS if f"`{name}`" not in readme] == []
