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
    OptionErrors,
    OptionProblems,
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


def test_an_error_of_the_service_has_its_answer_and_codes() -> None:
    assert refused(code=7003).answer == ("POST", "x", 400, "7003 no None")
    assert (refused(code=7003).codes, refused(code=None).codes) == ([7003], [])
    assert refused().details["error"]["status"] == 400


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
    assert extended.shortened({"b": 2}).details == {"b": 2}
    assert (error.message, error.details) == before


def collected(*errors: OptionError) -> OptionProblems:
    problems = OptionProblems()
    for error in errors:
        with problems.collected():
            raise error
    return problems


def test_no_problem_raises_nothing() -> None:
    problems = collected()
    assert problems.any is False
    problems.raise_any()


def test_one_problem_is_raised_as_it_is() -> None:
    error = OptionError(Option("retries"), "it is odd")
    assert collected(error).any is True
    with pytest.raises(OptionError) as caught:
        collected(error).raise_any()
    assert caught.value is error


def test_several_problems_are_raised_as_one_and_counted_through() -> None:
    first, second, third = (OptionError(Option(name), "it is odd") for name in "abc")
    with pytest.raises(OptionErrors) as caught:
        collected(first, OptionErrors([second, third])).raise_any()
    assert caught.value.message == "3 errors in the options: (1) a: it is odd; (2) b: it is odd; (3) c: it is odd"
    assert (caught.value.option, list(caught.value.errors)) == (Option("a"), [first, second, third])


def test_another_error_is_not_collected() -> None:
    problems = OptionProblems()
    with pytest.raises(PlanError), problems.collected():
        raise PlanError("It failed.")
    assert problems.any is False
