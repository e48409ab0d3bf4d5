# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An expression as a value: what it names, and the expressions that are made of it."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import (
    Comparison,
    NotKnown,
    Tree,
    parse,
)
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import leaves as leaves_of
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import Fields
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.solve import matches_every_request
from ansible_collections.edgeops.protection.plugins.module_utils._text import Unread
from ansible_collections.edgeops.protection.plugins.module_utils._values.address_set import Contents, ranges_of

HOST = Expression.of('http.host eq "a.example"')
TLS = Expression.of("ssl")
OFFICE = Expression.of("ip.src in $office")
COMPOSED = {
    '(http.host eq "a.example") and (ssl)': HOST.and_(TLS),
    '(http.host eq "a.example") or (ssl) or (ip.src in $office)': HOST.or_(TLS, OFFICE),
    "not (ssl)": TLS.not_(),
    "not (ssl) or (ip.src in $office)": TLS.not_().or_(OFFICE),
    '(ssl) and not (http.host eq "a.example") and not (ip.src in $office)': TLS.without(HOST, OFFICE),
    "((ssl) and not (ip.src in $office)) or (ssl)": TLS.without(OFFICE).or_(TLS),
    "ssl": TLS.without(),
    "false": Expression.any_of([]),
    "(ssl) or (ip.src in $office)": Expression.any_of([TLS, OFFICE]),
}


def without_places(tree: Tree) -> list[tuple[object, ...]]:
    return [(leaf.field, leaf.operator, [token.text for token in leaf.operands]) for leaf in leaves_of(tree)]


@pytest.mark.parametrize(("text", "composed"), COMPOSED.items())
def test_an_expression_made_of_others_is_that_of_its_text(text: str, composed: Expression) -> None:
    assert composed.text == text
    assert composed == Expression.of(text)
    assert hash(composed) == hash(Expression.of(text))
    assert without_places(composed.tree) == without_places(parse(text))
    assert [*composed.names] == [*Expression.of(text).names]
    assert [*composed.lists] == [*Expression.of(text).lists]
    assert matches_every_request(composed) == matches_every_request(Expression.of(text))


@pytest.mark.parametrize("is_tls", [True, False])
@pytest.mark.parametrize("host", [b"a.example", b"b.example"])
def test_an_expression_made_of_others_is_evaluated_as_its_text(host: bytes, is_tls: bool) -> None:
    lists = {"office": Contents(ranges_of(["192.0.2.0/24"]))}
    fields = Fields({"http.host": host, "ssl": is_tls}, lists)
    for text, composed in COMPOSED.items():
        assert composed.evaluate(fields) == Expression.of(text).evaluate(fields), text


def test_expressions_that_differ_in_white_space_are_one() -> None:
    spaced = Expression.of(' http.host  eq\n"a.example"')
    assert spaced == HOST and len({spaced, HOST, TLS}) == 2
    assert Expression.of('http.host eq "a. example"') != HOST
    assert HOST.text != HOST


def test_a_text_is_read_once() -> None:
    assert Expression.of("ssl") is Expression.of("ssl")


def test_a_part_that_cannot_be_read_does_not_leave_its_parentheses() -> None:
    """The text `(ssl) or (true) and (ssl)` could be read, and matches other requests."""
    odd = Expression.of("ssl) or (true")
    for composed in (odd.and_(TLS), TLS.or_(odd), odd.not_()):
        assert isinstance(composed.problem, Unread)
        with pytest.raises(Unread):
            bool(composed.tree)
        assert isinstance(composed.evaluate(Fields({"ssl": False})), NotKnown)
        assert not matches_every_request(composed)


def test_expressions_may_be_made_of_many() -> None:
    """More than a text may have parentheses within each other."""
    composed = TLS
    for number in range(60):
        composed = composed.and_(Expression.of(f"cf.threat_score ne {number}"))
    assert composed.problem is None
    assert composed.evaluate(Fields({"ssl": True, "cf.threat_score": 59})) is False


def test_an_expression_has_the_contents_of_lists_in_each_of_its_parts() -> None:
    contents = {"office": Contents(ranges_of(["192.0.2.0/24"]))}
    assert TLS.without(OFFICE).with_lists(contents).text == "(ssl) and not (ip.src in {192.0.2.0/24})"
    assert TLS.with_lists(contents) is TLS
    assert OFFICE.with_lists({}) is OFFICE


@pytest.mark.parametrize(
    ("text", "assumed", "truth"),
    [
        ('(ssl) and cf.zone.plan eq "ENT"', "(ssl) and true", True),
        ('ssl and not (cf.zone.plan eq "ENT")', "ssl and not (true)", False),
        ("ssl", "ssl", True),
        ('ssl) and cf.zone.plan eq "ENT"', 'ssl) and cf.zone.plan eq "ENT"', None),
    ],
)
def test_a_comparison_may_be_taken_for_true(text: str, assumed: str, truth: bool | None) -> None:
    expression = Expression.of(text).assuming(Expression.of('cf.zone.plan eq "ENT"'))
    decided = expression.evaluate(Fields({"ssl": True}))
    assert (expression.text, None if isinstance(decided, NotKnown) else decided) == (assumed, truth)


def test_comparisons_of_a_field_have_the_truth_that_favours_the_expression() -> None:
    expression = Expression.of('http.host eq "a" and not lower(http.host) eq "b" and (ssl xor http.host eq "c")')
    favoured = [(leaf.operands[0].text, truth) for leaf, truth in expression.truths_in_favour(frozenset(["http.host"]))]
    assert favoured == [('"a"', True), ('"b"', False), ('"c"', True), ('"c"', False)]


def test_an_expression_says_which_fields_are_in_lists() -> None:
    uses = Expression.of("ip.src in $office and not cidr(ip.src, 24, 64) in $nets").list_uses
    assert [tuple(use) for use in uses] == [("office", "ip.src"), ("nets", "cidr ( ip.src , 24 , 64 )")]
    assert all(isinstance(leaf, Comparison) for leaf in OFFICE.comparisons)


@pytest.mark.parametrize(
    ("text", "has_one"),
    [
        ('http.host matches "a"', True),
        ('any(http.request.headers["a"][*] ~ "a")', True),
        ('http.host eq "matches"', False),
        ("http.host matches", True),
        ('"', False),
    ],
)
def test_an_expression_has_a_regular_expression(text: str, has_one: bool) -> None:
    assert Expression.of(text).has_regular_expression is has_one
