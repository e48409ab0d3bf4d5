# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is measured, each piece of work with its alternatives, and what is wanted of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from . import accounts, plays
from .measure import EMPTY, Case, Row, Way
from .ways import Ways, Work, constant, wishes_of

LATENCIES = (0.05, 0.1)
SIZES = (1, 100, 1_000)
LIVE = (1_000, 10_000, 50_000)
LARGEST = LIVE[-1]
LOOPED = 100  # the longest loop that is run; longer ones are taken to cost as much by item
PAGES_LOOPED = 10

OURS = "this collection"
URI = "one uri GET task"
NOOP = "the noop action"
SDK = "a module on the vendor's SDK"
SCRIPT = "a bare requests script"
REQUEST = "one request's latency"
BULK = "uri: read, filter, bulk"
STATUS_IN_ORDER = {"tcp_protection_status": {"enabled": True}}


def all_cases(ways: Ways) -> Iterator[Case]:
    """Every case, in the order of the page."""
    return chain(
        one_task(ways),
        account_in_order(ways),
        account_from_empty(ways),
        new_prefixes(ways),
        new_allowlist(ways),
        many_accounts(ways),
        live_prefixes(ways),
        memory(ways),
        planning(ways),
    )


def compared(
    name: str,
    work: str,
    ways: Mapping[str, Way],
    limits: Mapping[str, float] | None = None,
    times: Mapping[str, float] | None = None,
    quick: bool = False,
) -> Case:
    """A case with a line for each alternative to ours; `limits` and `times` are by alternative."""
    rows = [
        Row(work, OURS, other, (limits or {}).get(other), (times or {}).get(other, 1))
        for other in ways
        if other not in (OURS, EMPTY)
    ]
    return Case(name, ways, rows, quick)


def late(latency: float) -> tuple[str, str]:
    """What a latency adds to the name of a case and to that of its work."""
    milliseconds = round(latency * 1000)
    return (f"_{milliseconds}_ms", f", {milliseconds} ms per request") if latency else ("", "")


def one_task(ways: Ways) -> Iterator[Case]:
    """One more task that finds nothing to do."""
    title = "one more task that finds nothing to do (tcp_protection_status)"
    work, thrice = (Work({"enabled": True}, parts=parts) for parts in (10, 3))
    alternatives = {
        EMPTY: ways.empty(),
        OURS: ways.copies(plays.status_in_order(), work),
        URI: ways.copies(plays.uri_get, work),
        SDK: ways.copies(plays.sdk("status"), thrice),
        SCRIPT: ways.script(STATUS_IN_ORDER, work),
        NOOP: ways.copies(plays.noop, work),
    }
    yield compared("one_task", title, alternatives, {URI: 0.12}, quick=True)
    for latency in LATENCIES:
        work = Work({"enabled": True}, parts=5, latency=latency)
        alternatives = {
            EMPTY: ways.empty(),
            OURS: ways.copies(plays.status_in_order(), work),
            URI: ways.copies(plays.uri_get, work),
        }
        suffix, spoken = late(latency)
        yield compared("one_task" + suffix, title + spoken, alternatives)


def account_in_order(ways: Ways) -> Iterator[Case]:
    """A whole account that is as it is wished to be."""
    title = "account_protection, whole account in order"
    held = accounts.in_order()
    work, twice = Work(held, parts=5), Work(held, parts=2)
    alternatives = {
        EMPTY: ways.empty(),
        OURS: ways.copies(plays.account_protection(), work),
        URI: ways.copies(plays.uri_get, work),
        "seven uri GET tasks": ways.copies(plays.uri_read_all, twice),
        SDK: ways.copies(plays.sdk(*plays.PATHS), twice),
        SCRIPT: ways.script(wishes_of(held), work),
        NOOP: ways.copies(plays.noop, work),
    }
    yield compared("account_in_order", title, alternatives, {URI: 0.3}, quick=True)
    for latency in LATENCIES:
        work = Work(held, parts=5, latency=latency)
        alternatives = {
            EMPTY: ways.empty(),
            OURS: ways.copies(plays.account_protection(), work),
            REQUEST: constant(latency),
            URI: ways.copies(plays.uri_get, work),
        }
        suffix, spoken = late(latency)
        limits = {REQUEST: 3.0} if latency == 0.1 else {}
        yield compared("account_in_order" + suffix, title + spoken, alternatives, limits)


def account_from_empty(ways: Ways) -> Iterator[Case]:
    """A whole account made from nothing."""
    title = "account_protection, whole account from empty"
    after = accounts.objects(accounts.in_order())
    for latency in (0.0, *LATENCIES):
        thrice, once = (Work({}, parts=parts, after=after, latency=latency) for parts in (3, 1))
        alternatives = {
            EMPTY: ways.empty(),
            OURS: ways.copies(plays.account_protection(), thrice),
            "uri: read, filter, bulk, and loops": ways.copies(plays.uri_from_empty, once),
            SCRIPT: ways.script(wishes_of(accounts.in_order()), once),
        }
        suffix, spoken = late(latency)
        yield compared("account_from_empty" + suffix, title + spoken, alternatives)


def new(size: int, latency: float = 0.0) -> Work:
    """As many entries of a list to make where there are none; a single one often enough to be told from nothing."""
    return Work({}, parts=5 if size == 1 else 1, after=size, latency=latency)


def new_prefixes(ways: Ways) -> Iterator[Case]:
    """Prefixes that are not there yet, by number."""
    for size in SIZES:
        wished, looped = accounts.prefixes(size), min(size, LOOPED)
        loop = f"a uri loop of {looped}"
        alternatives = {
            EMPTY: ways.empty(),
            OURS: ways.copies(plays.protected_prefixes(), new(size), wished),
            loop: ways.copies(plays.uri_prefix_loop, new(looped), wished[:looped]),
            BULK: ways.copies(plays.uri_read_filter_bulk, new(size), wished),
            SCRIPT: ways.script({"prefixes": wished}, Work({}, after=size)),
        }
        limits = {loop: 0.01} if size == 1_000 else {}
        title = f"{size:,} new {'prefix' if size == 1 else 'prefixes'}"
        yield compared(f"prefixes_{size}", title, alternatives, limits, {loop: size / looped})


def new_allowlist(ways: Ways) -> Iterator[Case]:
    """Allowlist entries that are not there yet, by number; the service takes one with each request."""
    for size in SIZES:
        wished, looped = accounts.allowlist(size), min(size, LOOPED // 5)
        loop = f"a uri loop of {looped}"
        alternatives = {
            EMPTY: ways.empty(),
            OURS: ways.copies(plays.allowlist(), new(size), wished),
            loop: ways.copies(plays.uri_allowlist_loop, new(looped), wished[:looped]),
            SCRIPT: ways.script({"allowlist": wished}, Work({}, after=size)),
        }
        title = f"{size:,} new allowlist {'entry' if size == 1 else 'entries'}"
        yield compared(f"allowlist_{size}", title, alternatives, times={loop: size / looped})
    wished = accounts.allowlist(200)
    for latency in LATENCIES:
        one_by_one = "200 requests one after the other"
        alternatives = {
            EMPTY: ways.empty(),
            OURS: ways.copies(plays.allowlist(), new(200, latency), wished),
            one_by_one: constant(200 * latency),
        }
        suffix, spoken = late(latency)
        limits = {one_by_one: 0.2} if latency == 0.1 else {}
        yield compared("allowlist_200" + suffix, "200 new allowlist entries" + spoken, alternatives, limits)


def many_accounts(ways: Ways) -> Iterator[Case]:
    """Whole accounts in order, with a host each, so many of them at once."""
    held, ours = accounts.in_order(), plays.account_protection()
    measured = {1: 1, 50: 50, 200: 50}  # hosts, and with how many of them the uri tasks are run
    for forks in (5, 20):
        alternatives = {EMPTY: ways.empty()}
        rows = []
        for number, hosts in measured.items():
            one, other = spoken_accounts(number) + " in order", spoken_accounts(hosts) + " with one uri GET each"
            alternatives[one] = ways.hosts(ours, Work(held, parts=number), forks)
            alternatives[other] = ways.hosts(plays.uri_get, Work(held, parts=hosts), forks)
            limit = 0.25 if (number, forks) == (200, 20) else None
            rows.append(Row(f"{one}, forks {forks}", one, other, limit, number / hosts))
        yield Case(f"accounts_forks_{forks}", alternatives, rows)


def spoken_accounts(number: int) -> str:
    return f"{number} {'account' if number == 1 else 'accounts'}"


def live_prefixes(ways: Ways) -> Iterator[Case]:
    """One prefix that is in order among many: what it costs to read them all."""
    for size in LIVE:
        live = accounts.prefixes(size)
        work = Work({"prefixes": live})
        pages = size // plays.PAGE
        looped = min(pages, PAGES_LOOPED)
        loop = f"a uri loop over {looped} {'page' if looped == 1 else 'pages'}"
        alternatives = {
            EMPTY: ways.empty(),
            OURS: ways.copies(plays.protected_prefixes(), work, live[:1]),
            loop: ways.copies(plays.uri_pages(looped), work),
            SDK: ways.copies(plays.sdk("prefixes"), work),
            SCRIPT: ways.script({"prefixes": live[:1]}, work),
        }
        title = f"one prefix in order among {size:,} live"
        yield compared(f"live_{size}", title, alternatives, times={loop: pages / looped})


def memory(ways: Ways) -> Iterator[Case]:
    """As many prefixes wished as are live, all in order."""
    live = accounts.prefixes(LARGEST)
    work = Work({"prefixes": live})
    given = NOOP + ", given the same list"
    alternatives = {
        EMPTY: ways.empty(),
        OURS: ways.copies(plays.protected_prefixes(), work, live),
        NOOP: ways.copies(plays.noop, work),
        given: ways.copies(plays.noop_with_wishes, work, live),
    }
    title = f"{LARGEST:,} prefixes wished and live"
    rows = [
        Row(f"{title}, peak memory of the worker", OURS, NOOP, 250.0, memory=True),
        Row(f"{title}, peak memory of the worker", OURS, given, memory=True),
        Row(title, OURS, given),
    ]
    yield Case("memory", alternatives, rows)


def planning(ways: Ways) -> Iterator[Case]:
    """The plan alone, without Ansible and without a service."""
    tenth = LARGEST // 10
    large, small, loads = f"{LARGEST:,}", f"planning {tenth:,} against {tenth:,}", "json.loads of the same bytes"
    alternatives = {
        large: ways.planning("plan", LARGEST),
        small: ways.planning("plan", tenth),
        loads: ways.planning("loads", LARGEST),
    }
    title = f"planning {LARGEST:,} prefixes against {LARGEST:,}"
    rows = [Row(title, large, loads, 5.0), Row(title, large, small, 1.3, times=LARGEST / tenth)]
    yield Case("planning", alternatives, rows, quick=True)
