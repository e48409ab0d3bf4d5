# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is measured: each piece of work with its alternatives and its limit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from . import accounts, plays
from .limited import inventory, under_one_token, without_waiting
from .measure import EMPTY, Case, Row, by_processor
from .ways import Ways, Work, constant, desired_of

LATENCIES = (0.05, 0.1)
SIZES = (1, 100, 1_000)
EXISTING = (1_000, 10_000, 50_000)
LARGEST = EXISTING[-1]
LOOPED = 100  # the longest loop that is run; longer ones are taken to cost as much by item
PAGES_LOOPED = 10

URI = "one uri GET task"
FIRST_URI = "the first uri GET task of a play"
NOOP = "the noop action"
SCRIPT = "a bare requests script"
REQUEST = "one request's latency"
ONE_BY_ONE = "200 requests one after the other"
STATUS_IN_ORDER = {"tcp_protection_status": {"enabled": True}}


def all_cases(ways: Ways) -> Iterator[Case]:
    """Every case, in the order of the page."""
    return chain(
        nothing_to_do(ways),
        account_from_empty(ways),
        new_prefixes(ways),
        new_allowlist(ways),
        new_allowlist_late(ways),
        many_accounts(ways),
        role(ways),
        under_one_token(ways),
        without_waiting(ways),
        inventory(ways),
        existing_prefixes(ways),
        memory(ways),
        planning(ways),
        report(ways),
    )


def late(name: str, latency: float) -> str:
    """The name of a piece of work with a latency."""
    return f"{name}, {round(latency * 1000)} ms per request" if latency else name


def counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def nothing_to_do(ways: Ways) -> Iterator[Case]:
    """One more task that finds nothing to do, and a whole account that is as it is desired to be."""
    status = "one more task that finds nothing to do (tcp_protection_status)"
    account = "account_protection, whole account in order"
    existing_account = accounts.in_order()
    often, twice, once = (Work(existing_account, parts=parts) for parts in (20, 2, 1))
    first = "the first task of a play, finding nothing to do (tcp_protection_status)"
    sdk, script = "a module on the vendor's SDK that reads {}", SCRIPT + " for {}"
    alternatives = {
        EMPTY: ways.empty(),
        status: ways.more(plays.status_in_order(), often),
        URI: ways.more(plays.uri_get, Work(existing_account, parts=10)),
        sdk.format("the status"): ways.more(plays.sdk("status"), twice),
        script.format("the status"): ways.script(STATUS_IN_ORDER, once),
        NOOP: ways.more(plays.noop, Work(existing_account, parts=50)),
        account: ways.more(plays.account_protection(), often),
        "seven uri GET tasks": ways.more(plays.uri_read_all, twice),
        sdk.format("all seven lists"): ways.more(plays.sdk(*plays.PATHS), twice),
        script.format("the account"): ways.script(desired_of(existing_account), once),
        first: ways.copies(plays.status_in_order(), once),
        FIRST_URI: ways.copies(plays.uri_get, once),
    }
    rows = [
        Row(status, URI, 0.075),
        *(Row(status, other) for other in (sdk.format("the status"), script.format("the status"))),
        Row(status, NOOP, 1.8),
        Row(account, URI, 0.12),
        Row(account, "seven uri GET tasks"),
        *(Row(account, other) for other in (sdk.format("all seven lists"), script.format("the account"), NOOP)),
        Row(first, FIRST_URI, 0.35),
    ]
    yield Case("nothing_to_do", alternatives, rows, quick=True)
    for latency in LATENCIES:
        yield nothing_to_do_late(ways, late(status, latency), late(account, latency), latency)


def nothing_to_do_late(ways: Ways, status: str, account: str, latency: float) -> Case:
    """The same where the service is further away."""
    work = Work(accounts.in_order(), parts=5, latency=latency)
    alternatives = {
        status: ways.more(plays.status_in_order(), work),
        URI: ways.more(plays.uri_get, work),
        account: ways.more(plays.account_protection(), work),
        REQUEST: constant(latency),
    }
    limit = 3.0 if latency == LATENCIES[-1] else None
    rows = [Row(status, URI), Row(account, URI), Row(account, REQUEST, limit)]
    return Case(f"nothing_to_do_{round(latency * 1000)}_ms", alternatives, rows)


def account_from_empty(ways: Ways) -> Iterator[Case]:
    """A whole account made from nothing; with a latency, the loops of uri tasks would only wait."""
    after = accounts.objects(accounts.in_order())
    desired = desired_of(accounts.in_order())
    for latency in (0.0, *LATENCIES):
        account = late("account_protection, whole account from empty", latency)
        twice, once = (Work({}, parts=parts, after=after, latency=latency) for parts in (2, 1))
        alternatives = {EMPTY: ways.empty(), account: ways.copies(plays.account_protection(), twice)}
        if not latency:
            alternatives["uri: read, filter, bulk, and loops"] = ways.copies(plays.uri_from_empty, once)
        alternatives[SCRIPT] = ways.script(desired, once)
        rows = [Row(account, other) for other in list(alternatives)[2:]]
        yield Case(f"account_from_empty_{round(latency * 1000)}_ms", alternatives, rows)


def new(size: int, latency: float = 0.0) -> Work:
    """As many entries of a list to make where there are none; few of them often enough to be told from nothing."""
    return Work({}, parts=3 if size < LOOPED else 1, after=size, latency=latency)


def new_prefixes(ways: Ways) -> Iterator[Case]:
    """Prefixes that are not there yet, by number."""
    alternatives = {EMPTY: ways.empty()}
    rows = []
    for size in SIZES:
        desired, looped = accounts.prefixes(size), min(size, LOOPED)
        title = counted(size, "new prefix", "new prefixes")
        loop, bulk, script = f"a uri loop of {looped}", f"uri: read, filter, bulk of {size:,}", f"{SCRIPT} for {size:,}"
        alternatives[title] = ways.copies(plays.protected_prefixes(), new(size), desired)
        alternatives[loop] = ways.copies(plays.uri_prefix_loop, new(looped), desired[:looped])
        alternatives[bulk] = ways.copies(plays.uri_read_filter_bulk, new(size), desired)
        alternatives[script] = ways.script({"prefixes": desired}, Work({}, after=size))
        looped_limit, limit = (0.01, 2.0) if size == SIZES[-1] else (None, None)
        rows += [Row(title, loop, looped_limit, size / looped), Row(title, bulk), Row(title, script, limit)]
    yield Case("new_prefixes", alternatives, rows)


def new_allowlist(ways: Ways) -> Iterator[Case]:
    """Allowlist entries that are not there yet, by number; the service takes one with each request."""
    alternatives = {EMPTY: ways.empty()}
    rows = []
    for size in SIZES:
        desired, looped = accounts.allowlist(size), min(size, LOOPED // 5)
        title = counted(size, "new allowlist entry", "new allowlist entries")
        loop, script = f"a uri loop of {looped}", f"{SCRIPT} for {size:,}"
        alternatives[title] = ways.copies(plays.allowlist(), new(size), desired)
        alternatives[loop] = ways.copies(plays.uri_allowlist_loop, new(looped), desired[:looped])
        alternatives[script] = ways.script({"allowlist": desired}, Work({}, after=size))
        rows += [Row(title, loop, times=size / looped), Row(title, script)]
    yield Case("new_allowlist", alternatives, rows)


def new_allowlist_late(ways: Ways) -> Iterator[Case]:
    """Two hundred of them where the service is further away."""
    desired = accounts.allowlist(200)
    for latency in LATENCIES:
        title = late("200 new allowlist entries", latency)
        alternatives = {
            EMPTY: ways.empty(),
            title: ways.copies(plays.allowlist(), new(200, latency), desired),
            ONE_BY_ONE: constant(200 * latency),
        }
        limit = 0.2 if latency == LATENCIES[-1] else None
        yield Case(f"new_allowlist_{round(latency * 1000)}_ms", alternatives, [Row(title, ONE_BY_ONE, limit)])


def many_accounts(ways: Ways) -> Iterator[Case]:
    """Whole accounts in order, with a host each, so many of them at once, by the module and by the role."""
    existing_account, ours = accounts.in_order(), plays.account_protection()
    measured = {1: 1, 50: 50, 200: 50}  # hosts, and with how many of them the uri tasks are run
    for forks in (5, 20):
        alternatives = {EMPTY: ways.empty()}
        rows = []
        for number, hosts in measured.items():
            one = counted(number, "account", "accounts") + f" in order, forks {forks}"
            other = counted(hosts, "account", "accounts") + " with one uri GET each"
            alternatives[one] = ways.hosts(ours, Work(existing_account, parts=number), forks)
            alternatives[other] = ways.hosts(plays.uri_get, Work(existing_account, parts=hosts), forks)
            most = (number, forks) == (200, 20)
            rows.append(Row(one, other, 0.12 if most else None, number / hosts))
            if most:
                by_role = f"{one}, role baseline"
                alternatives[by_role] = ways.hosts(plays.role_baseline(), Work(existing_account, parts=number), forks)
                rows.append(Row(by_role, other, 0.35, number / hosts))
        yield Case(f"accounts_forks_{forks}", alternatives, rows)


def role(ways: Ways) -> Iterator[Case]:
    """The role against the module that it runs, in the processors' time, of which a skipped or a small task takes most."""
    work = Work(accounts.in_order(), parts=60)
    one = "60 accounts in order, one account_protection task each, processors' time"
    whole = "60 accounts in order, role baseline, processors' time"
    alternatives = {
        EMPTY: by_processor(ways.empty()),
        one: by_processor(ways.hosts(plays.account_protection(), work, forks=10)),
        whole: by_processor(ways.hosts(plays.role_baseline(), work, forks=10)),
    }
    yield Case("role_baseline", alternatives, [Row(whole, one, 2.5)], quick=True)


def existing_prefixes(ways: Ways) -> Iterator[Case]:
    """One prefix that is in order among many: what it costs to read them all."""
    sdk = "a module on the vendor's SDK that reads them"
    for size in EXISTING:
        existing = accounts.prefixes(size)
        work = Work({"prefixes": existing}, parts=3 if size == EXISTING[0] else 1)
        pages = size // plays.PAGE
        looped = min(pages, PAGES_LOOPED)
        title, loop = (
            f"one prefix in order among {size:,} existing",
            "a uri loop over " + counted(looped, "page", "pages"),
        )
        alternatives = {
            EMPTY: ways.empty(),
            title: ways.copies(plays.protected_prefixes(), work, existing[:1]),
            loop: ways.copies(plays.uri_pages(looped), work),
            sdk: ways.copies(plays.sdk("prefixes"), work),
            SCRIPT: ways.script({"prefixes": existing[:1]}, work),
        }
        yield Case(
            f"existing_{size}",
            alternatives,
            [Row(title, loop, times=pages / looped), Row(title, sdk), Row(title, SCRIPT)],
        )


def memory(ways: Ways) -> Iterator[Case]:
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
    rows = [Row(title, NOOP, 250.0, memory=True), Row(title, same_list, memory=True), Row(title, same_list, 1.3)]
    yield Case("memory", alternatives, rows)


def planning(ways: Ways) -> Iterator[Case]:
    """The plan alone, without Ansible and without a service."""
    tenth = LARGEST // 10
    large, small = (f"planning {size:,} prefixes against {size:,}" for size in (LARGEST, tenth))
    loads = "json.loads of the same bytes"
    alternatives = {
        large: ways.pure("planning", "plan", LARGEST),
        small: ways.pure("planning", "plan", tenth),
        loads: ways.pure("planning", "loads", LARGEST),
    }
    rows = [Row(large, loads, 3.5), Row(large, small, 1.3, times=LARGEST / tenth)]
    yield Case("planning", alternatives, rows, quick=True)


def report(ways: Ways) -> Iterator[Case]:
    """The page of a report, from a document that is ready."""
    page, data = (f"the report on 1,000 hosts as {form}" for form in ("HTML", "JSON"))
    alternatives = {page: ways.pure("report", "html", 1_000), data: ways.pure("report", "json", 1_000)}
    yield Case("report", alternatives, [Row(page, data, 3.0)], quick=True)
