# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report in its formats: whatever Cloudflare says is shown as text, in each of them."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._text import visible
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import report_of
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.files import (
    compare,
    file_name,
    html_page,
    junit,
    metrics,
    report_files,
    write_file,
    write_files,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.markdown import code, markdown_page, summary
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.overview import MAX_LINKS
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.record import nothing_known

GENERATED = "2026-11-21T10:00:00+00:00"
LONGEST_PAGE = 62_000  # bytes of report.md
CLASSES = {"covered": 240, "partial": 0, "monitored": 0, "undecided": 0, "uncovered": 16, "excluded": 0}
ADDRESSES = {"ipv4": CLASSES, "ipv6": {**CLASSES, "covered": 3 << 64, "uncovered": 1}}
NUMBERS = {"passed_packets": 96, "dropped_packets": 1, "would_drop_packets": 3, "would_drop_percent": 3.0}
LOSING: dict[str, Any] = {**NUMBERS, "known": False}
PACKETS = {**LOSING, "sample_interval": 1, "reasons": {}, "more_networks": 1}
HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</style></script><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "\u202eevil\u2066 \u200b \x1b[31mred\x00\x07 line\nfeed \U000e0041",
    "`` ` ``` | [link](javascript:alert(1)) @everyone <!-- **bold**",
    'back\\slash "quote" # HELP',
]


def backtest(data: str) -> Any:
    """A backtest of one rule in which every text is this one."""
    share = {"requests": 3, "percent": 0.5}
    examples = [{data: data, "requests": 2}]
    return {
        **dict.fromkeys(("since", "until"), data),
        **dict.fromkeys(("newly_blocked", "newly_passed"), share),
        "known": False,
        "unknown": [data],
        "requests": 600,
        "samples": 60,
        "undecided": {**share, "fields": [data]},
        "rules": [{"ref": data, "action": data, **share, "already": 4, "undecided": 5, "examples": examples}],
    }


def record(data: str = "lima", **others: Any) -> Any:
    """A record of a host in which every text is this one."""
    operation = {"module": data, "action": "update", "resource": data, "title": data, "key": data, "name": data}
    texts = dict.fromkeys(("module", "description", "expected", "actual"), data)
    expected = {**texts, "planned": None, "reasons": [data]}
    cannot_work = dict.fromkeys(("resource", "title", "key", "reason"), data)
    unmanaged = {"module": data, "resource": data, "title": data, "key": data, "reason": data, "since": data}
    return {
        **nothing_known(data),
        "products": {"tcp_protection": "not entitled"},
        **dict.fromkeys(("base_url", "account_id", "zone_id", "plan_id", "not_served", "place"), data),
        **{name: [data] for name in ("groups", "reasons", "unknown_hits", "not_evaluated")},
        "generated": GENERATED,
        "status": "drift",
        "mitigates": True,
        "gone": True,
        "plans": {data: data},
        "operations": [{**operation, "fields": {data: data + "!", "new": [data]}, "before": {data: data}}],
        "risks": [{"module": data, "accepted": False, "code": data, "message": data, "reason": data, "place": data}],
        "prefixes": [{"prefix": data, "components": {data: {"now": [data], "planned": [data]}}}],
        "accepted_risks": [
            {
                "code": data,
                "networks": [data],
                "resource": data,
                "entries": [data],
                "reason": data,
                "expires": GENERATED,
            }
        ],
        "expiring": [{"title": data, "key": data, "expires": GENERATED}],
        "pending": [{"module": data, "message": data}],
        "unmanaged": [{**unmanaged, "weakens": weakens, "accepted": data} for weakens in (None, False)],
        "left_out": [{"host": data, "resource": "ip_list", "key": data}],
        "ineffective": [
            {**cannot_work, "kind": "never", "by": [data], "advice": data, "accepted": data, "place": data}
        ],
        "changes": [{"resource": data, "key": data, "text": data, "by": data, "how": data, "at": data}],
        "unused": [{"ref": data, "since": data}],
        "announced": {
            "networks": [data],
            "unprotected": [data],
            "not_known": [data],
            "unclear": [data],
            "withdrawn": [],
        },
        "managed_rulesets": [{"id": data, "name": data, "version": data, "content": data, "rules": None}],
        "moved": [
            {"kind": kind, "id": data, "name": data, "field": data, "before": data, "now": data, "overridden": data}
            for kind in ("managed_rule", "ruleset", "announcement")
        ],
        "former_moves": [{"generated": data, "moved": []}],
        "unknown_moves": [data],
        "accepted_statuses": [{"status": data, "text": data, "networks": [data], "reason": data, "expires": data}],
        "expectations": [{**expected, "met": met} for met in (True, None, False)],
        "coverage": {
            "enabled": True,
            "effective": True,
            "addresses": ADDRESSES,
            **{name: [data] for name in ("protected", "excluded", "uncovered", "bypassing", "gaps", "undecided")},
            "components": {data: [{"modes": [data], "addresses": data}]},
        },
        "backtest": backtest(data),
        "traffic_changes": {"known": False, "unknown": [data], "passes": [treated(data)], "stopped": []},
        "traffic": {
            "since": data,
            "until": data,
            "known": False,
            "unknown": [data],
            "components": {
                data: {**PACKETS, "unknown": [data], "advice": [data], "networks": [{**LOSING, "network": data}]}
            },
        },
        "planned": {
            "traffic_changes": None,
            "ineffective": [],
            "exempting": [],
            "changed": [],
            "described": {data: [data]},
        },
        **others,
    }


def treated(data: str) -> dict[str, Any]:
    """Traffic that the baseline treats otherwise."""
    return {
        "what": data,
        "now": data,
        "traffic": data,
        "example": {"host": data, "path": data, "source": data},
        "addresses": 1,
        "keys": [{"resource": data, "key": data}],
        "certain": False,
    }


class Elements(HTMLParser):
    """The elements of a page, its attributes, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _value in attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def compared(data: str) -> Any:
    """A report with everything that it may have, in which every text is this one."""
    posture = {"name": data, "until": GENERATED, "reason": data, "since": GENERATED}
    other: Any = {
        **record(data),
        "host": data + "2",
        "groups": [],
        "postures": [posture],
        "overdue": [data],
        "watched": [data],
        "not_set_back": [data],
    }
    report = report_of([record(data, owner=data, runbook=data), other], GENERATED)
    report["previous"] = compare(report_of([record(data, reasons=[], status="pending")], GENERATED), report["hosts"])
    return report


def test_the_data_are_in_every_key_of_a_host() -> None:
    hosts = compared("x")["hosts"]
    assert [key for key in nothing_known("x") if not any(host[key] for host in hosts)] == ["enforces"]


@pytest.mark.parametrize(("number", "more"), [(MAX_LINKS, ""), (MAX_LINKS + 2, "and 2 more")])
def test_a_row_names_the_first_hosts_and_counts_the_others(number: int, more: str) -> None:
    page = html_page(report_of([record(host=f"h{position:02}") for position in range(number)], GENERATED))
    assert f'<a href="#host-h{MAX_LINKS - 1}">h{MAX_LINKS - 1}</a> {more}</td>' in page


def test_a_bar_has_parts_as_wide_as_their_shares() -> None:
    numbers = {**CLASSES, "covered": 192, "uncovered": 64}
    addresses = {"ipv4": numbers, "ipv6": dict.fromkeys(CLASSES, 0)}
    page = html_page(report_of([record(coverage={**record()["coverage"], "addresses": addresses})], GENERATED))
    assert '<svg class="bar" role="img" aria-label="IPv4: 192 mitigated, 64 not covered">' in page
    assert (
        '<rect class="c" x="0%" width="75%" height="100%"/><rect class="n" x="75%" width="25%" height="100%"/>' in page
    )


@pytest.mark.parametrize("data", HOSTILE)
def test_data_adds_no_element_and_no_attribute_to_the_page(data: str) -> None:
    plain, hostile = (Elements(html_page(compared(name))) for name in ("plain", data))
    assert hostile.elements == plain.elements
    assert len(hostile.texts) == len(plain.texts)


@pytest.mark.parametrize("data", HOSTILE)
def test_characters_that_control_text_are_shown_in_every_format(data: str) -> None:
    report = compared(data)
    for name, content in report_files(report):
        unseen = [character for character in content if not character.isprintable() and character != "\n"]
        assert unseen == [], name
    assert all(line.isprintable() for line in summary(report, "report"))


def test_the_page_escapes_control_characters() -> None:
    shown = html_page(report_of([record("\u202eevil\nline")], GENERATED))
    assert "\\u202eevil" in shown
    assert "<code>\\u202eevil\\nline</code>" in shown


def test_the_page_makes_no_request_and_its_policy_allows_none() -> None:
    page = html_page(report_of([record()], GENERATED))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy and policy[1].startswith("default-src &#39;none&#39;; style-src &#39;sha256-")
    assert "unsafe" not in policy[1]
    assert not re.findall(r'(?:src|href)="(?!#|data:,)', page)
    assert "url(http" not in page and " style=" not in page and "onclick" not in page


@pytest.mark.parametrize("data", HOSTILE)
def test_data_adds_no_line_and_no_cell_to_markdown(data: str) -> None:
    plain, hostile = (markdown_page(compared(name)) for name in ("plain", data))
    cells = [re.sub(r"`[^`]*`|\\.", "", line).count("|") for line in hostile.splitlines() if line.startswith("| ")]
    assert len(hostile.splitlines()) == len(plain.splitlines())
    assert cells == [line.count("|") for line in plain.splitlines() if line.startswith("| ")]
    assert "@everyone" not in re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", hostile)


@pytest.mark.parametrize(
    ("data", "shown"), [("a", "`a`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a|b", r"`a\|b`"), ("", "`  `")]
)
def test_code_in_markdown_ends_at_its_last_character(data: str, shown: str) -> None:
    assert code(data) == shown


@pytest.mark.parametrize("data", HOSTILE)
def test_metrics_have_a_name_labels_and_a_number_on_each_line(data: str) -> None:
    value = r'"(?:[^"\\\n]|\\["\\n])*"'
    sample = re.compile(rf"edgeops_protection_\w+(?:\{{\w+={value}(?:,\w+={value})*\}})? -?[0-9.e+]+")
    lines = metrics(report_of([record(data), record("oslo", coverage=None, mitigates=None)], GENERATED)).splitlines()
    assert all(line.startswith(("# HELP ", "# TYPE ")) or sample.fullmatch(line) for line in lines)


def test_metrics_say_how_bad_it_is() -> None:
    report = report_of([record("lima"), record("oslo", status="unknown", coverage=None, mitigates=None)], GENERATED)
    lines = metrics(report).splitlines()
    for expected in (
        "edgeops_protection_report_timestamp_seconds 1795255200",
        'edgeops_protection_hosts{status="drift"} 1',
        'edgeops_protection_host_severity{host="lima"} 2',
        'edgeops_protection_host_severity{host="oslo"} 5',
        'edgeops_protection_host_refused_risks{host="lima"} 1',
        'edgeops_protection_host_read_timestamp_seconds{host="lima"} 1795255200',
        'edgeops_protection_host_addresses{host="lima",family="ipv4",class="uncovered"} 16',
    ):
        assert expected in lines
    assert 'edgeops_protection_host_mitigates{host="oslo"} 0' not in lines


def test_the_page_says_what_matters_first() -> None:
    hosts = [record("lima"), record("oslo", status="unprotected"), record("kyiv", status="unknown", coverage=None)]
    page = html_page(report_of(hosts, GENERATED))
    assert "1 is unknown, 1 is unprotected." in page
    assert re.findall(r'class="name">(\w+)<', page) == ["kyiv", "oslo", "lima"]
    assert 'aria-label="IPv4: 240 mitigated, 16 not covered"' in page
    assert 'aria-label="IPv6: 3 /64 mitigated, 1 not covered"' in page
    assert "1 risk refused" in page


def test_a_report_without_hosts_is_a_page() -> None:
    report = report_of([], GENERATED)
    assert "There is no host." in html_page(report) and "There is no host." in markdown_page(report)
    assert summary(report, "here") == ["0 hosts: none.", "here/report.html"]


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("lima.example", "lima.example"),
        ("../../etc/passwd", "%2E./..%2Fetc%2Fpasswd".replace("/..", "%2F..")),
        (".", "%2E"),
        ("a b\u00e9", "a%20b\u00e9"),
        ("a\x00b", "a%00b"),
    ],
)
def test_a_plan_lies_in_the_directory_whatever_the_host_is_called(host: str, name: str) -> None:
    assert file_name(host) == name
    assert "/" not in name


@pytest.mark.parametrize("letter", ["a", "\u00e9", "\U00020000", "/"])
def test_a_plan_of_a_host_with_a_long_name_has_a_name_that_a_file_can_have(letter: str, tmp_path: Path) -> None:
    names = [file_name(f"{letter * 300}{end}") for end in ("", "1", "2")]
    assert len(set(names)) == 3
    for name in names:
        assert write_file(tmp_path / f"{name}.json", "{}", 0o600)


def test_an_unknown_host_has_no_plan() -> None:
    report = report_of([record(), record("oslo", status="unknown", plan_id=None)], GENERATED)
    assert [name for name, _text in report_files(report)] == [
        "report.json",
        "report.md",
        "report.html",
        "report.prom",
        "report.xml",
        "report.sarif",
        "plans/lima.json",
    ]


@pytest.mark.parametrize("data", [*HOSTILE, "\ufffe\uffff]]>"])
def test_every_text_is_a_text_in_the_test_cases(data: str) -> None:
    """What is not allowed in XML is escaped, so that a CI system can read the file."""
    cases = fromstring(junit(compared(data))).findall("testsuite/testcase")
    assert len(cases) == 2 * (1 + len(record()["expectations"]))
    assert {case.get("name") for case in cases} <= {visible(data), visible(data + "2")}


@pytest.mark.parametrize(
    ("status", "kind"),
    [("unknown", "error"), ("unprotected", "failure"), ("weakened", "failure"), ("drift", "failure"), ("pending", None), ("in_order", None)],
)  # fmt: skip
def test_a_host_is_a_test_case(status: str, kind: str | None) -> None:
    report = report_of(
        [record(status=status, reasons=["first", "second"], owner="team edge", expectations=[])], GENERATED
    )
    root = fromstring(junit(report))
    (case,) = root.iter("testcase")
    assert case.attrib == {"classname": "protection", "name": "lima"}
    assert [(item.tag, item.get("message"), item.text) for item in case] == (
        [(kind, "first", "first\nsecond\nowner: team edge")] if kind else []
    )
    numbers = {suite.get("name"): tuple(suite.get(key) for key in ("tests", "failures", "errors")) for suite in root}
    assert numbers == {
        "hosts": ("1", str(int(kind == "failure")), str(int(kind == "error"))),
        "expectations": ("0", "0", "0"),
    }


def test_an_expectation_is_a_test_case() -> None:
    report = report_of([record(status="in_order")], GENERATED)
    shown = [(case.get("classname"), [(item.tag, item.text) for item in case]) for case in fromstring(junit(report))[1]]
    assert shown == [
        ("lima", []),
        ("lima", [("error", "expected lima, now lima")]),
        ("lima", [("failure", "expected lima, now lima")]),
    ]


def test_markdown_shows_no_zero_for_unknown_numbers() -> None:
    oslo = record("oslo", status="unknown", plan_id=None, operations=[], pending=[], reasons=["closed"], mitigates=None)
    (row,) = (line for line in markdown_page(report_of([oslo], GENERATED)).splitlines() if line.startswith("| oslo"))
    assert row == "| oslo | unknown | closed |  |  |  |"


def rule(name: str, **fields: Any) -> dict[str, Any]:
    """An operation that creates a rule."""
    owner = {"module": "custom_rules", "resource": "custom_rule", "title": "custom rule", "key": name, "name": name}
    return {**owner, "action": "create", "fields": {"action": "block", **fields}, "before": {}}


def many(number: int, operations: Any) -> list[Any]:
    hosts = [f"zone-{position:04}" for position in range(number)]
    own = {"generated": GENERATED, "status": "drift", "mitigates": True}
    return [{**nothing_known(host), **own, "reasons": [host], "operations": operations(host)} for host in hosts]


def test_equal_changes_of_many_hosts_are_said_once_in_markdown() -> None:
    hosts = many(300, lambda host: [*(rule(f"n{number}") for number in range(12)), rule(f"of {host}")])
    page = markdown_page(report_of(hosts, GENERATED))
    assert page.count("custom rule") + page.count("Custom rule") == 12 + 300
    assert page.count("`n7`") == 1
    assert "## 300 hosts: zone-0000, zone-0001, zone-0002, zone-0003, zone-0004 and 295 more" in page
    assert "## zone-0299\n\n- `+` Custom rule `of zone-0299`: action `block`\n" in page


@pytest.mark.parametrize(("number", "fields"), [(1000, 12), (1, 5000)])
@pytest.mark.parametrize("letter", ["a", "\u20ac", "@"])
def test_markdown_fits_into_a_comment_and_says_what_it_leaves_out(number: int, fields: int, letter: str) -> None:
    long = {f"field{position}": letter * 500 for position in range(fields)}
    page = markdown_page(report_of(many(number, lambda host: [rule(host, **long), rule("n1")]), GENERATED))
    assert len(page.encode()) <= LONGEST_PAGE
    assert re.search(r"\*\*Left out: \d+ lines?, which report.html has\.\*\*\n$", page)
    if number == 1000:
        assert re.search(r"And \d+ more hosts in report.html: \d+ drift\.", page)
        assert "`n1`" in page


def test_markdown_leaves_out_changes_and_ages_that_do_not_fit_into_a_comment() -> None:
    hosts = many(300, lambda host: [rule(host, **{f"field{position}": "@" * 500 for position in range(12)})])
    for day, host in enumerate(hosts):
        host["generated"] = f"{2024 + day // 150}-{1 + day // 25 % 6:02}-{1 + day % 25:02}T10:00:00+00:00"
    report = report_of(hosts, GENERATED)
    report["previous"] = compare(report_of(many(300, lambda host: []), GENERATED), report["hosts"])
    page = markdown_page(report)
    assert len(page.encode()) <= LONGEST_PAGE
    assert page.count("before this report") == 20 and "- and 280 more parts in report.html\n" in page
    assert "## Since the report of" in page and "- zone-0000: drift." in page
    assert re.search(r"\*\*Left out: \d+ lines, which report.html has\.\*\*\n$", page)


def test_files_of_many_hosts_take_no_more_memory_than_the_page_alone(tmp_path: Path) -> None:
    report = report_of([record(f"zone-{position}") for position in range(100)], GENERATED)
    html_page(report)  # the template is read once

    def peak(work: Callable[[], Any]) -> int:
        tracemalloc.start()
        try:
            work()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    of_all = peak(lambda: write_files(report, tmp_path / "report", 0o600, check_mode=False))
    of_page = peak(lambda: write_file(tmp_path / "page", html_page(report), 0o600))
    assert of_all < 1.1 * of_page
    assert of_all * 5_000 / 100 < 2**28  # a quarter of what a run on 5,000 hosts may take


def test_the_parts_of_a_merged_report_have_their_age() -> None:
    earlier, year = "2026-11-21T07:30:00+00:00", "2025-11-21T10:00:00+00:00"
    hosts = [record("lima"), record("oslo", generated=earlier), record("kyiv", generated=year)]
    for page in (markdown_page, html_page):
        assert "days before this report" not in page(report_of(hosts[:1], GENERATED))
        merged = page(report_of(hosts, GENERATED))
        assert "1 host was read 2026-11-21 07:30 UTC, 2 hours before this report" in merged
        assert "1 host was read 2025-11-21 10:00 UTC, 365 days before this report" in merged


def test_an_end_is_a_time_and_a_duration() -> None:
    ends = [{"title": "entry", "key": day, "expires": f"{day}T12:30:00+00:00"} for day in ("2026-11-23", "2026-11-20")]
    report = report_of([record(expiring=ends)], GENERATED)
    page, lines = html_page(report), markdown_page(report)
    assert "2026-11-23 12:30 UTC (in 2 days)" in page and "- 2026-11-23 12:30 UTC (in 2 days): entry" in lines
    assert "- 2026-11-20 12:30 UTC: entry" in lines


def test_the_report_says_what_changed_since_the_one_before() -> None:
    drifted, added = rule("by hand"), rule("of the branch")
    order = record("lima", status="in_order", reasons=[], operations=[])
    before = report_of([order, record("oslo", operations=[drifted]), record("kyiv")], GENERATED)
    both = [record("lima", reasons=["1 difference."], operations=[added]), record("oslo", operations=[added, drifted])]
    now = report_of(both, "2026-11-22T10:00:00+00:00")
    now["previous"] = compare(before, now["hosts"])
    assert now["previous"] == {
        "generated": GENERATED,
        "hosts": [
            {
                "host": "lima",
                "before": "in_order",
                "now": "drift",
                "new": ["1 difference."],
                "gone": [],
                "differences": [added],
            },
            {"host": "oslo", "before": "drift", "now": "drift", "new": [], "gone": [], "differences": [added]},
            {"host": "kyiv", "before": "drift", "now": None, "new": [], "gone": ["kyiv"], "differences": []},
        ],
    }
    page = markdown_page(now)
    assert "## Since the report of 2026-11-21 10:00 UTC" in page
    assert page.partition("10:00 UTC\n\n")[2].splitlines()[:5] == [
        "- lima: in order → drift. 1 difference.",
        "  - `+` Custom rule `of the branch`: action `block`",
        "- oslo: drift.",
        "  - `+` Custom rule `of the branch`: action `block`",
        "- kyiv: drift → not in the report. no longer: kyiv",
    ]
    assert "1 difference. 1 new difference." in html_page(now)


def test_the_page_says_changes_of_many_hosts_once_and_hosts_refer_to_them() -> None:
    expression = 'http.host eq "a.example"'
    hosts = many(3, lambda host: [rule("n1", expression=expression), rule(f"of {host}")])
    page = html_page(report_of(hosts, GENERATED))
    assert page.count("a.example") == 1
    assert '<tr id="change-0">' in page and page.count('<a href="#change-0">as on 2 other hosts</a>') == 3
    assert page.count("of zone-0001") == 1


def test_a_host_has_an_anchor_and_an_account_has_its_dashboard() -> None:
    account = "0123456789abcdef" * 2
    page = html_page(report_of([record("a b/\u00e9", account_id=account), record("lima")], GENERATED))
    assert 'id="host-a~20b~2f~c3~a9"' in page and 'href="#host-a~20b~2f~c3~a9"' in page
    assert re.findall(r'href="(http[^"]*)"', page) == [f"https://dash.cloudflare.com/{account}"]


def test_groups_that_all_hosts_are_in_filter_nothing() -> None:
    groups = (["all_of_us", "eu"], ["all_of_us", "us"])
    page = html_page(report_of([record(names[1], groups=names) for names in groups], GENERATED))
    assert re.findall(r"<option value=\"(\d*)\">([^<]*)<", page) == [
        ("", "All groups"),
        ("0", "eu (1)"),
        ("1", "us (1)"),
    ]
    assert re.findall(r'data-groups="([^"]*)"', page) == ["0", "1"]


@pytest.mark.parametrize(
    ("mitigates", "covered", "said"),
    [
        (False, 240, "mitigates nothing"),
        (True, 240, "mitigates in full for 240 of 256 protected IPv4 addresses"),
        (True, 0, "mitigates in part"),
        (True, 256, "mitigates attacks on all protected addresses"),
    ],
)
def test_a_host_says_how_much_it_mitigates(mitigates: bool, covered: int, said: str) -> None:
    lima = record(mitigates=mitigates)
    classes = {**CLASSES, "covered": covered, "uncovered": 256 - covered, "excluded": 7}
    lima["coverage"]["addresses"] = {"ipv4": classes, "ipv6": dict.fromkeys(CLASSES, 0)}
    assert said in html_page(report_of([lima], GENERATED))


def test_prefixes_with_the_same_modes_share_a_row_and_changes_come_first() -> None:
    def prefix(name: str, *now: str) -> dict[str, Any]:
        return {"prefix": name, "components": {"syn_flood": {"now": list(now), "planned": ["enabled"]}}}

    prefixes = [prefix("192.0.2.0/24", "enabled"), prefix("198.51.100.0/24"), prefix("203.0.113.0/24", "enabled")]
    page = html_page(report_of([record(prefixes=prefixes)], GENERATED))
    table = page[page.index('<table class="prefixes">') :].partition("</table>")[0]
    assert re.findall("<th [^>]*>([^<]*)<", table) == ["Prefixes", "SYN flood protection"]
    assert re.findall("<td>(.*?)</td>", table) == [
        "198.51.100.0/24",
        "<del>not protected</del> \u2192 <ins>enabled</ins>",
        "192.0.2.0/24, 203.0.113.0/24",
        "enabled",
    ]


def test_markdown_names_what_ends_soon() -> None:
    assert "- 2026-11-21 10:00 UTC: lima `lima` of lima" in markdown_page(report_of([record()], GENERATED))


def test_an_unknown_host_has_no_sample_but_its_status() -> None:
    oslo = record("oslo", status="unknown", plan_id=None, mitigates=None, coverage=None, traffic=None)
    samples = [line for line in metrics(report_of([oslo], GENERATED)).splitlines() if "oslo" in line]
    assert samples == ['edgeops_protection_host_severity{host="oslo"} 5']


def monitored_account(name: str, **others: Any) -> Any:
    """An account that matches its baseline, which only monitors."""
    idle = record(
        name, **{"status": "in_order", "reasons": [], "mitigates": False, "operations": [], "risks": [], **others}
    )
    classes = {**dict.fromkeys(CLASSES, 0), "monitored": 20_480}
    idle["coverage"] = {**idle["coverage"], "addresses": {"ipv4": classes, "ipv6": dict.fromkeys(CLASSES, 0)}}
    return idle


def test_an_account_that_only_monitors_is_never_shown_as_if_all_were_well() -> None:
    report = report_of([monitored_account("lima")], GENERATED)
    sentence = "Attacks are mitigated for 0 of 20,480 protected IPv4 addresses; the account mitigates nothing."
    page, text = html_page(report), markdown_page(report)
    assert f"{sentence} All match their baselines." in page and f"{sentence} All match their baselines." in text
    assert summary(report, "here")[:2] == [sentence, "1 host: 1 in order."]
    assert summary(report, "here")[2] == "lima: in order. It mitigates nothing."
    assert 'badge in_order idle"' in page and "in order, 1 of which mitigates nothing</button>" in page
    assert "<dt>0</dt><dd>of 1 account mitigates</dd>" in page
    assert "| host | status | why | mitigates | differences | pending |" in text
    assert "| lima | in order |  | nothing | 0 | 1 |" in text
    assert "20,480 only monitored" in page


def test_the_first_line_says_how_many_hosts_it_says_nothing_of() -> None:
    lost = {"status": "unknown", "coverage": None, "mitigates": None, "enforces": None}
    report = report_of([monitored_account("lima"), record("oslo", **lost)], GENERATED)
    assert summary(report, "here")[0].endswith("the account mitigates nothing. 1 of 2 hosts is unknown.")


def test_a_host_in_order_with_a_posture_is_told_with_its_end() -> None:
    posture = {"name": "night", "until": GENERATED, "reason": None, "since": None}
    fine: dict[str, Any] = {
        "status": "in_order",
        "reasons": [],
        "mitigates": None,
        "enforces": True,
        "postures": [posture],
    }
    line = summary(report_of([record("lima", **fine)], GENERATED), "here")[2]
    assert line.startswith("lima: in order, posture night until ") and "nothing" not in line


def test_hosts_that_would_have_the_same_line_share_one_in_the_summary() -> None:
    refused = {"reasons": ["A run refuses the plan: weakens_zone."]}
    zones = [record(f"zone-{number:02}", **refused) for number in range(40)]
    report = report_of([*zones, record("lima", status="unknown", reasons=["No answer."])], GENERATED)
    lines = summary(report, "here")
    assert "lima: unknown. No answer." in lines
    (line,) = [line for line in lines if "weakens_zone" in line]
    assert line.startswith("40 hosts (zone-00, zone-01, ") and line.endswith(
        "zone-39): drift. A run refuses the plan: weakens_zone."
    )
    assert not any("more host" in line for line in lines)


def test_the_summary_counts_the_hosts_behind_the_lines_that_it_leaves_out() -> None:
    unlike = [record(f"zone-{number:02}", status="unknown", reasons=[str(number)]) for number in range(10)]
    alike = [record(f"same-{number}", reasons=["It differs."]) for number in range(4)]
    lines = summary(report_of([*unlike, *alike], GENERATED), "here")
    assert "And 4 more hosts." in lines and not any("It differs." in line for line in lines)


def test_a_zone_that_enforces_nothing_is_never_shown_as_if_all_were_well() -> None:
    nothing: dict[str, Any] = {"status": "in_order", "reasons": [], "coverage": None, "mitigates": None}
    zones = [record(f"{enforces}.example", **nothing, enforces=enforces) for enforces in (True, False)]
    report = report_of(zones, GENERATED)
    page, text = html_page(report), markdown_page(report)
    assert "1 of 2 zones enforces rules. All match their baselines." in text
    assert page.count('badge in_order idle"') == 1 and "in order, 1 of which mitigates nothing</button>" in page
    assert "| False.example | in order |  | nothing by rules |" in text and "In order: True.example." in text
    assert "False.example: in order. It mitigates nothing." in summary(report, "here")


def test_the_first_sentence_says_if_attacks_are_mitigated_and_then_what_differs() -> None:
    zones = [
        record(name, coverage=None, mitigates=None, enforces=name == "a.example") for name in ("a.example", "b.example")
    ]
    hosts = [record(status="weakened"), monitored_account("oslo"), *zones]
    assert (
        "Attacks are mitigated for 240 of 20,736 protected IPv4 addresses and 3 of 3 /64 networks of protected IPv6 addresses;"
        " 1 of 2 accounts mitigates nothing; 1 of 2 zones enforces rules. 1 is weakened."
    ) in markdown_page(report_of(hosts, GENERATED))


def test_an_account_or_a_zone_of_several_hosts_counts_once() -> None:
    hosts = [
        record(name, account_id="a" * 32, coverage=idle["coverage"]) for name in ("lima", "oslo") for idle in [record()]
    ]
    zones = [
        record(name, coverage=None, mitigates=None, enforces=True, account_id=None, zone_id=zone)
        for name, zone in (("a", "d" * 32), ("b", "D" * 32))
    ]
    unread = record("rome", status="unknown", coverage=None, mitigates=None, account_id="A" * 32)
    totals = report_of([*hosts, *zones, unread], GENERATED)["totals"]
    assert (totals["hosts"], totals["accounts"], totals["zones"], totals["enforcing"]) == (5, 1, 1, 1)
    assert totals["addresses"] == record()["coverage"]["addresses"]


def test_rules_that_would_block_have_a_bar_and_their_examples() -> None:
    admin = {**backtest("oslo")["rules"][0], "ref": "admin", "examples": [{"http.host": "a.example", "requests": 7}]}
    tried = {**backtest("oslo"), "rules": [admin], "known": True, "unknown": []}
    report = report_of([record("oslo", backtest=tried)], GENERATED)
    text, page = markdown_page(report), html_page(report)
    whole = (
        "Of 600 requests, 3 (0.5 %) would newly be blocked or challenged, 3 (0.5 %) would newly pass, 3 are not known,"
    )
    assert whole in text and f"<p>{whole} without oslo.</p>" in page
    words = "4 blocked already, 3 newly blocked or challenged, 5 not known"
    assert f"admin: {words}; http.host a.example: 7" in text.replace("\\", "")
    assert f"<small>{words}</small>" in page and "<li>http.host a.example: 7</li>" in page
    drawn = page[page.index("<span>admin</span>") :]
    assert [part in drawn[:400] for part in ('class="x" x="0%"', 'class="n" x="33', 'class="u" x="58')] == [True] * 3


def test_a_step_that_waits_is_no_protection_yet() -> None:
    report = report_of([record(status="pending")], GENERATED)
    later = "Every host protects at least what its baseline describes once its staged rollout is over."
    assert later in markdown_page(report)


def test_equal_reasons_of_many_hosts_are_one_group_with_what_to_do() -> None:
    shared = {
        "status": "weakened",
        "reasons": ["The custom rule login is off."],
        "expiring": [],
        "traffic": None,
        "backtest": None,
    }
    hosts = [record(f"zone-{number}", **shared) for number in range(19)]
    report = report_of(
        [*hosts, *(record(f"fine-{number}", status="in_order", reasons=[]) for number in range(162))], GENERATED
    )
    text, page = markdown_page(report), html_page(report)
    (row,) = (line for line in text.splitlines() if "login is off" in line)
    assert row.startswith("| 19 hosts: zone-0, zone-1, zone-10, zone-11, zone-12 and 14 more | weakened |")
    assert "- To do if weakened: Run the baseline." in text
    assert "In order: 162 hosts: fine-0, fine-1, fine-10, fine-100, fine-101 and 157 more." in text
    assert not [line for line in text.splitlines() if line.startswith("| fine")]
    assert "Reasons that several hosts share" in page and "Run the baseline. If no baseline names" in page


def test_traffic_without_a_loss_of_a_host_in_order_is_not_in_markdown() -> None:
    def page(**numbers: Any) -> str:
        fine = record("lima", status="in_order", reasons=[])
        seen = {**PACKETS, "known": True, "unknown": [], "advice": [], "networks": [], **numbers}
        fine["traffic"] = {
            "since": GENERATED,
            "until": GENERATED,
            "known": True,
            "unknown": [],
            "components": {"dns": seen},
        }
        return markdown_page(report_of([fine], GENERATED))

    assert "96 passed" not in page(dropped_packets=0, would_drop_packets=0)
    assert all(
        "96 passed" in page(**lost) for lost in ({}, {"dropped_packets": 0, "would_drop_packets": 0, "known": False})
    )


def test_a_refused_risk_is_red_only_where_less_is_protected() -> None:
    for status, red in (("drift", False), ("weakened", True)):
        page = html_page(report_of([record(status=status)], GENERATED))
        assert ("<span class=bad>1 risk refused" in page) is red and "1 risk refused" in page


def test_an_object_that_no_baseline_names_is_there_since_a_minute() -> None:
    lima = record()
    lima["unmanaged"][0].update(since="2026-11-23T04:19:46.335087+00:00", accepted=None)
    assert "since 2026-11-23 04:19 UTC" in markdown_page(report_of([lima], GENERATED)).replace("\\", "")
