# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The time of Cloudflare, by which postures begin and end; and the failure of a read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from ...module_utils._context import NOW
from ...module_utils._errors import NOTHING_CHANGED, ErrorDetails
from ...module_utils._schema.resource import InFiles, Resource, State
from .variables import POSTURE, Part, RunModule, described_by


class ReadFailed(ValueError):
    """Raised if a read of a host failed, or if its answer lacks what was wanted. `error` is the
    error of Cloudflare; None if Cloudflare rejected nothing."""

    def __init__(self, message: str, result: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.error: ErrorDetails | None = result.get("error")


def read_service(part: Part, run_module: RunModule, wanted: str = "") -> tuple[datetime, State]:
    """The time by Cloudflare's clock, from a read of a collection that the host has anyway, and
    that collection: the `wanted` one if the host has it. Raises ValueError."""
    described = [managed.resource for managed in described_by(part)]
    if not described:
        raise ValueError(f"{POSTURE}: the host describes nothing to read. {NOTHING_CHANGED}")

    def order(resource: Resource) -> tuple[bool, bool]:
        """The sort key of a resource: the wanted one first, then those whose answers tell the
        time."""
        return resource.plural != wanted, isinstance(resource.listing, InFiles)

    plural = min(described, key=order).plural
    context = part.context.to_read([plural])
    result = run_module(replace(part, context=context), True)
    if not result.get(NOW):
        unknown = f"{POSTURE}: Cloudflare does not tell its time, so nobody knows if it holds."
        reason = result.get("msg") or unknown
        raise ReadFailed(f"{reason} {NOTHING_CHANGED}", result)
    now = datetime.fromisoformat(result[NOW])
    return now, {plural: result.get(plural) or ()}
