# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers in the place of a session, for what the local service would never say."""

from __future__ import annotations

import json
from typing import Any, Callable

from ansible_collections.edgeops.protection.plugins.module_utils._api.responses import Request, Response


class Scripted:
    """Answers each request as this function says, and keeps what was asked."""

    def __init__(self, answer: Callable[[Request], Response]) -> None:
        self.asked: list[Request] = []
        self._answer = answer

    @property
    def calls(self) -> int:
        return len(self.asked)

    def send(self, request: Request) -> Response:
        self.asked.append(request)
        return self._answer(request)


def in_turn(*responses: Response) -> Scripted:
    """Gives these responses one by one."""
    left = iter(responses)
    return Scripted(lambda _request: next(left))


def enveloped(result: Any, status: int = 200, **more: Any) -> Response:
    body = {"success": status < 400, "errors": [], "messages": [], "result": result, **more}
    return Response(status, {}, json.dumps(body).encode())
