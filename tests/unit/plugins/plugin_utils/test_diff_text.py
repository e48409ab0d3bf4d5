# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._action import failure_diff

from tests.support.marked import Marked

PREFIX = {"prefix": "192.0.2.0/24", "comment": "a\u202e"}


def test_a_diff_has_what_was_and_what_would_be() -> None:
    results: list[dict[str, Any]] = [
        {"diff": {"before": {"prefixes": {"192.0.2.0/24": PREFIX}}, "after": {}}},
        {"msg": "no diff"},
        {"diff": {"before": {"status": {"enabled": True}}, "after": {"status": {"enabled": False}}}},
    ]
    lines = failure_diff(results).splitlines()
    assert lines[:2] == ["--- before", "+++ after"]
    assert '-    comment: "a\\u202E"' in lines or "-    comment: a\\u202e" in lines
    assert lines[-2:] == ["-  enabled: true", "+  enabled: false"]
    assert failure_diff([{}, {"diff": []}]) == ""


def test_marked_texts_are_shown_as_any_other() -> None:
    diff = {"before": {}, "after": {Marked("prefixes"): {Marked("192.0.2.0/24"): Marked("new")}}}
    assert failure_diff([{"diff": diff}]).splitlines()[-2:] == ["+prefixes:", "+  192.0.2.0/24: new"]
