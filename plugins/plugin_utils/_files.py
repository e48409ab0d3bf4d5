# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A file that is there as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_private(path: Path, text: str, lasting: bool = False) -> None:
    """Write a file that its owner alone reads, in a folder that is made if it is missing; raises
    OSError, and ValueError for text that is no UTF-8."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, text, 0o600, lasting)


def write_whole(path: Path, text: str, mode: int, lasting: bool = False) -> None:
    """Write a file, of which a reader sees all or nothing; raises OSError, and ValueError for text
    that is no UTF-8.

    A lasting one survives a power failure as soon as this returns.
    """
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
