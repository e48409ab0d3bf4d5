# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A page as its reader plays it: files in a folder, and commands that meet the local service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.fake_service import LocalService
from tests.support.ansible_run import REPOSITORY, Run, ansible
from tests.support.documents import Command, Page, read_page

INDEX = read_page(REPOSITORY / "docs" / "README.md")
WITH_VAULT = ("ansible-playbook", "ansible", "ansible-inventory", "ansible-vault")
STATE = REPOSITORY / "tests" / "demo" / "state.yml"  # that of make serve, so readers can do the same


@dataclass
class Project:
    """A page's files in a directory, with the index's inventory unless it has its own, and the service they meet."""

    page: Page
    directory: Path
    service: LocalService

    def write(self) -> None:
        own = any(name.startswith("inventory/") for name in self.page.files)
        borrowed = {} if own else {name: text for name, text in INDEX.files.items() if name.startswith("inventory/")}
        for name, text in {**borrowed, **self.page.files}.items():
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def begin(self) -> None:
        """The service as the page finds it."""
        self.service.load(self.page.state or yaml.safe_load(STATE.read_text(encoding="utf-8")))

    def run(self, command: Command) -> Run:
        """A command as it is shown, except that the local service is what it meets, and nothing else can be."""
        program, *words = command.words
        password = self.directory.parent / "vault-password"
        password.write_text("not a secret", encoding="utf-8")
        return ansible(
            program,
            *words,
            *(["-e", f"edge_base_url={self.service.base_url}"] if program == "ansible-playbook" else []),
            # One fork, so that hosts come out in the order that the page shows.
            *(["--forks", "1"] if program == "ansible-playbook" and "--forks" not in words else []),
            *(["--vault-password-file", str(password)] if program in WITH_VAULT else []),
            directory=self.directory,
            environment={
                **({} if self.finds_by_variable(words) else {"CLOUDFLARE_BASE_URL": self.service.base_url}),
                "HTTPS_PROXY": "http://127.0.0.1:9",
                **command.environment,
            },
        )

    def finds_by_variable(self, words: Sequence[str]) -> bool:
        """Whether a command finds the service by edge_base_url alone: with an inventory that is not the plugin."""
        return "-i" in words and not any("plugin: edgeops.protection" in text for text in self.page.files.values())

    def play(self, name: str) -> Run:
        return self.run(Command({}, ["ansible-playbook", "-i", "inventory", name], ""))
