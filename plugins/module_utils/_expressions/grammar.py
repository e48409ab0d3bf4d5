# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an expression of the Rules language: its words, and and, or, xor and not over comparisons
of fields.

It is the one reader of expressions: filters and custom rules differ in the fields that they know,
not in the grammar. The vendor describes the language in "Rules language"; where the description is
silent, the public engine (github.com/cloudflare/wirefilter) decides: white space is space, CR and
LF only, but around an expression all that Unicode has; a raw string knows no escapes; a quote
within the brackets of a regular expression does not end it.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence, Union

from .._text import Unread, quoted, visible

MATCHES = ("matches", "~")
AROUND = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
WORD, QUOTED, RAW, PATTERN, SIGN = "word", "text", "raw", "regex", "sign"
TOKEN = re.compile(
    r"""[ \r\n]*(?:
      (?P<raw>r(?P<fence>\#*)".*?"(?P=fence))
    | (?P<word>[A-Za-z0-9_.:/$*-]+)
    | (?P<text>"(?:\\.|[^"\\])*")
    | (?P<sign>==|!=|<=|>=|&&|\|\||\^\^|[!<>~&(){}\[\],])
    )""",
    re.VERBOSE | re.DOTALL,
)
AFTER_MATCHES = re.compile(  # a quote begins a regular expression there
    r"""[ \r\n]*(?:(?P<regex>"(?:\\.|\[(?:\\.|[^\]\\])*\]|[^"\\\[])*")"""
    r"""|(?P<raw>r(?P<fence>\#*)".*?"(?P=fence)))""",
    re.DOTALL,
)
SPACES = re.compile(r"[ \r\n]*")
QUOTE = re.compile(r'r?#*"')
HARD_TO_END = re.compile(r"[\\\[]")
LONGEST_EXCERPT = 30


class Token(NamedTuple):
    """A word of an expression, the kind of it, and where it starts (counted from 0)."""

    kind: str
    text: str
    start: int


class NotKnown(NamedTuple):
    """A truth that is neither true nor false, with the reasons."""

    reasons: tuple[str, ...]


@lru_cache(maxsize=4096)
def tokens_of(expression: str) -> Sequence[Token]:
    """The words of an expression; raises Unread for a text without end and for a character outside
    of the language."""
    tokens: list[Token] = []
    pattern, length = TOKEN, len(expression.rstrip(AROUND))
    position = len(expression) - len(expression.lstrip(AROUND))
    while position < length:
        match = pattern.match(expression, position)
        if not match:
            raise _comment_in(tokens) or _unread_character(expression, position)
        kind = str(match.lastgroup)
        token = Token(kind, match[kind], match.start(kind))
        tokens.append(token)
        pattern, position = AFTER_MATCHES if token.text in MATCHES else TOKEN, match.end()
    return tuple(tokens)


NO_COMMENTS = "; expressions have no comments"
WRITE_OR = "; write and or or"
IN_QUOTES = '; write texts in double quotes, "..."'
HINTS = {  # the form to write in the place of a word
    "=": "; write eq",
    "=~": "; write matches",
    "<>": "; write ne",
    ",": "; separate values by spaces",
    "[": "; write a set in { }",
    **dict.fromkeys(("'", "`", "\u201c", "\u201d", "\u2018", "\u2019"), IN_QUOTES),
    "#": NO_COMMENTS,
    **dict.fromkeys((";", "|"), WRITE_OR),
    "like": "; write wildcard",
    "regex": "; write matches",
    "is": "; write eq",
    "between": "; write in {1..9}",
    "not": "; write not in front of the field",
    **dict.fromkeys(("starts_with", "startswith"), '; write starts_with(FIELD, "...")'),
    **dict.fromkeys(("ends_with", "endswith"), '; write ends_with(FIELD, "...")'),
}


COMMENTS = ("//", "/*", "--")  # as other languages begin them


def _comment_in(tokens: Sequence[Token]) -> Unread | None:
    """The mistake that one of these words begins a comment; None if none does."""
    for token in tokens:
        if token.kind == WORD and token.text.startswith(COMMENTS):
            return Unread(
                f"{quoted(token.text)} is not expected there{NO_COMMENTS}", at=token.start
            )
    return None


def _unread_character(expression: str, position: int) -> Unread:
    position = SPACES.match(expression, position).end()  # type: ignore[union-attr] # it matches nothing, too
    if QUOTE.match(expression, position):
        return Unread("the text that starts there has no end", at=position)
    character = expression[position]
    if character == UNPARSED:
        return Unread("it is longer than Cloudflare takes", at=position)
    if character.isspace():
        name = (
            unicodedata.name(character, f"U+{ord(character):04X}") if character != "\t" else "a tab"
        )
        return Unread(f"{name} is not white space in expressions; write a space", at=position)
    word = "=~" if expression.startswith("=~", position) else character
    return Unread(f"{quoted(word)} is not expected there{HINTS.get(word, '')}", at=position)


QUANTIFIERS = ("any", "all")  # of the elements of an array
LONGEST_FILTER = 8192
UNPARSED = "\0"  # no expression has it


def expression_of(obj: Mapping[str, Any], field: str = "expression") -> str:
    """The expression of an object of Cloudflare. One that is longer than Cloudflare accepts is not
    parsed: it becomes a text that cannot be read."""
    text = str(obj.get(field) or "")
    if len(text) <= LONGEST_FILTER:
        return text
    return f"{UNPARSED} {len(text)} {sha256(text.encode(errors='replace')).hexdigest()}"


def normalise_expression(value: Any) -> str:
    """The normalised text of an expression, the same for expressions that differ only in white
    space outside of texts.

    If the end of a text is hard to tell (raw strings, escapes, brackets in a text), it is the
    expression itself.
    """
    return _normalised("" if value is None else str(value).strip(AROUND))


@lru_cache(maxsize=4096)
def _normalised(expression: str) -> str:
    if len(expression) > LONGEST_FILTER:
        return expression
    try:
        tokens = tokens_of(expression)
    except Unread:
        return expression
    if any(
        token.kind == RAW or (token.text[0] == '"' and HARD_TO_END.search(token.text))
        for token in tokens
    ):
        return expression
    return " ".join([token.text for token in tokens])


def place_in_words(expression: str, start: int) -> str:
    """A place in an expression in words: `column 5, at 'eq 080'`; with the line, if there are
    several."""
    line = expression.count("\n", 0, start) + 1
    column = start - expression.rfind("\n", 0, start)
    number = f"line {line}, column {column}" if "\n" in expression else f"column {column}"
    shown = visible(" ".join(expression[start : start + LONGEST_EXCERPT + 1].split()))
    if len(shown) > LONGEST_EXCERPT:
        shown = shown[: LONGEST_EXCERPT - 3] + "..."
    return f"{number}, at '{shown}'" if shown else f"{number}, at the end"


LOOSEST_FIRST = ("or", "xor", "and")
JOINTS = {"or": "or", "||": "or", "xor": "xor", "^^": "xor", "and": "and", "&&": "and"}
OPERATORS: Mapping[str, str] = {
    "eq": "eq", "==": "eq", "ne": "ne", "!=": "ne", "lt": "lt", "<": "lt", "le": "le", "<=": "le",
    "gt": "gt", ">": "gt", "ge": "ge", ">=": "ge", "in": "in", "contains": "contains",
    "matches": "matches", "~": "matches", "wildcard": "wildcard",
}  # fmt: skip
SMALL_WORDS = frozenset(["not", *JOINTS, *OPERATORS])
EACH = "*"  # the index of each element
CLOSES = {"(": ")", "[": "]", "{": "}"}
DEPTHS = {**dict.fromkeys(CLOSES, 1), **dict.fromkeys(CLOSES.values(), -1)}  # by brackets
DEEPEST = 50  # parentheses in parentheses; the vendor's engine takes more
END = Token(SIGN, "", -1)


class Constant(NamedTuple):
    """An expression, or a part of one, that is true or false whatever the request."""

    value: bool


class Comparison(NamedTuple):
    """A comparison: a field, an operator and its operands; a field that is true or false may stand
    alone, without operator.

    `field` is the name, or a call of a function or an indexed field as it is written, its words
    separated by single spaces. `operator` is a word (`eq` also for `==`). `in_braces` tells a set
    from a single value. If the form of the comparison is not known, `problem` says why, its
    operator and operands are empty, and `may_be_known` says whether the engine may know it.
    """

    field: str
    operator: str
    operands: tuple[Token, ...]
    in_braces: bool
    start: int
    problem: str = ""
    may_be_known: bool = False

    @property
    def plain(self) -> bool:
        """Return whether the left side is a field by itself, without a function or an index."""
        return " " not in self.field

    @property
    def names(self) -> Sequence[str]:
        """The fields on its left side, each once."""
        return fields_in_expression(self.field)

    @property
    def texts(self) -> Sequence[str]:
        """The texts that it names, first those of its left side; without those that cannot be
        read."""
        tokens = [] if self.plain else tokens_of(self.field)
        named = [token for token in tokens if token.kind in (QUOTED, RAW)]
        texts: list[str] = []
        for token in (*named, *self.operands):
            with suppress(Unread):
                texts.append(text_of(token).decode(errors="replace"))
        return texts


class Negation(NamedTuple):
    """The negation of a part."""

    part: Tree


class Combination(NamedTuple):
    """An `and`, `or` or `xor` of at least two parts."""

    operator: str
    parts: tuple[Tree, ...]


Tree = Union[Constant, Comparison, Negation, Combination]


FIELD = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+", re.IGNORECASE)
PLAIN_WORD = re.compile(r"[a-z][a-z0-9_]*", re.IGNORECASE)
NO_FIELDS = {"true", "false", "strict", *QUANTIFIERS, *SMALL_WORDS}
BEFORE_FIELDS = {"", "(", ",", "not", "!", *JOINTS}


def fields_in_expression(expression: str) -> list[str]:
    """The fields of an expression, each once; none of an expression that cannot be read, which is
    refused anyway."""
    try:
        tokens = tokens_of(expression)
    except Unread:
        return []
    texts = [""]
    for token in tokens:
        texts.append(token.text if token.kind in (WORD, SIGN) else QUOTED)
    texts.append("")
    names: dict[str, None] = {}
    for token, before, after in zip(tokens, texts, texts[2:]):
        if token.kind == WORD and after != "(" and _is_field(token.text, before):
            names[token.text] = None
    return list(names)


def _is_field(word: str, before: str) -> bool:
    """Return whether a word is a field; one without a dot is told by the word in front of it."""
    if FIELD.fullmatch(word):
        return True
    is_plain = PLAIN_WORD.fullmatch(word) and word.lower() not in NO_FIELDS
    return bool(is_plain) and before.lower() in BEFORE_FIELDS


@lru_cache(maxsize=4096)
def parse(expression: str) -> Tree:
    """The tree of an expression; raises Unread."""
    parser = _Parser(tokens_of(expression), len(expression.rstrip(AROUND)))
    tree = parser.combination(LOOSEST_FIRST, 0)
    if parser.next is not END:
        raise Unread(f"{quoted(parser.next.text)} is not expected there", at=parser.next.start)
    return tree


def leaves(tree: Tree) -> Iterator[Comparison]:
    """The comparisons of an expression, from left to right."""
    if isinstance(tree, Negation):
        yield from leaves(tree.part)
    elif isinstance(tree, Combination):
        for part in tree.parts:
            yield from leaves(part)
    elif not isinstance(tree, Constant):
        yield tree


def with_comparisons(tree: Tree, replace: Callable[[Comparison], Tree]) -> Tree:
    """A tree with each of its comparisons replaced."""
    if isinstance(tree, Negation):
        return Negation(with_comparisons(tree.part, replace))
    if isinstance(tree, Combination):
        parts = [with_comparisons(part, replace) for part in tree.parts]
        return Combination(tree.operator, tuple(parts))
    if isinstance(tree, Comparison):
        return replace(tree)
    return tree


class _Parser:
    """Parses words to a tree. Each method reads one part of an expression, from the next word on;
    `next` is the word behind it, END at the end."""

    def __init__(self, tokens: Sequence[Token], length: int) -> None:
        self._tokens = tokens
        self._position = 0
        self._length = length
        self.next = tokens[0] if tokens else END

    def take(self) -> Token:
        token = self.next
        self._position += 1
        self.next = self._tokens[self._position] if self._position < len(self._tokens) else END
        return token

    def combination(self, operators: tuple[str, ...], depth: int) -> Tree:
        """The tree of parts that the first of `operators`, the loosest one, joins; each part may
        contain the tighter ones."""
        if not operators:
            return self.single(depth)
        parts = [self.combination(operators[1:], depth)]
        while JOINTS.get(self.next.text) == operators[0]:
            self.take()
            parts.append(self.combination(operators[1:], depth))
        return parts[0] if len(parts) == 1 else Combination(operators[0], tuple(parts))

    def single(self, depth: int) -> Tree:
        negated = False
        while self.next.text in ("not", "!"):
            self.take()
            negated = not negated
        part = self.group(depth) if self.next.text == "(" else self.comparison()
        return Negation(part) if negated else part

    def group(self, depth: int) -> Tree:
        start = self.take().start
        if depth == DEEPEST:
            raise Unread("it is nested too deeply", at=start, malformed=False)
        tree = self.combination(LOOSEST_FIRST, depth + 1)
        if self.next.text != ")":
            raise self.misplaced("')'")
        self.take()
        return tree

    def misplaced(self, expected: str) -> Unread:
        if self.next is END:
            return Unread(f"it ends where {expected} is expected", at=self._length)
        return Unread(
            f"{quoted(self.next.text)} stands where {expected} is expected"
            f"{HINTS.get(self.next.text, '')}",
            at=self.next.start,
        )

    def comparison(self) -> Tree:
        if self.next.kind != WORD or self.next.text in JOINTS:
            raise self.misplaced("a field")
        if self.next.text.lower() in JOINTS or self.next.text in ("NOT", "Not"):
            problem = f"{quoted(self.next.text)} is no word of expressions"
            raise Unread(f"{problem}; write {self.next.text.lower()}", at=self.next.start)
        start = self.next.start
        field = self.field()
        if self.at_end() and field in ("true", "false"):
            return Constant(field == "true")
        if self.at_end():
            return Comparison(field, "", (), False, start)
        tree = self.compared(field, start)
        if not self.at_end() and not tree.problem:
            tree = self.unknown(field, "is not expected there")
        while not self.at_end():
            self.skip()
        return tree

    def unknown(self, field: str, problem: str) -> Comparison:
        word = self.next.text
        hint = HINTS.get(word.lower(), "").replace("FIELD", field.replace(" ", ""))
        if word.lower() in SMALL_WORDS and word not in SMALL_WORDS:
            hint = f"; write {word.lower()}"
        elif word.startswith(COMMENTS):
            hint = NO_COMMENTS
        elif "." in word and self.next.kind == WORD and not word[0].isdigit():
            hint = "; write and or or in front of it"
        reason = f"{quoted(word)} {problem}{hint}"
        is_calculated = word in ("&", "(", "[")  # a bit field, or a function of the value
        return Comparison(field, "", (), False, self.next.start, reason, is_calculated)

    def at_end(self) -> bool:
        """Return whether a comparison ends here."""
        return self.next is END or self.next.text == ")" or self.next.text in JOINTS

    def field(self) -> str:
        start = self._position
        self.take()
        while self.next.text in ("(", "["):
            self.skip()
        words = self._tokens[start : self._position]
        _require_commas(words)
        return " ".join(token.text for token in words)

    def skip(self) -> None:
        """Skip one word, or all words between two brackets."""
        opening = self.take()
        if opening.text in CLOSES.values():
            raise Unread(f"{quoted(opening.text)} closes nothing", at=opening.start)
        if opening.text not in CLOSES:
            return
        while self.next is not END and self.next.text not in CLOSES.values():
            self.skip()
        if self.next.text != CLOSES[opening.text]:
            raise self.misplaced(f"'{CLOSES[opening.text]}'")
        self.take()

    def compared(self, field: str, start: int) -> Comparison:
        strict = f"{self.take().text} " if self.next.text == "strict" else ""
        operator = OPERATORS.get(self.next.text)
        if operator is None:
            return self.unknown(field, "is not an operator")
        operator = strict + operator
        self.take()
        in_braces = self.next.text == "{"
        operands = self.members() if in_braces else (self.value(),)
        return Comparison(field, operator, operands, in_braces, start)

    def value(self) -> Token:
        if self.next.kind not in (WORD, QUOTED, RAW, PATTERN):
            raise self.misplaced("a value")
        return self.take()

    def members(self) -> tuple[Token, ...]:
        self.take()
        members: list[Token] = []
        while self.next.text != "}":
            if self.next is END:
                raise self.misplaced("'}'")
            members.append(self.value())
        self.take()
        return tuple(members)


ARGUMENTS, INDEX = "(", "["
VALUE_TOKENS = (WORD, QUOTED, RAW, PATTERN)


def _require_commas(tokens: Sequence[Token]) -> None:
    """Raise Unread if a comma is missing between the arguments of a function, or has no argument
    beside it; `any` and `all` contain a comparison instead."""
    open_brackets: list[str] = []
    for before, token in zip(tokens, tokens[1:]):
        inner = open_brackets[-1] if open_brackets else ""
        is_behind_value = _is_value(before) or before.text in CLOSES.values()
        if inner and is_behind_value and _is_value(token):
            expected, to_do = "']'", ""
            if inner == ARGUMENTS:
                expected, to_do = "','", "; separate the arguments of a function by commas"
            problem = f"{quoted(token.text)} stands where {expected} is expected"
            raise Unread(f"{problem}{to_do}", at=token.start)
        is_without_value = before.text == "," or (before.text == "(" and token.text == ",")
        if inner == ARGUMENTS and is_without_value and token.text in (",", ")"):
            raise Unread(f"{quoted(token.text)} stands where a value is expected", at=token.start)
        if token.text in CLOSES:
            open_brackets.append(_kind_of_bracket(before, token))
        elif token.text in CLOSES.values():
            open_brackets.pop()


def _is_value(token: Token) -> bool:
    return token.kind in VALUE_TOKENS and token.text not in SMALL_WORDS


def _kind_of_bracket(before: Token, opening: Token) -> str:
    """The opening bracket of an index or of arguments, which commas separate; empty for any other
    bracket."""
    if opening.text == INDEX:
        return INDEX
    is_call = before.kind == WORD and before.text not in (*SMALL_WORDS, *QUANTIFIERS)
    if is_call and opening.text == "(":
        return ARGUMENTS
    return ""


WHOLE_NUMBER = re.compile(r"-?[1-9][0-9]*|0[0-7]*|0x[0-9a-fA-F]+", re.ASCII)
ADDRESS_WORD = re.compile(r"[0-9a-fA-F:.]*[:.][0-9a-fA-F:.]*(?:/[0-9]{1,3})?", re.ASCII)
TEXT_ESCAPE = re.compile(rb'\\(?:(["\\])|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|(.?))', re.DOTALL)
FENCE = re.compile(r'r(#*)"')
LARGEST_NUMBER = (1 << 63) - 1
MOST_DIGITS = 100


def text_of(token: Token) -> bytes:
    """The bytes that a quoted text, a raw string or a pattern stands for; raises Unread."""
    if token.kind == RAW:
        fence = FENCE.match(token.text)
        length = len(fence[1]) + 2 if fence else 0
        return token.text[length : len(token.text) - length + 1].encode()
    if token.kind not in (QUOTED, PATTERN):
        raise Unread(f"{quoted(token.text)} is not text")
    return TEXT_ESCAPE.sub(_unescaped, token.text[1:-1].encode())


def _unescaped(match: re.Match[bytes]) -> bytes:
    plain, hexadecimal, octal, unknown = match.groups()
    if unknown is not None:
        raise Unread(f"the language knows no escape '\\{unknown.decode(errors='replace')}'")
    return plain or bytes([int(hexadecimal, 16) if hexadecimal else int(octal, 8)])


def is_number(text: str) -> bool:
    """Return whether a word, or each end of a range, is a whole number of the language."""
    return all(WHOLE_NUMBER.fullmatch(part) for part in text.split(".."))


def number_of(text: str) -> int:
    """The number that a word stands for: decimal, octal with a leading 0, hexadecimal with 0x;
    raises Unread."""
    if not WHOLE_NUMBER.fullmatch(text):
        raise Unread(f"{quoted(text)} is not a number")
    base = 16 if text[:2] == "0x" else 8 if text[0] == "0" else 10
    # Python reads no number of several thousand digits.
    number = int(text, base) if len(text) <= MOST_DIGITS else LARGEST_NUMBER + 1
    if not -LARGEST_NUMBER - 1 <= number <= LARGEST_NUMBER:
        raise Unread(f"{quoted(text)} is too large a number")
    return number


def is_address(text: str) -> bool:
    """Return whether a word looks like an address, a network or a range of addresses."""
    return all(ADDRESS_WORD.fullmatch(part) for part in text.split(".."))
