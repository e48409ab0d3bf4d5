# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The first hour, typed into two shells as the page shows it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.ansible_run import REPOSITORY
from tests.support.documents import read_page, shows

PAGE = read_page(REPOSITORY / "docs" / "first_hour.md")
PORT = "8080"  # of the page
# What is there already where this test runs, and what test_baseline.py runs.
NOT_TYPED = ("git clone", "cd ansible-protection", "make demo")
FOLDER = REPOSITORY / ".cache" / "try"
END = "this was the output of a command that ended with "


class Shell:
    """A shell in the checkout."""

    def __init__(self) -> None:
        settings = ("ANSIBLE_", "CLOUDFLARE_", "MAKE", "MFLAGS")
        self._process = subprocess.Popen(
            ["bash"],
            cwd=REPOSITORY,
            env={name: value for name, value in os.environ.items() if not name.startswith(settings)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def type(self, command: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{command} </dev/null; echo '{END}'$?\n")
        self._process.stdin.flush()

    def shown(self) -> Iterator[str]:
        """The lines of the command typed last, of which the last one tells how it ended."""
        assert self._process.stdout
        for line in self._process.stdout:
            yield line
            if line.startswith(END):
                return

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGTERM)
        self._process.communicate()


@contextmanager
def opened() -> Iterator[Shell]:
    shell = Shell()
    try:
        yield shell
    finally:
        shell.close()


@pytest.fixture
def port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def test_it_works_as_typed(port: str) -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    serve, *others = (command for command in PAGE.commands if not str(command).startswith(NOT_TYPED))
    with opened() as first, opened() as second:
        first.type(str(serve).replace(PORT, port))
        address, *_rest = serve.shown.replace(PORT, port).splitlines()
        assert address in (line.strip() for line in first.shown())
        for command in others:
            second.type(str(command))
            *lines, end = second.shown()
            output = "".join(lines)
            assert end.strip() == f"{END}{2 if command.fails else 0}", output
            assert shows(command.shown, output), output
            if command.words[0] == "cd":
                for name, text in PAGE.files.items():
                    (FOLDER / name).write_text(text.replace(PORT, port), encoding="utf-8")
    assert "denver" in (FOLDER / "report" / "report.html").read_text(encoding="utf-8")
