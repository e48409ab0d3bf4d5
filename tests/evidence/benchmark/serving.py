# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The local service in a process of its own, so that it takes no time from whoever is measured."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import requests

from tests.fake_service import LocalService
from tests.fake_service.contract import API

from .processes import REPOSITORY, Failure

State = dict[str, Any]
LONGEST_START = 30.0


class Serving:
    """The running service; it holds what it was last told to, and does not check what it meets against its contract."""

    token = LocalService.token

    def __init__(self, scratch: Path) -> None:
        self._port_file = scratch / "port"
        self._loaded: tuple[Any, float, Any, Any] | None = None
        self._control = requests.Session()
        self._control.trust_env = False

    def __enter__(self) -> Self:
        words = [sys.executable, "-m", "tests.fake_service", "--state", os.devnull, "--port-file", str(self._port_file)]
        self._process = subprocess.Popen(words, cwd=REPOSITORY, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + LONGEST_START
        while not self._port_file.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise Failure("The local service does not start; python -m tests.fake_service says why.")
            time.sleep(0.02)
        self.address = f"http://127.0.0.1:{self._port_file.read_text(encoding='utf-8')}"
        self.base_url = self.address + API
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()

    def hold(
        self, accounts: State, latency: float, zones: State | None = None, tokens: Sequence[str] = (token,)
    ) -> None:
        """Hold these accounts and zones, and answer so many seconds late; what is as it was is not sent."""
        if self._loaded != (accounts, latency, zones, tokens):
            switches = {"latency": latency, "checked_against_contract": False}
            state = {"accounts": accounts, "zones": zones or {}, "switches": switches, "tokens": dict.fromkeys(tokens)}
            self._said(self._control.put(f"{self.address}/control/state", json=state))
            self._loaded = (accounts, latency, zones, tokens)
        self._said(self._control.delete(f"{self.address}/control/calls"))

    @contextmanager
    def limited(self, calls: int, seconds: float) -> Iterator[None]:
        """Refuse whoever makes more calls in so many seconds; raises Failure where somebody did."""
        url = f"{self.address}/control/rate_limit"
        self._said(self._control.put(url, json={"calls": calls, "seconds": seconds}))
        try:
            yield
        finally:
            self._said(self._control.delete(url))
        refused = sum(call["status"] == HTTPStatus.TOO_MANY_REQUESTS for call in self.calls())
        if refused:
            raise Failure(f"The service refused {refused} of {len(self.calls())} calls.")

    def calls(self) -> list[State]:
        """The calls since it was last told what to hold."""
        calls: list[State] = self._said(self._control.get(f"{self.address}/control/calls"))
        return calls

    def holds(self) -> State:
        """The accounts as they are now; the next state document is sent again, whatever it is."""
        self._loaded = None
        accounts: State = self._said(self._control.get(f"{self.address}/control/state"))["accounts"]
        return accounts

    def was_written_to(self) -> bool:
        """Whether anything but reading was asked for since it was last told what to hold."""
        return any(call["method"] != "GET" for call in self.calls())

    def _said(self, response: requests.Response) -> Any:
        response.raise_for_status()
        return response.json()
