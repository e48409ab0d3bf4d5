# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file with the posture of a host: beside the inventory, where Ansible reads it with all files
that people wrote."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .._baseline.variables import POSTURE
from .._files import files_beside, host_folder, variables_file, write_whole

ATTACK_HEADER = (
    "The posture of this host. The playbook edgeops.protection.attack writes this file, and takes"
    " it away. It belongs into version control."
)
WRITTEN_BY_ATTACK = f"---\n# {ATTACK_HEADER}\n"
POSTURE_FILES = ("posture.yml", "posture-of-attack.yml")


class _Loader(yaml.SafeLoader):
    """Reads the file as Ansible does: a text may be marked as data."""


_Loader.add_constructor("!unsafe", lambda _loader, node: str(node.value))


@dataclass(frozen=True)
class PostureFile:
    """The file, which may not exist yet. Ansible does not read `own`, the file of the host's own
    variables, beside a folder, so a new folder has a link to it."""

    path: Path
    own: Path | None

    def read(self) -> dict[str, Any] | None:
        """The posture in the file; None if there is no file."""
        if not self.path.exists():
            return None
        posture: dict[str, Any] = yaml.load(self.path.read_text(encoding="utf-8"), _Loader)[POSTURE]
        return posture

    def write(self, posture: Mapping[str, Any]) -> None:
        """Write the file, in its folder as a whole if that is missing; raises OSError."""
        text = variables_file({POSTURE: dict(posture)}, [ATTACK_HEADER])
        folder = self.path.parent
        if folder.is_dir():
            write_whole(self.path, text, 0o644, lasting=True)
            return
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(".part", ".", folder.parent))
        try:
            write_whole(new / self.path.name, text, 0o644, lasting=True)
            if self.own:
                (new / f"main{self.own.suffix}").symlink_to(Path("..") / self.own.name)
            new.chmod(0o755)
            new.rename(folder)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise

    def remove(self) -> None:
        """Take the file away, and its folder with it if people have put nothing there; raises
        OSError."""
        folder = self.path.parent
        if any(path != self.path and not path.is_symlink() for path in folder.iterdir()):
            self.path.unlink()
            return
        old = Path(tempfile.mkdtemp(".part", ".", folder.parent))
        folder.rename(old / folder.name)  # at once, since Ansible reads the folder or the own file
        shutil.rmtree(old)

    @property
    def note(self) -> str:
        """The way in which the file of the host's own variables stays in force; empty if there is
        none."""
        if not self.own or self.path.parent.is_dir():
            return ""
        link = self.path.parent / f"main{self.own.suffix}"
        return f"{self.own} stays as it is; {link} leads to it, so that Ansible reads both."


def posture_file(inventory: Any, host: str) -> PostureFile:
    """The file of a host beside its inventory; raises ValueError if there is no place for it."""
    if not os.path.isdir(str(inventory)):
        raise ValueError(
            "The inventory is no file, so the posture has no place; name a file by -i."
        )
    folder = host_folder(os.path.join(str(inventory), "host_vars"), host)
    if folder.is_file():
        raise ValueError(
            f"{folder} is a file, and Ansible would not read it beside a folder of this name."
            f" Rename it to {folder}.yml, which Ansible reads as well, and run again."
        )
    path = next((path for path in map(folder.__truediv__, POSTURE_FILES) if _is_free(path)), None)
    if path is None:
        raise ValueError(
            f"{folder / POSTURE_FILES[0]} is not a file of attack. Rename it, and run again."
        )
    return PostureFile(path, next(files_beside(folder), None))


def _is_free(path: Path) -> bool:
    """True if there is no such file, or one of nothing but a posture that attack wrote."""
    if not os.path.lexists(path):
        return True
    text = path.read_text(encoding="utf-8", errors="replace")
    if not text.startswith(WRITTEN_BY_ATTACK):
        return False
    return list(yaml.load(text, _Loader) or ()) == [POSTURE]
