# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils.api.documents import (
    MAX_DEPTH,
    Unreadable,
    read_document,
)


def nested(levels):
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize(
    ("content", "document"),
    [
        (b'{"a": [1, 1.5, true, null, "\xc3\xa4"]}', {"a": [1, 1.5, True, None, "ä"]}),
        (b'"\\ud83d\\ude00"', "😀"),
        (b'{"a\\ud800": ["\\udfff!", "\\\\ud800"]}', {"a�": ["�!", "\\ud800"]}),
        (b"1" * 1000, int("1" * 1000)),
        (b"[" + b"1" * 5000 + b"]", ["1" * 5000]),
        (b"[-1e999, 1e5]", ["-1e999", 100000.0]),
    ],
)
def test_whatever_is_json_becomes_a_document_that_results_can_hold(content, document):
    assert read_document(content) == document
    json.dumps(read_document(content), allow_nan=False).encode()
    json.dumps(read_document(content), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b"\xef\xbb\xbf{}", b"[NaN]", b"[Infinity]", b"<html>", b"[1,]"]
)
def test_what_is_not_json_is_said_not_to_be(content):
    with pytest.raises(Unreadable, match="it is not JSON") as caught:
        read_document(content)
    assert not caught.value.is_json


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 3000, 100000])
def test_a_document_that_is_nested_too_deeply_is_refused(levels):
    with pytest.raises(Unreadable, match="more than 100 levels deep") as caught:
        read_document(nested(levels))
    assert caught.value.is_json


def test_a_document_may_be_nested_up_to_the_limit():
    assert json.dumps(read_document(nested(MAX_DEPTH))).encode() == nested(MAX_DEPTH)
