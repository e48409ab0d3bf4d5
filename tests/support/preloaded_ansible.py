# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A process that has imported Ansible and forks for each program of it, since most of a short run is that import.

ansible-runner starts a process for each run.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

REPOSITORY = Path(__file__).parents[2]
MOST_BYTES = 1 << 20


class PreloadedAnsible:
    """Runs programs of Ansible, several at once if threads ask for them; its environment has the settings of Ansible."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._requests, requests = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with requests:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.preloaded_ansible", str(requests.fileno())],
                cwd=REPOSITORY,
                env=environment,
                pass_fds=[requests.fileno()],
            )

    def run(
        self, program: str, arguments: Sequence[str], directory: Path, environment: Mapping[str, str]
    ) -> tuple[int, str]:
        """The exit code of a program, and what it printed."""
        with tempfile.NamedTemporaryFile() as output:
            request = (program, arguments, str(directory), dict(environment), output.name)
            answer, answered = os.pipe()
            with open(answer, encoding="ascii") as code:
                socket.send_fds(self._requests, [json.dumps(request).encode()], [answered])
                os.close(answered)
                return int(code.read()), Path(output.name).read_text(encoding="utf-8")

    def end(self) -> None:
        """End the process, which removes Ansible's temporary files."""
        self._requests.close()
        self._process.wait()


def serve(requests: socket.socket) -> None:
    """Run each program that a message asks for; its exit code goes to the descriptor that came with the message."""
    importlib.import_module("ansible.cli.playbook")
    _import_collection()
    while True:
        message, descriptors, _flags, _address = socket.recv_fds(requests, MOST_BYTES, 1)
        if not message:
            return
        (answered,) = descriptors
        if os.fork() == 0:
            requests.close()
            _run_and_answer(answered, json.loads(message))
        os.close(answered)
        while _ended_child():
            pass


def _ended_child() -> bool:
    """Whether a program has ended that was waited for by nobody."""
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


def _run_and_answer(answered: int, request: tuple[str, Sequence[str], str, Mapping[str, str], str]) -> NoReturn:
    child = os.fork()
    if child == 0:
        os.close(answered)
        _run(*request)
    os.write(answered, str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
    os._exit(0)


def _import_collection() -> None:
    """Import what runs on the control node, which Ansible's loader of collections would compile again for each program."""
    importlib.import_module("ansible.plugins.loader").init_plugin_loader()
    warnings.filterwarnings("ignore", "AnsibleCollectionFinder has already been configured")
    plugins = Path(importlib.import_module("ansible_collections.edgeops.protection.plugins").__path__[0])
    for folder in ("module_utils", "plugin_utils", "action"):
        for path in sorted((plugins / folder).rglob("*.py")):
            name = ".".join(path.relative_to(plugins).with_suffix("").parts)
            importlib.import_module(f"ansible_collections.edgeops.protection.plugins.{name}")


def _run(
    program: str, arguments: Sequence[str], directory: str, environment: Mapping[str, str], output: str
) -> NoReturn:
    """Run the program in place of this process."""
    code = 1
    try:
        _redirect(os.devnull, os.O_RDONLY, 0)
        _redirect(output, os.O_WRONLY | os.O_APPEND, 1, 2)
        os.chdir(directory)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = [str(Path(sys.executable).parent / program), *arguments]
        (script,) = importlib.metadata.entry_points(group="console_scripts", name=program)
        script.load()()
    except SystemExit as exit:
        code = exit.code if isinstance(exit.code, int) else bool(exit.code)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # without what ends the process that was forked, such as the removal of its temporary files


def _redirect(path: str, flags: int, *descriptors: int) -> None:
    opened = os.open(path, flags)
    for descriptor in descriptors:
        os.dup2(opened, descriptor)
    os.close(opened)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
