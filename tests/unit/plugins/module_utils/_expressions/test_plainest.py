# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A wildcard or regular expression that is nothing but a text is the same traffic as the comparison with that text; one
that is more is not."""

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.operands import Fields
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.solve import matches_every_request

PATH = "http.request.uri.path"
STARTS, ENDS = f'starts_with({PATH}, "/admin/")', f'ends_with({PATH}, ".php")'
CONTAINS, EQUALS = f'{PATH} contains "admin"', f'{PATH} eq "/admin"'
ALIKE = [
    (f'{PATH} strict wildcard "/admin/*"', STARTS),
    (f'{PATH} strict wildcard r"/admin/*"', STARTS),
    (f'{PATH} strict wildcard "*.php"', ENDS),
    (f'{PATH} strict wildcard "*admin*"', CONTAINS),
    (f'{PATH} strict wildcard "/admin"', EQUALS),
    (f'{PATH} strict wildcard "/a\\\\*b"', f'{PATH} eq "/a*b"'),
    (f'{PATH} wildcard "/1/*"', f'starts_with({PATH}, "/1/")'),
    (f'{PATH} wildcard "/Admin/*"', f'{PATH} wildcard "/admin/*"'),
    (f'{PATH} wildcard "/Admin*x"', f'{PATH} wildcard "/admin*X"'),
    (f'{PATH} matches "^/admin/"', STARTS),
    (f'{PATH} ~ "^/admin/"', STARTS),
    (f'{PATH} matches "^/admin/.*"', STARTS),
    (f'{PATH} matches "\\A/admin/"', STARTS),
    (f'{PATH} matches r"^/admin/.*?"', STARTS),
    (f'{PATH} matches "\\.php$"', ENDS),
    (f'{PATH} matches ".*\\.php\\z"', ENDS),
    (f'{PATH} matches "admin"', CONTAINS),
    (f'{PATH} matches ".*admin.*"', CONTAINS),
    (f'{PATH} matches "^/admin$"', EQUALS),
    (f'{PATH} matches "^/a\\"b$"', f'{PATH} eq "/a\\"b"'),
    (f'lower({PATH}) matches "^/admin/"', f'starts_with(lower({PATH}), "/admin/")'),
    (f'not {PATH} matches "^/admin/"', f"not {STARTS}"),
]
UNLIKE = [
    (f'{PATH} wildcard "/admin/*"', STARTS),  # of either case
    (f'{PATH} strict wildcard "/Admin/*"', STARTS),
    (f'{PATH} strict wildcard "/admin/*x"', STARTS),
    (f'{PATH} strict wildcard "/admin/\\\\*"', STARTS),
    (f'{PATH} matches "(?i)^/admin/"', STARTS),
    (f'{PATH} matches "^/admin/.*$"', STARTS),  # a line break may stand there
    (f'{PATH} matches "^.*\\.php$"', ENDS),
    (f'{PATH} matches ".php$"', ENDS),
    (f'{PATH} matches "^/admin/|x"', STARTS),
    (f'{PATH} matches "^/admin/."', STARTS),
    (f'{PATH} matches "^/admin/?"', STARTS),
    (f'{PATH} matches "^/[a]dmin/"', STARTS),
    (f'{PATH} matches "/admin/"', STARTS),
    (f'{PATH} matches "^/admin$"', STARTS),
]
TEXTS = ["", "/", "/admin", "/admin/", "/admin/x", "/ADMIN/", "/Admin/x", "x/admin/", "/1/", "/1", "/x.php", "/xphp", "/admin/\n",
         "/admin\n", "\n.php", "/a*b", "/axb", '/a"b', "/adminx", "/adminX", "/admin/*", "/admin/x.php"]  # fmt: skip


def are_alike(one: str, other: str) -> bool:
    """Return whether two expressions are proven to match the same requests."""
    first, second = Expression.of(one), Expression.of(other)
    either = first.and_(second.not_()), second.and_(first.not_())
    return all(matches_every_request(expression.not_()) for expression in either)


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_texts_in_another_form_are_the_same_traffic(one: str, other: str) -> None:
    assert not Expression.of(one).problem
    assert are_alike(one, other)
    for values in ({}, *({PATH: text.encode()} for text in TEXTS)):
        truths = [Expression.of(text).evaluate(Fields(values)) for text in (one, other)]
        assert str(truths[0]) == str(truths[1]), values


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_patterns_that_are_more_than_a_text_are_other_traffic(one: str, other: str) -> None:
    assert not are_alike(one, other)
