# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A set of traffic in words: its sources, destinations, hosts, paths, methods and countries."""

from __future__ import annotations

from typing import Container, Iterable, Mapping, Sequence

from .._expressions.grammar import Comparison
from .._expressions.solve import Diagrams, Set, Variable
from .._text import first_few
from .._values.address_set import EVERYTHING, Ranges, complement, intersection, networks

WORDS_OF_TEXTS: Mapping[str, tuple[str, str]] = {  # in front of texts, and of those that are not
    "http.host": ("to host", "to any host but"),
    "http.request.uri.path": ("to path", "to any path but"),
    "http.request.method": ("with the method", "with any method but"),
    "ip.src.country": ("from the country", "from any country but"),
    "ip.proto": ("of the protocol", "of any protocol but"),
}
MOST_NODES = 1000  # of a set that is told in words
MISSING_OR_ANY = -1  # the highest number that says that there is no value


def diagram_in_words(diagrams: Diagrams, traffic: Set, kind: str, fields: Container[str]) -> str:
    """The requests or packets of a set, by the fields that rules name; "every" if the words say all
    of them, and nothing else."""
    if diagrams.is_larger(traffic, MOST_NODES):
        return f"{kind}s that meet many conditions"
    values: dict[int, Ranges] = {}
    words: list[str] = []
    met: dict[bool, list[str]] = {True: [], False: []}
    for level, ranges in sorted(diagrams.bounds(traffic).values.items()):
        variable = diagrams.variable_of(level)
        if kind == "packet" and _is_fact(variable, fields):
            continue
        values[level] = ranges
        if variable.is_of_truth:
            met[ranges[0][0] >= 1].append(_name_in_words(variable))
        else:
            words.append(_limit_in_words(diagrams, variable, ranges))
    box = diagrams.box(values)
    if kind == "packet":
        facts = diagrams.combined("and", [diagrams.possible(), *diagrams.facts()])
        box = diagrams.combined("and", [box, facts])
    number = f"every {kind}" if box == traffic else f"{kind}s"
    conditions = [
        f"that {verb} {first_few(met[is_met])}"
        for is_met, verb in ((True, "meet"), (False, "do not meet"))
        if met[is_met]
    ]
    return " ".join([number, *_places_first(filter(None, words)), *conditions])


def _is_fact(variable: Variable, fields: Container[str]) -> bool:
    """Return whether a variable is about the protocol of packets, and no rule names it."""
    name = variable.leaf.field if variable.leaf is not None else str(variable.name)
    return variable.is_of_protocol and name not in fields


def _places_first(phrases: Iterable[str]) -> list[str]:
    """Words for places first, then sources, then all else."""
    return sorted(phrases, key=_place_of)


def _place_of(phrase: str) -> int:
    starts = ("of ", "to ", "with ", "from ")
    return next((place for place, start in enumerate(starts) if phrase.startswith(start)), 9)


def _limit_in_words(diagrams: Diagrams, variable: Variable, ranges: Ranges) -> str:
    """The values to which traffic is limited, in words; empty if that says nothing."""
    name = str(variable.name)
    if variable.name in (Diagrams.SOURCE, Diagrams.DESTINATION):
        preposition = "from" if variable.name == Diagrams.SOURCE else "to"
        return _addresses_in_words(preposition, intersection(ranges, EVERYTHING))
    if variable.is_of_texts:
        return _texts_in_words(diagrams, name, ranges)
    if variable.name in (Diagrams.PORT, Diagrams.SOURCE_PORT):
        return _numbers_in_words("to port" if name == Diagrams.PORT else "from port", ranges)
    return _numbers_in_words(f"with {name}", ranges)


def _addresses_in_words(preposition: str, ranges: Ranges) -> str:
    family = [one for one in EVERYTHING if intersection([one], ranges)]
    if ranges == family:
        if len(family) == len(EVERYTHING):
            return ""
        return (
            f"{preposition} IPv4 addresses"
            if family[0][0] == 0
            else f"{preposition} IPv6 addresses"
        )
    named, others = networks(ranges), networks(intersection(family, complement(ranges)))
    if len(others) < len(named):
        return f"{preposition} any address but those of {first_few(others)}"
    return f"{preposition} {first_few([_without_length(one) for one in named])}"


def _without_length(network: str) -> str:
    address, _slash, length = network.partition("/")
    return address if length == ("128" if ":" in address else "32") else network


def _texts_in_words(diagrams: Diagrams, field: str, ranges: Ranges) -> str:
    of_texts, of_others = WORDS_OF_TEXTS.get(field, (f"with {field}", f"with any {field} but"))
    is_open = any(last >= Diagrams.BEYOND or first <= 0 for first, last in ranges)
    if not is_open:
        numbers = [number for first, last in ranges for number in range(first, last + 1)]
        return f"{of_texts} {_texts(diagrams, numbers)}"
    gaps: list[int] = []
    position = 0
    for first, last in ranges:
        gaps += range(max(position, 1), first)
        position = last + 1
    return f"{of_others} {_texts(diagrams, gaps)}" if gaps else ""


def _texts(diagrams: Diagrams, numbers: Sequence[int]) -> str:
    texts = [diagrams.text_numbered(number).strip('"') for number in numbers]
    return first_few(text or '""' for text in texts)


def _numbers_in_words(start: str, ranges: Ranges) -> str:
    words = []
    for first, last in ranges:
        low, is_open = max(first, 0), last >= Diagrams.BEYOND
        if last > MISSING_OR_ANY:
            words.append(
                f"{low} or more" if is_open else str(low) if low == last else f"{low}..{last}"
            )
    return f"{start} {first_few(words)}" if words else f"without {start.split()[-1]}"


def _name_in_words(variable: Variable) -> str:
    if variable.leaf is not None:
        return written(variable.leaf)
    name = variable.name
    return " ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def written(leaf: Comparison) -> str:
    """A comparison as people write it."""
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
