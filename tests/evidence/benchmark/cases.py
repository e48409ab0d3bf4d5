# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is measured: each piece of work with another way to do it, and its limit."""

from __future__ import annotations

import os
from collections.abc import Iterator

from . import accounts, plays
from .measure import EMPTY, Case, Row, by_processor
from .ways import Limit, Ways, Work, constant

LATENCY = 0.1  # seconds
NEW = 1_000
LOOPED = 100  # the longest loop that is run; longer ones are taken to cost as much by item
LARGEST = 50_000
HOSTS, URI_HOSTS, FORKS = 200, 50, 20
LIMIT = Limit(120, 6.0)  # as the service's own 1,200 calls in 300 s, in less time

URI = "one uri GET task"
NOOP = "the noop action"
NOTHING = "nothing"
SCRIPT = "a bare requests script"


def all_cases(ways: Ways) -> Iterator[Case]:
    """Every case, in the order of the page."""
    for cases in (nothing_to_do, new_entries, many_accounts, under_one_token, large_lists, without_ansible):
        yield from cases(ways)


def nothing_to_do(ways: Ways) -> Iterator[Case]:
    """One more task that finds nothing to do, and a whole account that is as it is desired to be."""
    status = "one more task that finds nothing to do (tcp_protection_status)"
    account = "account_protection, whole account in order"
    first = "the first task of a play, finding nothing to do (tcp_protection_status)"
    first_uri = "the first uri GET task of a play"
    existing = accounts.in_order()
    alternatives = {
        EMPTY: ways.empty(),
        status: ways.more(plays.status_in_order(), Work(existing, parts=20)),
        URI: ways.more(plays.uri_get, Work(existing, parts=10)),
        NOOP: ways.more(plays.noop, Work(existing, parts=50)),
        account: ways.more(plays.account_protection(), Work(existing, parts=20)),
        first: ways.copies(plays.status_in_order(), Work(existing)),
        first_uri: ways.copies(plays.uri_get, Work(existing)),
    }
    rows = [
        Row(status, URI, 0.075),
        Row(status, NOOP, 1.8),
        Row(account, URI, 0.12, chief=True),
        Row(first, first_uri, 0.35, chief=True),
    ]
    yield Case("nothing_to_do", alternatives, rows)
    late, request = account + ", 100 ms per request", "one request's latency"
    work = Work(existing, parts=5, latency=LATENCY)
    alternatives = {late: ways.more(plays.account_protection(), work), request: constant(LATENCY)}
    yield Case("nothing_to_do_late", alternatives, [Row(late, request, 3.0)])


def new_entries(ways: Ways) -> Iterator[Case]:
    """Prefixes, of which the service takes several with a request, and allowlist entries, of which it takes one."""
    desired = accounts.prefixes(NEW)
    prefixes, loop, script = f"{NEW:,} new prefixes", f"a uri loop of {LOOPED}", f"{SCRIPT} for {NEW:,}"
    alternatives = {
        EMPTY: ways.empty(),
        prefixes: ways.copies(plays.protected_prefixes(), Work({}, after=NEW), desired),
        loop: ways.copies(plays.uri_prefix_loop, Work({}, after=LOOPED), desired[:LOOPED]),
        script: ways.script(desired, Work({}, after=NEW)),
    }
    rows = [Row(prefixes, loop, 0.01, times=NEW / LOOPED, chief=True), Row(prefixes, script, 2.0, chief=True)]
    yield Case("new_prefixes", alternatives, rows)
    entries, one_by_one = "200 new allowlist entries, 100 ms per request", "200 requests one after the other"
    work = Work({}, after=200, latency=LATENCY)
    alternatives = {
        EMPTY: ways.empty(),
        entries: ways.copies(plays.allowlist(), work, accounts.allowlist(200)),
        one_by_one: constant(200 * LATENCY),
    }
    yield Case("new_allowlist", alternatives, [Row(entries, one_by_one, 0.2)])


def many_accounts(ways: Ways) -> Iterator[Case]:
    """Whole accounts in order, with a host each, by the module and by the role."""
    existing, task = accounts.in_order(), plays.account_protection()
    one = f"{HOSTS} accounts in order, forks {FORKS}"
    role, other = f"{one}, role baseline", f"{URI_HOSTS} accounts with one uri GET each"
    alternatives = {
        EMPTY: ways.empty(),
        one: ways.hosts(task, Work(existing, parts=HOSTS), FORKS),
        other: ways.hosts(plays.uri_get, Work(existing, parts=URI_HOSTS), FORKS),
        role: ways.hosts(plays.role_baseline(), Work(existing, parts=HOSTS), FORKS),
    }
    times = HOSTS / URI_HOSTS
    yield Case("accounts", alternatives, [Row(one, other, 0.12, times), Row(role, other, 0.35, times, chief=True)])
    # The processors' time: a skipped or a small task takes most of it.
    work = Work(existing, parts=60)
    one = "60 accounts in order, one account_protection task each, processors' time"
    role = "60 accounts in order, role baseline, processors' time"
    alternatives = {
        EMPTY: by_processor(ways.empty()),
        one: by_processor(ways.hosts(task, work, forks=10)),
        role: by_processor(ways.hosts(plays.role_baseline(), work, forks=10)),
    }
    yield Case("role_baseline", alternatives, [Row(role, one, 2.5, chief=True)])


def under_one_token(ways: Ways) -> Iterator[Case]:
    """Runs that need several windows of the rate limit, one that needs none, and the inventory of their hosts."""
    tasks = plays.role_baseline(call_budget=LIMIT.calls)
    os.environ["EDGEOPS_PROTECTION_CALL_PERIOD"] = str(LIMIT.seconds)  # in place of five minutes
    for count, runs, rounds in ((200, 1, 3), (200, 2, 1), (1_000, 1, 1)):
        times = "two runs at once over" if runs == 2 else "one run over"
        title = f"{times} {count:,} accounts in order, under a rate limit, forks {FORKS}, role baseline"
        least = f"the least time of the calls of {times} {count:,} accounts"
        work = Work(accounts.in_order(), parts=count)
        measured, limited = ways.limited(tasks, work, FORKS, LIMIT, runs)
        alternatives = {title: measured, least: limited}
        row = Row(title, least, 1.15, chief=count == 1_000)
        yield Case(f"limited_{count}_{runs}", alternatives, [row], rounds=rounds)
    work = Work(accounts.in_order(), parts=100)
    one, other = (f"100 accounts in order, {way} call budget, processors' time" for way in ("with a", "without a"))
    alternatives = {
        EMPTY: by_processor(ways.empty()),
        one: by_processor(ways.hosts(plays.account_protection(), work, FORKS)),
        other: by_processor(ways.hosts(plays.account_protection(call_budget=0), work, FORKS)),
    }
    yield Case("call_budget", alternatives, [Row(one, other, 1.02)])
    title = "the inventory of 1,000 accounts and 10,000 zones, 50 ms per request"
    static = "a file with the same hosts"
    measured, read = ways.inventory(1_000, 10_000, 0.05)
    yield Case("inventory", {title: measured, static: read}, [Row(title, static, 3.0, unit="s")], rounds=3)


def large_lists(ways: Ways) -> Iterator[Case]:
    """As many prefixes desired as are existing, all in order."""
    existing = accounts.prefixes(LARGEST)
    work = Work({"prefixes": existing})
    title, same_list = f"{LARGEST:,} prefixes desired and existing", NOOP + ", given the same list"
    alternatives = {
        EMPTY: ways.empty(),
        title: ways.copies(plays.protected_prefixes(), work, existing),
        NOOP: ways.copies(plays.noop, work),
        same_list: ways.copies(plays.noop_with_list, work, existing),
    }
    rows = [Row(title, NOOP, 250.0, unit="MiB", chief=True), Row(title, same_list, 1.3)]
    yield Case("large_lists", alternatives, rows)


def without_ansible(ways: Ways) -> Iterator[Case]:
    """The plan and the page of a report alone, without Ansible and without a service."""
    tenth = LARGEST // 10
    large, small = (f"planning {size:,} prefixes against {size:,}" for size in (LARGEST, tenth))
    loads = "json.loads of the same bytes"
    alternatives = {
        large: ways.pure("plan", LARGEST),
        small: ways.pure("plan", tenth),
        loads: ways.pure("loads", LARGEST),
    }
    yield Case("planning", alternatives, [Row(large, loads, 3.5), Row(large, small, 1.3, LARGEST / tenth)])
    yield from long_lists(ways)
    tested, untested = "planning 1,000 custom rules with 100 expectations", "planning 1,000 custom rules"
    alternatives = {tested: ways.pure("expectations", 1_000), untested: ways.pure("rules", 1_000)}
    yield Case("expectations", alternatives, [Row(tested, untested, 2.5)])
    compared = "the traffic of 1,000 custom rules, one of which changes"
    alternatives = {compared: ways.pure("traffic", 1_000), untested: ways.pure("rules", 1_000)}
    yield Case("traffic_changes", alternatives, [Row(compared, untested, 6.0)])
    tried, rows = "10,000 groups of past requests against 100 rules", "json.loads of the same rows"
    alternatives = {tried: ways.pure("backtest", 10_000), rows: ways.pure("rows", 10_000)}
    yield Case("backtest", alternatives, [Row(tried, rows, 40.0)])
    page, data = (f"the report on 1,000 hosts as {form}" for form in ("HTML", "JSON"))
    alternatives = {page: ways.pure("html", 1_000), data: ways.pure("json", 1_000)}
    yield Case("report", alternatives, [Row(page, data, 3.0)])


ITEMS = (10_000, 100_000, 500_000)
MOST_SECONDS = 4.0  # of the processor, for 100,000 items, beside reading
MOST_MEMORY = 600.0  # MiB, for the largest list that an account may have


def long_lists(ways: Ways) -> Iterator[Case]:
    """A list of items that ip_list keeps, in check mode without its reading: of a hundred items one is new, one changes and one
    goes; or all are new, or half of them change, or all. It takes in the search for secrets."""
    for size in ITEMS:
        few, new, half, every = (
            f"{size:,} items of a list in check mode{what}, beside reading"
            for what in ("", ", all of them new", ", half of them changed", ", all of them changed")
        )
        loads, in_order = f"json.loads of {size:,} items", f"sorted of {size:,} items"
        alternatives = {
            few: ways.pure("items", size, beside="items_read"),
            loads: ways.pure("items_loads", size),
            in_order: ways.pure("items_sorted", size),
        }
        rows = [Row(few, loads, 95.0), Row(few, in_order, 160.0)]
        if size > min(ITEMS):
            alternatives[new] = ways.pure("items_new", size)
            alternatives[NOTHING] = constant(0)
        if size == max(ITEMS):
            bare = f"a program that does nothing but make the results of {size:,} changed items"
            alternatives[every] = ways.pure("items_all", size, beside="items_read")
            alternatives[bare] = ways.pure("items_bare_all", size)
            rows += [Row(one, NOTHING, MOST_MEMORY, unit="MiB", chief=True) for one in (few, new)]
            rows.append(Row(every, bare, 200.0, unit="MiB", chief=True))
        elif size > min(ITEMS):
            alternatives[half] = ways.pure("items_half", size, beside="items_read")
            rows += [Row(one, NOTHING, MOST_SECONDS, unit="s", chief=one is new) for one in (few, new, half)]
        yield Case(f"items_{size}", alternatives, rows, rounds=3)
