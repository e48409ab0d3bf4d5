# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes the text of a report on many hosts, without Ansible: `python -m tests.evidence.benchmark.report html|json HOSTS`.

It prints the seconds of its processor for that; the hosts have every status in turn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import make_report
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import json_text
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.html import html_page

from tests.support.report_fleet import fleet

FORMS: Mapping[str, Callable[[Any], str]] = {"html": html_page, "json": json_text}


def seconds(form: str, hosts: int) -> float:
    """The processor's time for a page, or for JSON."""
    report = make_report(fleet(hosts), "2026-01-01T00:00:00+00:00")
    start = time.process_time()
    text = FORMS[form](report)
    taken = time.process_time() - start
    if f"host-{hosts - 1:04}" not in text:
        raise SystemExit("a host is missing")
    return taken


if __name__ == "__main__":
    print(seconds(sys.argv[1], int(sys.argv[2])))
