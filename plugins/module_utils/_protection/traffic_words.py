# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A set of traffic in words: its sources, destinations, hosts, paths, methods and countries."""

from __future__ import annotations

from typing import Container, Mapping, NamedTuple, Sequence

from .._expressions.grammar import Comparison
from .._expressions.solve import Diagrams, Set, Variable
from .._text import first_few
from .._values.address_set import EVERYTHING, Ranges, complement, intersection, networks

PREPOSITIONS = ("of", "to", "with", "from", "without")  # of conditions, in their order


class Condition(NamedTuple):
    """A condition on traffic in words: a preposition, and the words after it."""

    preposition: str
    words: str

    @property
    def text(self) -> str:
        """The whole condition in words."""
        return f"{self.preposition} {self.words}"

    @property
    def place(self) -> int:
        """The place of the condition in a sentence: protocol, target, fields, source, then the
        rest."""
        return PREPOSITIONS.index(self.preposition)


class TextWords(NamedTuple):
    """Words for the texts of a field: a preposition, the words before texts that traffic has, and
    the words before texts that it does not have."""

    preposition: str
    of_texts: str
    of_others: str


WORDS_OF_TEXTS: Mapping[str, TextWords] = {
    "http.host": TextWords("to", "host", "any host but"),
    "http.request.uri.path": TextWords("to", "path", "any path but"),
    "http.request.method": TextWords("with", "the method", "any method but"),
    "ip.src.country": TextWords("from", "the country", "any country but"),
    "ip.proto": TextWords("of", "the protocol", "any protocol but"),
}
MOST_NODES = 1000  # of a set that is told in words
MISSING_OR_ANY = -1  # the highest number that says that there is no value


def diagram_in_words(diagrams: Diagrams, traffic: Set, kind: str, fields: Container[str]) -> str:
    """The requests or packets of a set, in words, by the `fields` that rules use; it begins with
    "every" if the words describe the set completely."""
    if diagrams.is_larger(traffic, MOST_NODES):
        return f"{kind}s that meet many conditions"
    values: dict[int, Ranges] = {}
    conditions: list[Condition] = []
    met: dict[bool, list[str]] = {True: [], False: []}
    for level, ranges in sorted(diagrams.bounds(traffic).values.items()):
        variable = diagrams.variable_of(level)
        if kind == "packet" and _is_fact(variable, fields):
            continue
        values[level] = ranges
        if variable.is_of_truth:
            met[ranges[0][0] >= 1].append(_name_in_words(variable))
        else:
            condition = _condition_in_words(diagrams, variable, ranges)
            conditions += [condition] if condition else []
    box = diagrams.box(values)
    if kind == "packet":
        facts = diagrams.combined("and", [diagrams.possible(), *diagrams.facts()])
        box = diagrams.combined("and", [box, facts])
    number = f"every {kind}" if box == traffic else f"{kind}s"
    clauses = [
        f"that {verb} {first_few(met[is_met])}"
        for is_met, verb in ((True, "meet"), (False, "do not meet"))
        if met[is_met]
    ]
    conditions.sort(key=lambda condition: condition.place)
    return " ".join([number, *(condition.text for condition in conditions), *clauses])


def _is_fact(variable: Variable, fields: Container[str]) -> bool:
    """Return whether a variable is about the protocol of packets, and rules do not use its
    field."""
    name = variable.leaf.field if variable.leaf is not None else str(variable.name)
    return variable.is_of_protocol and name not in fields


def _condition_in_words(diagrams: Diagrams, variable: Variable, ranges: Ranges) -> Condition | None:
    """The condition that limits a variable to these values, in words; None if the words would say
    nothing."""
    name = str(variable.name)
    if variable.name in (Diagrams.SOURCE, Diagrams.DESTINATION):
        preposition = "from" if variable.name == Diagrams.SOURCE else "to"
        return _addresses_in_words(preposition, intersection(ranges, EVERYTHING))
    if variable.is_of_texts:
        return _texts_in_words(diagrams, name, ranges)
    if variable.name in (Diagrams.PORT, Diagrams.SOURCE_PORT):
        return _numbers_in_words("to" if name == Diagrams.PORT else "from", "port", ranges)
    return _numbers_in_words("with", name, ranges)


def _addresses_in_words(preposition: str, ranges: Ranges) -> Condition | None:
    families = [family for family in EVERYTHING if intersection([family], ranges)]
    if ranges == families:
        if len(families) == len(EVERYTHING):
            return None
        version = "IPv4" if families[0][0] == 0 else "IPv6"
        return Condition(preposition, f"{version} addresses")
    met_networks = networks(ranges)
    missed_networks = networks(intersection(families, complement(ranges)))
    if len(missed_networks) < len(met_networks):
        return Condition(preposition, f"any address but those of {first_few(missed_networks)}")
    return Condition(preposition, first_few(map(_without_length, met_networks)))


def _without_length(network: str) -> str:
    address, _slash, length = network.partition("/")
    return address if length == ("128" if ":" in address else "32") else network


def _texts_in_words(diagrams: Diagrams, field: str, ranges: Ranges) -> Condition | None:
    words = WORDS_OF_TEXTS.get(field, TextWords("with", field, f"any {field} but"))
    is_open = any(last >= Diagrams.BEYOND or first <= 0 for first, last in ranges)
    if not is_open:
        numbers = [number for first, last in ranges for number in range(first, last + 1)]
        return Condition(words.preposition, f"{words.of_texts} {_texts(diagrams, numbers)}")
    gaps: list[int] = []
    position = 0
    for first, last in ranges:
        gaps += range(max(position, 1), first)
        position = last + 1
    if not gaps:
        return None
    return Condition(words.preposition, f"{words.of_others} {_texts(diagrams, gaps)}")


def _texts(diagrams: Diagrams, numbers: Sequence[int]) -> str:
    texts = [diagrams.text_numbered(number).strip('"') for number in numbers]
    return first_few(text or '""' for text in texts)


def _numbers_in_words(preposition: str, noun: str, ranges: Ranges) -> Condition:
    words: list[str] = []
    for first, last in ranges:
        if last > MISSING_OR_ANY:
            words.append(_range_in_words(max(first, 0), last))
    return (
        Condition(preposition, f"{noun} {first_few(words)}")
        if words
        else Condition("without", noun)
    )


def _range_in_words(lowest: int, highest: int) -> str:
    if highest >= Diagrams.BEYOND:
        return f"{lowest} or more"
    return str(lowest) if lowest == highest else f"{lowest}..{highest}"


def _name_in_words(variable: Variable) -> str:
    if variable.leaf is not None:
        return written(variable.leaf)
    name = variable.name
    return " ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def written(leaf: Comparison) -> str:
    """A comparison in the form in which people write it."""
    field = leaf.field
    for spaced, compact in ((" ( ", "("), (" )", ")"), (" , ", ", "), (" [ ", "["), (" ]", "]")):
        field = field.replace(spaced, compact)
    if not leaf.operator:
        return field
    values = " ".join(token.text for token in leaf.operands)
    return (
        f"{field} {leaf.operator} {{{values}}}"
        if leaf.in_braces
        else f"{field} {leaf.operator} {values}"
    )
