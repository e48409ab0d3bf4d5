# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files about hosts: their place, their text, and that they are there as a whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from ..module_utils._guard.acceptance import TEMPLATE_MARKS


def host_folder(directory: str, host: str) -> Path:
    """The folder of a host; a relative directory is one of the process's working directory.

    Raises ValueError for the name of a host that is not a name of a folder.
    """
    if host in ("", ".", "..") or os.sep in host or "\0" in host:
        raise ValueError(f"the host name '{host}' is not a name of a folder")
    return Path(os.path.join(os.getcwd(), os.path.expanduser(directory), host))


def require_writable(folder: Path) -> None:
    """Raises the OSError that writing a file in this folder would raise; the folder may not
    exist yet."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir():
        code = errno.ENOTDIR
    elif not os.access(existing, os.W_OK | os.X_OK):
        code = errno.EACCES
    else:
        return
    raise OSError(code, os.strerror(code), str(folder))


def files_beside(folder: Path) -> Iterator[Path]:
    """The files of variables beside a folder that Ansible ignores once the host has this folder."""
    for ending in (".yml", ".yaml", ".json"):
        path = Path(f"{folder}{ending}")
        if path.is_file():
            yield path


def write_private(path: Path, text: str, lasting: bool = False) -> None:
    """Write a file that only its owner can read, and create its folder if it is missing; raises
    OSError, and ValueError for text that UTF-8 cannot encode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, text, 0o600, lasting)


def write_whole(path: Path, text: str, mode: int, lasting: bool = False) -> None:
    """Write a file so that a reader sees all of it or nothing; raises OSError, and ValueError
    for text that UTF-8 cannot encode. A `lasting` file survives a power failure as soon as this
    returns."""
    data = text.encode()
    descriptor, temporary = tempfile.mkstemp(".part", ".", path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of the folder itself, without a lock file; other processes wait. Raises
    OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


LINE_BREAKS = ("\x85", "\u2028", "\u2029")  # which YAML folds into others unless they are escaped


class _Dumper(yaml.SafeDumper):
    """Writes lists inside of mappings indented, and texts that look like templates as `!unsafe`."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    if any(mark in text for mark in TEMPLATE_MARKS):
        return dumper.represent_scalar("!unsafe", text, style='"')
    style = '"' if any(character in text for character in LINE_BREAKS) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text_node)


def variables_file(variables: Mapping[str, Any], comments: Iterable[str] = ()) -> str:
    """The text of a file of variables, with comments at its top; it reads back as the same data."""
    lines: list[str] = []
    for comment in comments:
        words = " ".join(comment.split())
        lines.append(f"# {_printable(words)}")
    body = yaml.dump(
        dict(variables), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000
    )
    return "\n".join(["---", *lines, body])


def _printable(line: str) -> str:
    return "".join(_printable_character(character) for character in line)


def _printable_character(character: str) -> str:
    return character if character.isprintable() else repr(character)[1:-1]
