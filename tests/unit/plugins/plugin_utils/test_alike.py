# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Equal texts of several hosts are one line."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.plugin_utils._alike import MOST_HOST_NAMES, hosts_by_text


def lines(texts: dict[str, str]) -> list[str]:
    return [group.line for group in hosts_by_text(texts)]


def test_a_text_of_three_hosts_or_more_is_one_line_with_their_number_and_names() -> None:
    texts = {"a": "refused", "b": "not reached", "c": "refused", "d": "refused"}
    assert lines(texts) == ["3 hosts (a, c, d): refused", "b: not reached"]


def test_each_of_two_hosts_has_its_line() -> None:
    assert lines({"a": "refused", "b": "in order", "c": "refused"}) == ["a: refused", "b: in order", "c: refused"]


def test_the_number_of_an_answer_makes_no_other_text() -> None:
    texts = {host: f"It said no (ray {number:016x})." for number, host in enumerate("abc")}
    assert lines(texts) == ["3 hosts (a, b, c): It said no (ray 0000000000000000)."]


def test_a_line_names_a_hundred_hosts_and_counts_all() -> None:
    (line,) = lines({f"zone-{number}": "refused" for number in range(MOST_HOST_NAMES + 2)})
    assert line.startswith("102 hosts (zone-0, zone-1, ") and line.endswith(", zone-99 and 2 more): refused")
