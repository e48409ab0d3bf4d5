# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Calls, what the local service does wrong at them, and how a run ends then, in the words of the pages about it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from tests.fake_service import LocalService


@dataclass(frozen=True)
class Misbehaviour:
    """`kind` and `settings` are those of the local service; `words` say it to a reader."""

    words: str
    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """A kind of call, by its method and, where that is not enough, its path; and the smallest task that makes it."""

    words: str
    method: str
    module: str
    options: Mapping[str, Any]
    path: str = ""


def misbehave(service: LocalService, misbehaviour: Misbehaviour, call: Call, times: int | None = None) -> None:
    """Let the service misbehave at the call, so often, or (None) again and again."""
    service.misbehave(misbehaviour.kind, method=call.method, path=call.path, times=times, **misbehaviour.settings)


def ending(result: Mapping[str, Any]) -> str:
    """How a task ended for its user."""
    if not result.get("failed"):
        return "done"
    return "not known" if result.get("unknown") else "not done"


def without_waiting(service: LocalService, waited: list[float]) -> SimpleNamespace:
    """Replaces the time module where modules wait: only the service's clock goes on, and the list gets each wait."""

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        service.clock.advance(seconds=seconds)

    return SimpleNamespace(sleep=sleep, monotonic=lambda: sum(waited))


def answer_together(service: LocalService, method: str, calls: int, **settings: Any) -> list[int]:
    """Answer no call before so many have come; the list gets an item for each call that met the others in time."""
    met: list[int] = []
    gathering = threading.Barrier(calls, timeout=20)

    def gather() -> None:
        with suppress(threading.BrokenBarrierError):
            met.append(gathering.wait())

    service.misbehave("meanwhile", method=method, action=gather, **settings)
    return met
