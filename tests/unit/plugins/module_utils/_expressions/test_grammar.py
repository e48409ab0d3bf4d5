# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.expression import Expression
from ansible_collections.edgeops.protection.plugins.module_utils._expressions.grammar import (
    Combination,
    Comparison,
    Constant,
    Negation,
    Tree,
    leaves,
    normalise_expression,
    parse,
    place_in_words,
    tokens_of,
)
from ansible_collections.edgeops.protection.plugins.module_utils._text import Unread


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("ip.dst in {192.0.2.0/24 2001:db8::1}", ["ip.dst", "in", "{", "192.0.2.0/24", "2001:db8::1", "}"]),
        ("(tcp.dstport>=80)&&!(ssl)", ["(", "tcp.dstport", ">=", "80", ")", "&&", "!", "(", "ssl", ")"]),
        ("tcp.dstport in {80..90}", ["tcp.dstport", "in", "{", "80..90", "}"]),
        ("http.host eq \"a b\"\r\n and ssl", ["http.host", "eq", '"a b"', "and", "ssl"]),
        (r'x eq "a\"b" and y', ["x", "eq", r'"a\"b"', "and", "y"]),
        (r'x eq r"a\" and y', ["x", "eq", r'r"a\"', "and", "y"]),
        ('x eq r#"a" b"# and y', ["x", "eq", 'r#"a" b"#', "and", "y"]),
        ('x matches "["]" and y', ["x", "matches", '"["]"', "and", "y"]),
        (r'x ~ "[\]"]" and y', ["x", "~", r'"[\]"]"', "and", "y"]),
        ('x eq "[" and y', ["x", "eq", '"["', "and", "y"]),
        ('any(h["x"][*] contains "y")', ["any", "(", "h", "[", '"x"', "]", "[", "*", "]", "contains", '"y"', ")"]),
        ("ip.src in $office", ["ip.src", "in", "$office"]),
        ("", []),
    ],
)  # fmt: skip
def test_words_are_those_of_the_engine(expression: str, words: list[str]) -> None:
    tokens = tokens_of(expression)
    assert [token.text for token in tokens] == words
    assert all(expression.startswith(token.text, token.start) for token in tokens)


@pytest.mark.parametrize(
    ("expression", "start", "problem"),
    [
        ("ip.dst\teq 192.0.2.1", 6, "a tab is not white space in expressions; write a space"),
        ("ip.dst\u00a0eq 192.0.2.1", 6, "NO-BREAK SPACE is not white space"),
        ("ip.dst\x0beq 192.0.2.1", 6, "U+000B is not white space"),
        ("tcp.dstport eq \u0668\u0660", 15, "'\u0668' is not expected there"),
        ("ip.dst = 192.0.2.1", 7, "'=' is not expected there; write eq"),
        ('http.host eq "a', 13, "the text that starts there has no end"),
        ('http.host eq r#"a"', 14, "the text that starts there has no end"),
        ('x matches "["', 10, "the text that starts there has no end"),
    ],
)
def test_a_text_outside_of_the_language_is_named_with_its_place(expression: str, start: int, problem: str) -> None:
    with pytest.raises(Unread) as caught:
        tokens_of(expression)
    assert problem in str(caught.value)
    assert (caught.value.at, caught.value.malformed) == (start, True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ip.src  in\n{192.0.2.0/24}", " ip.src in {192.0.2.0/24}\r\n"),
        ("tcp.dstport in {80 443}", "tcp.dstport in { 80   443 }"),
        ("(ssl) and not(ssl)", "( ssl )and not (ssl)"),
        ("ip.dst==192.0.2.1", "ip.dst == 192.0.2.1"),
        ('a eq "x  y"   and\nb eq "z  w"  or  c', 'a eq "x  y" and b eq "z  w" or c'),
        ('h["x"][0] eq "y"', 'h [ "x" ] [ 0 ] eq "y"'),
    ],
)
def test_white_space_outside_of_text_makes_no_difference(one: str, other: str) -> None:
    assert normalise_expression(one) == normalise_expression(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('http.host eq "a  b"', 'http.host eq "a b"'),
        ('a eq "x" or b eq "y  z"', 'a eq "x" or b eq "y z"'),
        ('x eq r#"a" "  b"#', 'x eq r#"a" " b"#'),
        ('x eq r"\\" and y eq "a  b"', 'x eq r"\\" and y eq "a b"'),
        ('x matches "["]  x"', 'x matches "["] x"'),
        ('x matches "["]  x" and  y', 'x matches "["]  x" and y'),
        ('x eq "a  b', 'x eq "a b'),
        ("x eq 'a  b'", "x eq 'a b'"),
        ("ip.dst eq\t192.0.2.1", "ip.dst eq 192.0.2.1"),
        ("ssl\u200b", "ssl"),
        ('x eq  r"a"', 'x eq r"a"'),
        ("tcp.dstport in {8 0}", "tcp.dstport in {80}"),
        ("not ssl", "notssl"),
        ("ip.dst eq 192.0.2.1", "ip.dst == 192.0.2.1"),
        (None, "None"),
    ],
)
def test_everything_else_is_compared_as_text(one: str, other: str) -> None:
    assert normalise_expression(one) != normalise_expression(other)


@pytest.mark.parametrize(
    ("expression", "start", "label"),
    [
        ("ip.dst eq 1", 7, "column 8, at 'eq 1'"),
        ("ip.dst eq", 9, "column 10, at the end"),
        ("ssl\nx", 4, "line 2, column 1, at 'x'"),
        ("\nx", 1, "line 2, column 1, at 'x'"),
        ("ssl\nand\n not x", 9, "line 3, column 2, at 'not x'"),
        ("x" + " " * 40 + "y", 0, "column 1, at 'x'"),
        ("x" * 30, 0, f"column 1, at '{'x' * 30}'"),
        ("x eq " + "1" * 40, 5, "column 6, at '" + "1" * 27 + "...'"),
    ],
)
def test_a_place_is_said_as_people_count(expression: str, start: int, label: str) -> None:
    assert place_in_words(expression, start) == label


def shown(tree: Tree) -> str:
    """A tree with all its parentheses."""
    if isinstance(tree, Negation):
        return f"not {shown(tree.part)}"
    if isinstance(tree, Combination):
        return "(" + f" {tree.operator} ".join(map(shown, tree.parts)) + ")"
    if isinstance(tree, Constant):
        return str(tree.value).lower()
    if isinstance(tree, Comparison) and tree.problem:
        return f"<{tree.field}: {tree.problem}>"
    values = " ".join(token.text for token in tree.operands)
    return " ".join(filter(None, [tree.field, tree.operator, f"{{{values}}}" if tree.in_braces else values]))


@pytest.mark.parametrize(
    ("expression", "structure"),
    [
        ("a or b and c", "(a or (b and c))"),
        ("a or b xor c and d", "(a or (b xor (c and d)))"),
        ("(a or b) and c", "((a or b) and c)"),
        ("a || b ^^ c && !d", "(a or (b xor (c and not d)))"),
        ("not a and b", "(not a and b)"),
        ("not not a", "a"),
        ("not !(not a)", "not a"),
        ("a and b and c", "(a and b and c)"),
        ("true or false", "(true or false)"),
        ("x == 1 and y != 2", "(x eq 1 and y ne 2)"),
        ("x in {1 2..3} or y in $list", "(x in {1 2..3} or y in $list)"),
        ('x strict wildcard "*" and y ~ "a"', '(x strict wildcard "*" and y matches "a")'),
        ('any(h["x"][*] contains "and (") and y', '(any ( h [ "x" ] [ * ] contains "and (" ) and y)'),
        ("f(g(x), y[0])[1] gt 5", "f ( g ( x ) , y [ 0 ] ) [ 1 ] gt 5"),
        ("x & 3 and y", "(<x: '&' is not an operator> and y)"),
        ("x eq 1 y eq 2", "<x: 'y' is not expected there>"),
        ("x contains lower(y) or z", "(<x: '(' is not expected there> or z)"),
        ('x eq 1 r"a" or z', "(<x: 'r\"a\"' is not expected there> or z)"),
        ('x in {r"a" "b"}', 'x in {r"a" "b"}'),
        ('f(r"a") eq 1', 'f ( r"a" ) eq 1'),
    ],
)
def test_operators_bind_as_in_the_engine(expression: str, structure: str) -> None:
    assert shown(parse(expression)) == structure


@pytest.mark.parametrize(
    ("expression", "start", "problem"),
    [
        ("", 0, "it ends where a field is expected"),
        ("a and ", 5, "it ends where a field is expected"),
        ("a and or b", 6, "'or' stands where a field is expected"),
        ("()", 1, "')' stands where a field is expected"),
        ("(a", 2, "it ends where ')' is expected"),
        ("a)", 1, "')' is not expected there"),
        ("(ssl}", 4, "'}' closes nothing"),
        ("(ssl ssl", 8, "it ends where ')' is expected"),
        ("len(x] eq 1", 5, "']' stands where ')' is expected"),
        ("x[0} eq 1", 3, "'}' stands where ']' is expected"),
        ("x eq }", 5, "'}' stands where a value is expected"),
        ("x in {a ~", 8, "'~' stands where a value is expected"),
        ("(a) b", 4, "'b' is not expected there"),
        ("x eq", 4, "it ends where a value is expected"),
        ("x in {1", 7, "it ends where '}' is expected"),
        ("x in {1, 2}", 7, "',' stands where a value is expected; separate values by spaces"),
        ("f(x[1)", 5, "')' stands where ']' is expected"),
        ("f(x", 3, "it ends where ')' is expected"),
        ("x & ] and y", 4, "']' closes nothing"),
        ('"a" eq x', 0, "'\"a\"' stands where a field is expected"),
        ('r"a" eq x', 0, "'r\"a\"' stands where a field is expected"),
    ],
)
def test_a_malformed_expression_is_named_with_its_place(expression: str, start: int, problem: str) -> None:
    with pytest.raises(Unread) as caught:
        parse(expression)
    assert (caught.value.at, str(caught.value), caught.value.malformed) == (start, problem, True)


def test_a_deeply_nested_expression_is_not_read() -> None:
    assert parse("(" * 50 + "a" + ")" * 50)
    with pytest.raises(Unread, match="nested too deeply") as caught:
        parse("(" * 51 + "a" + ")" * 51)
    assert not caught.value.malformed


def test_length_is_no_depth() -> None:
    assert shown(parse("not " * 5000 + "a")) == "a"
    assert len(list(leaves(parse(" or ".join(["a"] * 5000))))) == 5000


def test_leaves_come_in_their_order() -> None:
    comparisons = list(leaves(parse("a eq 1 or not (b and true) xor c & 1")))
    assert [leaf.field for leaf in comparisons] == ["a", "b", "c"]
    assert [leaf.problem for leaf in comparisons] == ["", "", "'&' is not an operator"]
    assert [leaf.start for leaf in comparisons] == [0, 15, 33]


@pytest.mark.parametrize(("expression", "plain"), [("a.b eq 1", True), ("a[0] eq 1", False), ("f(a) eq 1", False)])
def test_a_plain_field_stands_by_itself(expression: str, plain: bool) -> None:
    (leaf,) = leaves(parse(expression))
    assert isinstance(leaf, Comparison) and leaf.plain is plain


@pytest.mark.parametrize("text", ["(" * (1 << 18), 'http.host eq "' + "a" * (10 << 20) + '"', "ssl or " * 2000 + "ssl"])
def test_an_expression_that_is_longer_than_cloudflare_takes_is_not_parsed(text: str) -> None:
    expression = Expression.of_object({"expression": text}).text
    both = [f"({expression}) or ssl", f"({Expression.of_object({'expression': text + ' '}).text}) or ssl"]
    for one in (expression, *both):
        with pytest.raises(Unread, match="it is longer than Cloudflare takes"):
            parse(one)
    assert both[0] != both[1]
    assert normalise_expression(text) == text.strip()


def test_the_longest_expression_is_parsed() -> None:
    text = "ssl" + " " * (8192 - 3)
    assert Expression.of_object({"expression": text}).text == text
    assert parse(
        Expression.of_object({"expression": "ssl", "counting_expression": "ssl"}, "counting_expression").text
    ) == parse("ssl")
    assert Expression.of_object({}).text == Expression.of_object({"expression": None}).text == ""
