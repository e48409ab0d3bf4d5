# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that list modules, and modules of settings and plain lists, are as their declarations say."""

from __future__ import annotations

from tests.documentation.generated import GENERATED
from tests.documentation.plain_resources import ACTIONS, PLAIN, lacking
from tests.documentation.samples import REQUESTS


def test_a_plain_resource_lacks_nothing_that_is_typed() -> None:
    assert lacking(REQUESTS) == []


def test_all_that_follows_from_a_plain_resource_is_written() -> None:
    assert [managed.module for managed in PLAIN if not (ACTIONS / f"{managed.module}.py").exists()] == []
    outdated = []
    for path, brought_up_to_date in GENERATED:
        text = path.read_text(encoding="utf-8")
        if brought_up_to_date(text) != text:
            outdated.append(path.name)
    assert outdated == [], "make docs-update writes them"
