# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can go wrong, said so that the person at the keyboard can act on it."""

from __future__ import annotations

from typing import Any, Iterable, Mapping

SEVERAL = 5  # so many are named in a sentence; the others are counted


def listed(names: Iterable[str]) -> str:
    """Names in a sentence; of many the first."""
    found = list(names)
    more = len(found) - SEVERAL
    return ", ".join(found[:SEVERAL]) + (f" and {more} more" if more > 0 else "")


class ProtectionError(Exception):
    """Ends a module call with one message; `details` stand beside it in the module's result."""

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})


class OptionError(ProtectionError):
    """The user's wish is wrong; raised before any request."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(f"{option}: {problem}")
        self.option = option
        self.problem = problem


class PlanError(ProtectionError):
    """The wish is well formed, but cannot be planned against what the service holds; nothing was written."""


class ServiceError(ProtectionError):
    """A call that failed: refused by the service, answered unreadably, or not answered at all.

    `error` has the shape of the result's `error`; `carried_out` is False where the service surely did not do what
    was asked, and None where that is not known.
    """

    def __init__(self, message: str, error: Mapping[str, Any], carried_out: bool | None) -> None:
        super().__init__(message, {"error": dict(error)})
        self.carried_out = carried_out

    @property
    def status(self) -> int | None:
        """The HTTP status, or None where there was no answer."""
        status: int | None = self.details["error"]["status"]
        return status

    @property
    def needs_another_look(self) -> bool:
        """Whether only reading again tells what became of a change: the answer is lost, or somebody else was faster."""
        gone = self.status == 404 and self.details["error"]["method"] in ("PUT", "PATCH", "DELETE")
        return self.carried_out is None or self.status == 409 or gone

    @property
    def codes(self) -> list[int]:
        """The service's own error codes, in the order it gave them."""
        return [item["code"] for item in self.details["error"]["errors"] if item.get("code") is not None]
