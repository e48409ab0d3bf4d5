# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which risks an acceptance accepts, and the dictionary that a refusal prints."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Iterable, Sequence

import pytest
import yaml
from ansible_collections.edgeops.protection.plugins.module_utils._errors import OptionError
from ansible_collections.edgeops.protection.plugins.module_utils._guard.acceptance import (
    Acceptance,
    acceptances_to_copy,
    accepting,
    parse_acceptances,
)
from ansible_collections.edgeops.protection.plugins.module_utils._guard.finding import Finding, entry_of
from ansible_collections.edgeops.protection.plugins.module_utils._schema.account import FILTERS, PREFIXES, RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.custom_rules import CUSTOM_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.firewall_rules import FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.network_firewall import NETWORK_FIREWALL_RULES
from ansible_collections.edgeops.protection.plugins.module_utils._schema.resource import Resource
from ansible_collections.edgeops.protection.plugins.module_utils._text import Option, visible
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import range_of, union
from hypothesis import given
from hypothesis import strategies as st

NOW = datetime(2026, 6, 30, 12, tzinfo=timezone.utc)
CODE = "unprotects_addresses"
OF_PREFIX = {"code": CODE, "resource": "prefix"}
OF_RULE = {"code": CODE, "resource": "syn_flood_rule"}


def risk(networks: list[str], entries: list[str], resource: Resource = PREFIXES, code: str = CODE) -> Finding:
    """A risk that concerns networks, and objects of a resource with one field as key."""
    objects = [entry_of(resource, {resource.key[0]: text}) for text in entries]
    ranges = union(filter(None, map(range_of, networks)))
    return Finding(code, "", ranges=ranges, entries=objects)


def parsed(elements: Iterable[Any]) -> Sequence[Acceptance]:
    return parse_acceptances(Option("accept_risks"), elements, (CODE, "stops_mitigation"))


WEUR = entry_of(RULES[0], {"scope": "region", "name": "WEUR"})
BLOCKS = ["192.0.2.0/24", "203.0.113.0/24"]
TWO = risk(BLOCKS, [])._replace(entries=[*risk([], BLOCKS[:1]).entries, WEUR])
ACCEPTED: list[tuple[str, list[Any], bool]] = [
    ("nothing", [], False),
    ("another code", ["stops_mitigation"], False),
    ("a code", [CODE], True),
    ("a dictionary with the code alone", [{"code": CODE}], True),
    ("its networks", [{"code": CODE, "networks": ["192.0.2.0/24", "203.0.113.0/24"]}], True),
    ("its networks, written in another way", [{"code": CODE, "networks": ["192.0.2.7/24", "203.0.113.0/25", "203.0.113.128/25"]}], True),
    ("more than its networks", [{"code": CODE, "networks": ["0.0.0.0/0"]}], True),
    ("one of its networks", [{"code": CODE, "networks": ["192.0.2.0/24"]}], False),
    ("no network", [{"code": CODE, "networks": []}], False),
    ("its networks, by two dictionaries", [{"code": CODE, "networks": ["192.0.2.0/24"]}, {"code": CODE, "networks": ["203.0.113.0/24"]}], True),
    ("its entries", [{**OF_PREFIX, "entries": ["192.0.2.1/24"]}, {**OF_RULE, "entries": ["syn_flood Region weur"]}], True),
    ("its entries, a component in capitals", [{**OF_PREFIX, "entries": ["192.0.2.0/24"]}, {**OF_RULE, "entries": ["SYN_flood region WEUR"]}], True),
    ("an entry of another component", [{**OF_PREFIX, "entries": ["192.0.2.0/24"]}, {**OF_RULE, "entries": ["dns region WEUR"]}], False),
    ("its entries, of another resource with the same keys",
     [{"code": CODE, "resource": "allowlist_entry", "entries": ["192.0.2.0/24"]}, {**OF_RULE, "entries": ["syn_flood region WEUR"]}], False),
    ("its entries, of one resource", [{**OF_PREFIX, "entries": ["192.0.2.0/24", "syn_flood region WEUR"]}], False),
    ("its resources", [{"code": CODE, "resource": "prefix"}, {"code": CODE, "resource": "syn_flood_rule"}], True),
    ("one of its resources", [{"code": CODE, "resource": "prefix"}], False),
    ("its networks, of another resource", [{"code": CODE, "resource": "allowlist_entry", "networks": BLOCKS}], False),
    ("its networks, of one of its resources", [{"code": CODE, "resource": "prefix", "networks": BLOCKS}], False),
    ("no entry", [{**OF_PREFIX, "entries": []}], False),
    ("one of its entries", [{**OF_PREFIX, "entries": ["192.0.2.0/24"]}], False),
    ("its networks and one of its entries",
     [{"code": CODE, "networks": ["0.0.0.0/0"], "resource": "prefix", "entries": ["192.0.2.0/24"]}], False),
    ("a network of it and its entries, apart",
     [{"code": CODE, "networks": ["192.0.2.0/24"]}, {**OF_PREFIX, "entries": ["192.0.2.0/24"]}], False),
    ("a code beside what is bound to less", [{"code": CODE, "networks": ["192.0.2.0/24"]}, CODE], True),
    ("a code until tomorrow", [{"code": CODE, "expires": "2026-07-01"}], True),
    ("a code until the end of today", [{"code": CODE, "expires": "2026-06-30"}], True),
    ("a code until yesterday", [{"code": CODE, "expires": "2026-06-29"}], False),
    ("a code until now, elsewhere", [{"code": CODE, "expires": "2026-06-30T14:00:00+02:00"}], False),
    ("a code until a second later", [{"code": CODE, "expires": "2026-06-30T14:00:01+02:00"}], True),
]  # fmt: skip


@pytest.mark.parametrize(("elements", "accepted"), [row[1:] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_a_risk_is_accepted_by_its_code_its_networks_and_its_entries(elements: list[Any], accepted: bool) -> None:
    assert bool(accepting(TWO, parsed(elements), NOW)) is accepted


def test_without_a_clock_what_expires_is_not_accepted() -> None:
    (bound,) = parsed([{"code": CODE, "expires": "2099-01-01"}])
    assert not accepting(TWO, [bound], None)
    assert bound.has_expired(None)


MALFORMED: list[tuple[Any, str, str]] = [
    ("unprotect_addresses", "accept_risks[0]",
     "'unprotect_addresses' is none of unprotects_addresses, stops_mitigation (did you mean unprotects_addresses?)"),
    (7, "accept_risks[0]", "7 is a number; write {code: ...}"),
    ({"networks": []}, "accept_risks[0].code", "it is missing; write one of unprotects_addresses, stops_mitigation"),
    ({"code": "all"}, "accept_risks[0].code", "'all' is none of unprotects_addresses, stops_mitigation"),
    ({"code": CODE, "network": "192.0.2.0/24"}, "accept_risks[0].network", "there is no such field (did you mean networks?)"),
    ({"code": CODE, "networks": {"a": 1}}, "accept_risks[0].networks", "it is a dictionary; write a list"),
    ({"code": CODE, "networks": ["192.0.2/24"]}, "accept_risks[0].networks[0]", "'192.0.2/24' is neither an address nor a network"),
    ({**OF_PREFIX, "entries": [["a"]]}, "accept_risks[0].entries[0]", "it is a list; write a text"),
    ({"code": CODE, "entries": ["192.0.2.0/24"]}, "accept_risks[0].resource",
     "say of which resource these entries are, since another one may have the same keys; the failure of the task prints it"),
    ({"code": CODE, "resource": "prefixes"}, "accept_risks[0].resource", "there is no resource prefixes (did you mean prefix?)"),
    ({"code": CODE, "expires": "Friday"}, "accept_risks[0].expires", "'Friday' is neither a date such as 2027-01-31 nor a time such as"
     " 2027-01-31T18:00:00+01:00"),
    ({"code": CODE, "expires": "2026-06-31"}, "accept_risks[0].expires", "'2026-06-31' is not a date that exists"),
    ({"code": CODE, "expires": "2026-06-30T12:00:00"}, "accept_risks[0].expires",
     "'2026-06-30T12:00:00' is neither a date such as 2027-01-31 nor a time such as 2027-01-31T18:00:00+01:00"),
]  # fmt: skip


@pytest.mark.parametrize(("element", "option", "reason"), MALFORMED, ids=str)
def test_a_malformed_acceptance_is_refused(element: Any, option: str, reason: str) -> None:
    with pytest.raises(OptionError) as caught:
        parsed([element])
    assert caught.value.option.name({}) == option
    assert caught.value.problem == reason


REFS: list[tuple[list[str], str, bool]] = [
    (["login"], "login", True),
    (["login"], "Login", False),
    (["a1"], "A 1", False),
    (["A 1"], "A 1", True),
    (["A  1"], "A 1", False),
    (["192.0.2.0/24"], "192.0.2.7/24", False),
]
EXPRESSIONS: list[tuple[list[str], str, bool]] = [
    (["syn_flood tcp.dstport  in {80}"], "tcp.dstport in {80}", True),
    (["syn_flood tcp.dstport in\n{80}"], "tcp.dstport in {80}", True),
    (["tcp.dstport in {80}"], "tcp.dstport in {80}", False),
    (["syn_flood tcp.dstport in {81}"], "tcp.dstport in {80}", False),
    (["syn_flood"], "tcp.dstport in {80}", False),
]


@pytest.mark.parametrize(
    ("resource", "entries", "key", "accepted"),
    [*((CUSTOM_RULES, *row) for row in REFS), *((FILTERS[0], *row) for row in EXPRESSIONS)],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_keys_are_compared_as_their_resource_compares_them(
    resource: Resource, entries: list[str], key: str, accepted: bool
) -> None:
    acceptances = parsed([{"code": CODE, "resource": resource.name, "entries": entries}])
    assert bool(accepting(risk([], [key], resource), acceptances, NOW)) is accepted


@pytest.mark.parametrize("bound", ["networks", "entries"])
def test_an_acceptance_bound_to_what_a_risk_does_not_have_accepts_nothing(bound: str) -> None:
    concerned = risk(BLOCKS, []) if bound == "entries" else risk([], BLOCKS)
    of_resource = {"resource": "prefix"} if bound == "entries" else {}
    for texts in ([], BLOCKS):
        assert not accepting(concerned, parsed([{"code": CODE, bound: texts, **of_resource}]), NOW)


class Playbook(yaml.SafeLoader):
    """Reads YAML as a playbook does: a text that is not unsafe must have no template."""


def as_in_playbook(loader: Playbook, node: yaml.ScalarNode) -> str:
    text = str(node.value)
    assert node.tag == "!unsafe" or not any(mark in text for mark in ("{{", "{%", "{#")), text
    return text


Playbook.add_constructor("!unsafe", as_in_playbook)
Playbook.add_constructor("tag:yaml.org,2002:str", as_in_playbook)
KEYS = st.one_of(
    st.text(min_size=1),
    st.text("\n\r\t\"'\\{}%#[],:&*!|>-?@` \u2028\u202e\ufeff\xa0\x85ab", min_size=1),
    st.sampled_from(
        ["on", "7", "it's {a: b}", "~", "null", "2001:db8::/32", "tcp.dstport in {80\n443}", "{{ x }}", "1e3"]
    ),
)


@given(
    st.lists(st.ip_addresses().map(lambda address: f"{address}/{address.max_prefixlen}"), max_size=3),
    st.lists(KEYS, min_size=1, max_size=3),
    st.sampled_from([CUSTOM_RULES, FILTERS[0], FIREWALL_RULES]),
)
def test_a_printed_acceptance_can_be_copied_and_accepts_no_other_risk(
    networks: list[str], keys: list[str], resource: Resource
) -> None:
    concerned = risk(networks, keys, resource)
    printed = visible(", ".join(acceptances_to_copy(concerned.record())))
    assert printed.isprintable()
    acceptances = parsed(yaml.load(f"[{printed}]", Playbook))
    assert accepting(concerned, acceptances, NOW)
    assert not accepting(risk(networks, [*keys, "another entry of the list"], resource), acceptances, NOW)


def test_an_acceptance_in_plain_words_has_no_quotes() -> None:
    assert acceptances_to_copy(risk(["192.0.2.0/24"], []).record()) == [f"{{code: {CODE}, networks: [192.0.2.0/24]}}"]
    assert acceptances_to_copy(risk(["192.0.2.0/24"], ["192.0.2.0/24"]).record()) == [
        f"{{code: {CODE}, networks: [192.0.2.0/24], resource: prefix}}"
    ]
    texts = ["login", "A 1", "on", "it's", "two\nlines", "{{ x }}", "{{ x }}\t"]
    printed = "login, 'A 1', 'on', 'it''s', \"two\\nlines\", !unsafe '{{ x }}', !unsafe \"{{ x }}\\t\""
    assert acceptances_to_copy(risk([], texts, CUSTOM_RULES).record()) == [
        f"{{code: {CODE}, resource: custom_rule, entries: [{printed}]}}"
    ]


def test_a_risk_of_two_resources_has_an_acceptance_for_each() -> None:
    entries = [entry_of(CUSTOM_RULES, {"ref": "partner"}), entry_of(NETWORK_FIREWALL_RULES, {"ref": "partner"})]
    concerned = risk([], [])._replace(entries=[*entries, entries[0]])
    record = concerned.record()
    assert record["entries"] == ["partner"]
    assert record["objects"] == [
        {"resource": "custom_rule", "key": "partner"},
        {"resource": "network_firewall_rule", "key": "partner"},
    ]
    printed = acceptances_to_copy(record)
    assert printed == [
        f"{{code: {CODE}, resource: custom_rule, entries: [partner]}}",
        f"{{code: {CODE}, resource: network_firewall_rule, entries: [partner]}}",
    ]
    acceptances = parsed(yaml.load(f"[{', '.join(printed)}]", Playbook))
    assert accepting(concerned, acceptances, NOW) == [*acceptances]
    assert not accepting(concerned, acceptances[:1], NOW)
    assert accepting(concerned._replace(entries=entries[:1]), acceptances[:1], NOW)
    assert not accepting(concerned._replace(entries=entries[1:]), acceptances[:1], NOW)
