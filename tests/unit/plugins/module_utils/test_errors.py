# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Errors: one or several at once, what they add up to, and which of them leave a doubt."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import (
    ErrorDetails,
    OptionError,
    PlanError,
    ServiceError,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option


def refused(method: str = "POST", status: int | None = 400, message: str = "no", code: int | None = 1) -> ServiceError:
    item: Any = {"code": code, "message": message, "pointer": None}
    details: ErrorDetails = {"method": method, "path": "x", "status": status, "errors": [item], "ray": None}
    return ServiceError("It failed.", details, maybe_applied=False)


@pytest.mark.parametrize(
    ("error", "needs_reread"),
    [
        (refused(), False),
        (refused(status=409), True),
        (refused(message="prefix already exists"), True),
        (refused(message="Duplicate of another rule"), True),
        (refused(message="it existed"), False),
        (refused(status=403, message="prefix already exists"), False),
        (refused("GET", status=404), False),
        (refused("POST", status=404), False),
        (refused("DELETE", status=404), True),
        (refused("PATCH", status=404), True),
        (ServiceError("It got no response.", refused(status=None).error, maybe_applied=True), True),
    ],
)
def test_an_error_that_leaves_a_doubt_makes_the_state_read_again(error: ServiceError, needs_reread: bool) -> None:
    assert error.needs_reread is needs_reread


@pytest.mark.parametrize(
    "error",
    [PlanError("It failed.", {"a": 1}), OptionError(Option("retries"), "it is odd"), refused()],
    ids=lambda e: type(e).__name__,
)
def test_an_error_with_more_to_say_stays_of_its_class(error: Any) -> None:
    before = (error.message, dict(error.details))
    extended = error.extended("Nothing was changed.", calls=2)
    assert type(extended) is type(error)
    assert extended.message == str(extended) == error.message + " Nothing was changed."
    assert extended.details == {**error.details, "calls": 2}
    assert (error.message, error.details) == before
