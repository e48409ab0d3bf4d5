# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Readings of an account that all hosts of a run share: the first worker reads for the others."""

from __future__ import annotations

import json
import os
from multiprocessing import parent_process
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:  # the process that forks the workers needs none of it
    from .._schema.resource import Object, Resource
    from .client import Client

_shared: list[BinaryIO] = []


def share(file: BinaryIO) -> None:
    """Have the workers that this process forks from now on keep in a file what one has read."""
    _shared[:] = [file]


def read_once(client: Client, resource: Resource) -> list[Object]:
    """All objects of a resource, as the first worker of this run has read them; raises
    ServiceError. Outside of a worker it is read each time."""
    if not _shared or parent_process() is None:
        return client.read(resource)
    number = _shared[0].fileno()
    key = [os.getppid(), client.path_to(resource.path)]
    lines = os.pread(number, os.fstat(number).st_size, 0).splitlines()
    known = [objects for one, objects in map(json.loads, lines) if one == key]
    if known:
        return list(known[0])
    objects = client.read(resource)
    os.write(number, f"{json.dumps([key, objects])}\n".encode())
    return objects
