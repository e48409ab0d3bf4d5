# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import Items, Pairs
from ansible_collections.edgeops.protection.plugins.module_utils._protection.request import (
    FieldNames,
    field_value,
    read_fields,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option

OPTION = Option("fields")
KNOWN = {"cf.score", "cf.scores", "ip.src.country", "ip.geoip.country", "ip.src.city", "http.host"}
NAMES = FieldNames("requests", KNOWN, {"http.host": "host"})


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({}, {}),
        ({"cf.score": 1}, {"cf.score": 1}),
        ({"http.request.jwt.claims.aud": "x"}, {"http.request.jwt.claims.aud": b"x"}),
        ({"ip.geoip.country": "DE"}, {"ip.geoip.country": b"DE", "ip.src.country": b"DE"}),
        ({"ip.src.country": "DE"}, {"ip.geoip.country": b"DE", "ip.src.country": b"DE"}),
        ({"ip.src.city": "Berlin"}, {"ip.src.city": b"Berlin"}),
    ],
)
def test_fields_are_given_by_their_names(given: Any, values: Any) -> None:
    assert read_fields(OPTION, given, NAMES) == values


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("x", "fields: 'x' is no dictionary"),
        ({"cf.scor": 1}, "fields: 'cf.scor' is no field of requests that this collection knows; the nearest are cf.score"),
        ({"x": 1}, "fields: 'x' is no field of requests that this collection knows"),
        ({"CF.Score": 1}, "that this collection knows; the nearest are cf.score, cf.scores"),
        ({1: 1}, "fields: '1' is no field"),
        ({"http.host": "x"}, "fields.http.host: give it as host"),
        ({"cf.score": None}, "fields.cf.score: None is no value of a field"),
        ({"ip.src.country": "DE", "ip.geoip.country": "FR"}, "fields.ip.src.country: it is the field ip.geoip.country; give either"),
    ],
)  # fmt: skip
def test_wrong_fields_are_errors_with_their_place(given: Any, problem: str) -> None:
    with pytest.raises(OptionError) as error:
        read_fields(OPTION, given, NAMES)
    assert problem in error.value.message


def test_all_wrong_fields_are_told_at_once() -> None:
    with pytest.raises(OptionError) as error:
        read_fields(OPTION, {"x": 1, "http.host": 2}, NAMES)
    assert "'x' is no field" in error.value.message
    assert "give it as host" in error.value.message


def test_values_are_of_the_kind_that_options_have() -> None:
    value = field_value(OPTION, {"k": ["v", 1, True]})
    assert value == Pairs({b"k": Items((b"v", 1, True))})
