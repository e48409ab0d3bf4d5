# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A script without Ansible, as one would write it in an afternoon: reads the prefixes, compares, sends what is missing.

`python bare_requests.py URL TOKEN DESIRED`: the URL is that of the account's prefixes, DESIRED a JSON file with a list.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import requests

BULK = 300


def main(url: str, token: str, desired_file: str) -> None:
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {token}"
    existing: set[str] = set()
    page, count = 1, 1
    while len(existing) < count:
        response = session.get(url, params={"page": page, "per_page": 1000}, timeout=60)
        response.raise_for_status()
        existing.update(item["prefix"] for item in response.json()["result"])
        count = response.json()["result_info"]["total_count"]
        page += 1
    desired = json.loads(Path(desired_file).read_text(encoding="utf-8"))
    missing = [item for item in desired if item["prefix"] not in existing]
    for start in range(0, len(missing), BULK):
        session.post(f"{url}/bulk", json=missing[start : start + BULK], timeout=60).raise_for_status()


if __name__ == "__main__":
    main(*sys.argv[1:])
