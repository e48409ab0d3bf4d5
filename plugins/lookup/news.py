# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: news
short_description: Compare a report with what was told before
version_added: 1.0.0
author:
  - The edgeops.protection authors (@edgeops)
description:
  - Returns what somebody should hear of a report of the role P(edgeops.protection.report#role), and
    the state to keep, so that the same thing is not told twice. The playbook
    C(edgeops.protection.notify) sends it.
  - A host is new if it was well, or stands worse, or has another reason; a host of which nothing is
    known is new once. It is told again while it lasts, and once more when it is over.
options:
  _terms:
    description: The directory of the report.
    required: true
    type: str
  state:
    description:
      - The file that remembers what was told, by default C(notified.json) beside the report.
    type: str
  again_days:
    description: After how many days a host is told again that is still not well.
    type: float
    default: 1
  statuses:
    description: The statuses that are told of.
    type: list
    elements: str
    choices: [unknown, unprotected, weakened, drift, pending]
    default: [unknown, unprotected, weakened, drift]
"""

EXAMPLES = r"""
- name: Show what is new
  ansible.builtin.debug:
    msg: "{{ lookup('edgeops.protection.news', 'report').lines }}"
"""

RETURN = r"""
_raw:
  description:
    - One element with C(title), a sentence; C(lines), one for each host; C(hosts), each with
      C(host), C(what) (C(new), C(again) or C(over)), C(status), C(reason), C(since), C(owner) and
      C(runbook); C(left), the number of hosts that are not well; C(state_file) and C(state), what
      the file is to hold afterwards.
  type: list
  elements: dict
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase

from ..module_utils._text import excerpt, left_out, sentence, visible
from ..module_utils._timestamps import to_the_minute
from ..plugin_utils._baseline.approval import REPORT_FILE
from ..plugin_utils._report.document import host_record
from ..plugin_utils._report.files import other_reasons, read_report_file
from ..plugin_utils._report.overview import contacts, why
from ..plugin_utils._report.record import LABELS, HostRecord, Report, severity
from ..plugin_utils._report.results import unread_host
from ..plugin_utils._variables import plain

MAX_LINES = 30  # hosts of a message; a chat takes a few thousand characters
MAX_REASON = 300  # characters
NAMES = {"new": "New", "again": "Still", "over": "Over"}
GONE = "It is no longer in the report."
REPORT = "(report)"  # told of as of a host that could not be read, if it is too old
USUAL_AGE = timedelta(days=1)  # and as long as one message is enough
Told = Mapping[str, Any]  # of a host: its status and reasons, since when, and when it was told


class Terms(NamedTuple):
    """The statuses that are told of, now, and how long one message about a host is enough."""

    statuses: Sequence[str]
    now: datetime
    again: timedelta


class LookupModule(LookupBase):  # type: ignore[misc]
    """Reads a report, and what was told before."""

    def run(
        self, terms: Any, variables: Mapping[str, Any] | None = None, **options: Any
    ) -> list[dict[str, Any]]:
        """The news; raises AnsibleError for what is neither a report nor a state."""
        self.set_options(var_options=variables, direct=options)
        directory = Path(plain(terms[0])).absolute()
        state_file = Path(plain(self.get_option("state")) or directory / "notified.json").absolute()
        again = timedelta(days=self.get_option("again_days"))
        limits = Terms(plain(self.get_option("statuses")), datetime.now(timezone.utc), again)
        try:
            report = read_report_file(str(directory / REPORT_FILE), limits.now.isoformat())
        except (OSError, ValueError) as exc:
            raise AnsibleError(f"There is no report to tell of: {exc}.") from None
        try:
            state = json.loads(state_file.read_text("utf-8")) if state_file.exists() else {}
            news = news_of(report, state, limits)
        except (AttributeError, LookupError, OSError, TypeError, ValueError) as exc:
            raise AnsibleError(
                f"{state_file} cannot be read: {exc}. Remove it to tell everything again."
            ) from None
        return [{**news, "state_file": str(state_file)}]


def news_of(report: Report, state: Mapping[str, Any], terms: Terms) -> dict[str, Any]:
    """The hosts to tell of, in words too, and the state to keep afterwards."""
    before: Mapping[str, Told] = state.get("hosts", {})
    kept: dict[str, Told] = {}
    hosts = []
    records = [*report["hosts"], *_too_old(report, terms)]
    for record in records:
        earlier = before.get(record["host"], {})
        what = _what(record, earlier, terms)
        since = earlier.get("since", record["generated"])
        if record["status"] in terms.statuses:
            moment = terms.now.isoformat(timespec="seconds") if what else earlier["told"]
            own = {"status": record["status"], "reasons": why(record), "since": since}
            kept[record["host"]] = {**own, "told": moment}
        if what:
            hosts.append(_item(record, what, earlier, since))
    gone = before.keys() - {record["host"] for record in records}
    hosts += [
        {
            "host": host,
            "what": "over",
            "status": None,
            "reason": GONE * (host != REPORT),
            "since": None,
        }
        for host in sorted(gone)
    ]
    counts = {what: sum(item["what"] == what for item in hosts) for what in NAMES}
    texts = [f"{number} {NAMES[what].lower()}" for what, number in counts.items() if number]
    more = left_out(len(hosts), MAX_LINES, "host", "hosts")
    return {
        "hosts": hosts,
        "title": f"Protection: {', '.join(texts) or 'nothing new'}.",
        "lines": [*map(_line, hosts[:MAX_LINES]), *([sentence(more)] if more else [])],
        "left": len(kept),
        "state": {**state, "hosts": kept},
    }


def _too_old(report: Report, terms: Terms) -> list[HostRecord]:
    """A record that stands for a report which nobody has made anew; none if the report is new."""
    made = report["generated"]
    if datetime.fromisoformat(made) + terms.again + USUAL_AGE > terms.now:
        return []
    moment = to_the_minute(made)
    reason = f"Nobody has made a report since {moment}, so that nothing newer is known."
    return [host_record(unread_host(REPORT, reason), made)]


def _what(record: HostRecord, earlier: Told, terms: Terms) -> str:
    """Return why somebody should hear of a host; an empty text if nobody should."""
    if record["status"] not in terms.statuses:
        return "over" if earlier else ""
    if not earlier or severity(record["status"]) > severity(earlier["status"]):
        return "new"
    if record["status"] != "unknown" and other_reasons(why(record), earlier["reasons"]):
        return "new"
    return "again" if datetime.fromisoformat(earlier["told"]) + terms.again <= terms.now else ""


def _item(record: HostRecord, what: str, earlier: Told, since: str) -> dict[str, Any]:
    """A host with its first reason, one that is new if there is one."""
    others = other_reasons(record["reasons"], earlier.get("reasons", ()))
    reason = "" if what == "over" else excerpt((*others, *record["reasons"], "")[0], MAX_REASON)
    item = {"host": record["host"], "what": what, "status": record["status"]}
    return {**item, "reason": reason, "since": since, **contacts(record)}


def _line(item: Mapping[str, Any]) -> str:
    """A host in a line."""
    status = f" is {LABELS[item['status']]}." if item["status"] else "."
    about = [f"since {to_the_minute(item['since'])}"] if item["what"] == "again" else []
    about += [": ".join(pair) for pair in contacts(item).items()]
    words = (f"{NAMES[item['what']]}: {item['host']}{status}", item["reason"])
    return visible(" ".join(filter(None, words)) + (f" ({'; '.join(about)})" if about else ""))
