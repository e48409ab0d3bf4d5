# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook check_inventory, without a token and without a service: one run tells all that can be known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible_collections.edgeops.protection.plugins.plugin_utils._variables import ENCODER

from tests.support.ansible_run import REPOSITORY, Run, ansible_playbook

pytestmark = pytest.mark.skipif(not ENCODER, reason="ansible-core before 2.19 knows no places")

HOSTS = f"""---
zones:
  hosts:
    blog.example: {{edge_zone_id: {"a" * 32}}}
    cafe.example: {{edge_zone_id: {"b" * 32}}}
    shop.example: {{edge_zone_id: {"c" * 32}, edge_zone_plan: free}}
  vars:
    ansible_connection: local
    ansible_python_interpreter: "{{{{ ansible_playbook_python }}}}"
"""
# Ten rules with eighteen mistakes: those that a run refuses, those that it takes, and what only a solver finds.
RULES = r"""---
baseline_custom_rules:
  - {ref: r1, action: blok, descr: x, expression: 'http.request.uri.pth eq "/a"'}
  - {ref: r2, action: block, expression: 'tcp.dstport eq 22'}
  - {ref: r3, action: skip, expression: 'http.request.uri.path eq "b" or starts_wth(http.host, "a")'}
  - {ref: r4, action: block, expression: 'http.request.method eq "get" or cf.bot_management.score gt 100'}
  - {ref: r5, action: block, expression: 'starts_with(http.request.uri.path, "/c")'}
  - {ref: r6, action: block, expression: 'starts_with(http.request.uri.path, "/c")'}
  - {ref: r7, action: block, expression: 'http.request.uri.path eq "/c/d"'}
  - {ref: r8, action: block, expression: 'ip.src in {10.0.0.0/8}'}
  - {ref: r9, action: block, position: top, expression: 'ip.src.country eq "UK"'}
  - {ref: r5, action: block, expires: tomorrow, expression: 'http.host eq shop.example'}
baseline_securty_level: high
baseline_limits: {max_deletions: 3}
baseline_retries: many
"""
MISTAKES = [
    (3, "baseline_custom_rules[0].action: 'blok' is none of"),
    (3, "baseline_custom_rules[0].descr: there is no such field"),
    (11, "baseline_custom_rules[8].position: 'top' is not first, last,"),
    (12, "baseline_custom_rules[9].expires: 'tomorrow' is neither a date"),
    (12, "baseline_custom_rules[9]: r5 is named here and in baseline_custom_rules[4]"),
    (12, "baseline_custom_rules[9].expression: column 14"),
    (13, "baseline_securty_level: there is no such variable"),
    (14, "baseline_limits.max_deletions: there is no such field"),
    (15, "baseline_retries: 'many' is a text"),
]
DOUBTS = [
    (4, "reads a field that this collection does not know: 'tcp.dstport'"),
    (5, "never true, since http.request.uri.path begins with a slash"),
    (5, "no page of Cloudflare names a function 'starts_wth' (did you mean starts_with?)"),
    (5, "a new custom rule r3 is refused, since it has the action skip"),
    (6, "http.request.method has no small letters"),
    (6, "cf.bot_management.score"),
    (8, "the custom rule r6 cannot work: it has the same expression as r5"),
    (9, "the custom rule r7 cannot work: r5 already decides every request"),
    (10, "the custom rule r8 cannot work: it names only private or reserved sources"),
]


def checked(folder: Path, *options: str) -> Run:
    playbook = REPOSITORY / "playbooks" / "check_inventory.yml"
    # No proxy, no token: whoever made a request would fail.
    environment = {"HTTPS_PROXY": "http://127.0.0.1:9", "CLOUDFLARE_API_TOKEN": "", "ANSIBLE_NOCOLOR": "1"}
    sarif = ("-e", "check_sarif=found.sarif")
    return ansible_playbook("-i", "inventory", *sarif, *options, playbook, directory=folder, environment=environment)


def found_in(folder: Path, level: str) -> list[tuple[str, int, str]]:
    """The file, the line and the text of each finding of this level."""
    (run,) = json.loads((folder / "found.sarif").read_text(encoding="utf-8"))["runs"]
    found = []
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        if result["level"] == level:
            uri = place["artifactLocation"]["uri"].removeprefix("inventory/")
            found.append((uri, place["region"]["startLine"], result["message"]["text"]))
    return sorted(found)


def write(folder: Path, **texts: str) -> None:
    for name, text in {"hosts.yml": HOSTS, **texts}.items():
        path = folder / "inventory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def assert_found(found: list[tuple[str, int, str]], expected: list[tuple[int, str]]) -> None:
    left = [*found]
    for line, excerpt in expected:
        matching = [item for item in left if item[1] == line and excerpt in item[2]]
        assert matching, (line, excerpt, left)
        left.remove(matching[0])
    assert not left


def test_one_run_tells_all_mistakes_in_ten_rules_and_what_cannot_work_besides(tmp_path: Path) -> None:
    write(tmp_path, **{"host_vars/cafe.example.yml": RULES})
    run = checked(tmp_path)
    assert run.code == 2
    assert_found(found_in(tmp_path, "error"), MISTAKES)
    assert_found(found_in(tmp_path, "warning"), DOUBTS)
    told = " ".join(run.output.split())
    assert all(excerpt.replace('"', '\\"') in told or excerpt in told for _line, excerpt in [*MISTAKES, *DOUBTS])


def test_files_that_cannot_be_read_hide_no_mistake_of_other_hosts_and_a_limit_hides_no_host(tmp_path: Path) -> None:
    write(
        tmp_path,
        **{
            "host_vars/blog.example.yml": '---\nbaseline_custom_rules:\n  - {ref: a, expression: f(x, "/a")}\n',
            "host_vars/cafe.example.yml": "---\nbaseline_securty_level: high\n",
            "host_vars/caffe.example.yml": "---\nbaseline_security_level: high\n",
            "host_vars/shop.example.yml": "---\nbaseline_custom_rules:\n  - {ref: a, action: log, expression: ssl}\n",
            "group_vars/zones.yml.txt": "---\n",
            "more.yml": "---\nzones:\n\thosts: {}\n",
        },
    )
    for options in ([], ["--limit", "cafe.example"]):
        assert checked(tmp_path, *options).code == 2
        assert [(file, line, text.split(":")[0]) for file, line, text in found_in(tmp_path, "error")] == [
            ("host_vars/blog.example.yml", 3, "YAML parsing failed"),
            ("host_vars/cafe.example.yml", 2, "baseline_securty_level"),
            ("host_vars/shop.example.yml", 3, "baseline_custom_rules[0]"),
            ("more.yml", 3, "YAML parsing failed"),
        ]
        assert [(file, line, text.split(":")[0]) for file, line, text in found_in(tmp_path, "warning")] == [
            ("group_vars/zones.yml.txt", 1, "nobody reads this file"),
            ("host_vars/caffe.example.yml", 1, "nobody reads this file"),
        ]


def test_warnings_alone_are_no_failure(tmp_path: Path) -> None:
    write(tmp_path, **{"host_vars/caffe.example.yml": "---\n", "group_vars/zones.yml": "---\n"})
    run = checked(tmp_path).done()
    assert "3 hosts were checked; none has a mistake; see the warnings." in run.output
    assert "the inventory has no host caffe.example (did you mean cafe.example?)" in " ".join(run.output.split())


def test_if_no_host_can_be_read_all_files_that_are_wrong_are_told(tmp_path: Path) -> None:
    of_host, of_group = "---\n- {a: b\n", "---\na: 2027-02-30\n"
    write(tmp_path, **{"host_vars/cafe.example.yml": of_host, "group_vars/zones.yml": of_group})
    run = checked(tmp_path)
    assert run.code != 0
    told = " ".join(run.output.split())
    assert "No host has variables that can be read. 2 errors: (1) YAML parsing failed: " in told
    assert "day is out of range for month (inventory/group_vars/zones.yml:1)" in told


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("edge_api_token", "x", "it has fewer than 8 characters, and no token or key is that short"),
        ("baseline_api_token", f"Bearer {'a1' * 20}", "it begins with Bearer"),
        ("edge_api_key", "1234567", "it has fewer than 8 characters"),
        ("edge_api_token", "{{ lookup('ansible.builtin.env', 'NO_SUCH_TOKEN') }}", ""),
        ("edge_api_token", "a1" * 20, ""),
    ],
)
def test_a_credential_that_is_none_is_a_mistake_and_hides_no_letters(
    name: str, value: str, problem: str, tmp_path: Path
) -> None:
    text = f"---\n{name}: {json.dumps(value)}\nbaseline_expctations: []\n"
    write(tmp_path, **{"host_vars/cafe.example.yml": text})
    checked(tmp_path)
    texts = [found[2] for found in found_in(tmp_path, "error")]
    assert [text for text in texts if "baseline_expctations: there is no such variable" in text]
    assert [text.startswith(f"{name}: {problem}") for text in texts if text.startswith(name)] == [True] * bool(problem)
