# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A script without Ansible, as one would write it in an afternoon: reads, compares, sends what is missing.

`python bare_requests.py URL TOKEN DESIRED`: the URL is that of the account's configuration, DESIRED a JSON file with
lists by path; `tcp_protection_status` has an object.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import requests

STATUS = "tcp_protection_status"
BULK = 300


class Account:
    """The account behind a URL."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"

    def call(self, method: str, path: str, **how: Any) -> Any:
        answer = self.session.request(method, f"{self.url}/{path}", timeout=60, **how)
        answer.raise_for_status()
        return answer.json()

    def listing(self, path: str) -> list[Any]:
        objects: list[Any] = []
        page = 1
        while True:
            answer = self.call("GET", path, params={"page": page, "per_page": 1000})
            objects += answer["result"]
            if len(objects) >= answer["result_info"]["total_count"]:
                return objects
            page += 1

    def bring_into_line(self, path: str, desired: Any) -> None:
        if path == STATUS:
            if self.call("GET", path)["result"] != desired:
                self.call("PATCH", path, json=desired)
            return
        there = {identity(item) for item in self.listing(path)}
        missing = [item for item in desired if identity(item) not in there]
        if path == "prefixes":
            for start in range(0, len(missing), BULK):
                self.call("POST", f"{path}/bulk", json=missing[start : start + BULK])
        else:
            for item in missing:
                self.call("POST", path, json=item)


def identity(item: dict[str, Any]) -> Any:
    return item.get("prefix") or item.get("expression") or (item["scope"], item["name"])


def main() -> None:
    url, token, desired_file = sys.argv[1:]
    account = Account(url, token)
    for path, desired in json.loads(Path(desired_file).read_text(encoding="utf-8")).items():
        account.bring_into_line(path, desired)


if __name__ == "__main__":
    main()
