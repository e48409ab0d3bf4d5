# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plain traffic, which ordinary clients send, and the rules that all of it matches: a request GET
to any path of a zone, or a packet to a protected prefix, from half or more of IPv4 or of IPv6.

That all plain traffic of a kind matches is proven: the fields that the kind fixes are given, and
all others are open.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain, product
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence, Tuple

from .._expressions.grammar import (
    QUOTED,
    RAW,
    WORD,
    Comparison,
    NotKnown,
    Unread,
    leaves,
    parse,
    tokens_of,
)
from .._expressions.solve import Parts, unmatched
from .._schema.account import PREFIXES
from .._schema.neighbours import ZONE
from .._schema.registry import ZoneRule
from .._schema.resource import Resource, State
from .._text import first_few
from .._values.address_set import (
    EVERYTHING,
    Range,
    Ranges,
    complement,
    count,
    difference,
    intersection,
    networks,
    range_of,
    union,
)
from .coverage import has_flag

# The prefixes of an account, in a state of the rules that packets to them meet.
OWN_PREFIXES = replace(PREFIXES, plural="own_prefixes")
OWN_NAMES = {  # each with its field, and its words
    "request": (ZONE, "name", "the name of the zone is"),
    "packet": (OWN_PREFIXES, "prefix", "the protected prefixes are"),
}
Known = Mapping[str, Any]  # values by field
Spaces = Sequence[Tuple[str, Ranges]]  # destinations, with their words

URI = "http.request.uri"
URIS = (URI, f"{URI}.path", f"raw.{URI}", f"raw.{URI}.path")
FULL_URIS = ("http.request.full_uri", "raw.http.request.full_uri")
OF_ZONES = frozenset(["http.host", "cf.zone.name", *FULL_URIS])
OF_ACCOUNTS = ("ip.dst",)
MOST_OF_ZONES = 6  # comparisons of an expression
GET: Known = {"http.request.method": b"GET", "ssl": True, "cf.edge.server_port": 443}
NUMBERS = {"tcp": 6, "udp": 17}  # of protocols
PORTS = ("srcport", "dstport")
ANYWHERE: Spaces = (("", EVERYTHING),)


class Kind(NamedTuple):
    """Traffic in words. The values of some of its fields are known, and of others the beginning; it
    meets a condition."""

    what: str
    values: Mapping[str, Any] = {}
    starts: Mapping[str, bytes] = {}
    condition: str = "true"
    spaces: Spaces = ANYWHERE


def met_by_plain(
    resource: Resource, rules: Iterable[ZoneRule], state: State
) -> Iterator[tuple[ZoneRule, str]]:
    """The active rules that all plain traffic of a kind matches, with words for it, unless it meets
    others before that end the evaluation."""
    before: list[ZoneRule] = []
    for rule in rules:
        what = width(resource, rule, state, before)
        if what:
            yield rule, what
            before += [rule] if rule.terminates else []


def width(resource: Resource, rule: ZoneRule, state: State, before: Sequence[ZoneRule] = ()) -> str:
    """The kind of plain traffic of which all matches an active rule, and none of those before, in
    words; empty if there is none."""
    if not (rule.enforces or rule.lets_pass):
        return ""
    own, name, _words = OWN_NAMES[resource.traffic]
    known = [obj for obj in state.get(own.plural) or () if not has_flag(obj, "excluded")]
    names = [str(obj.get(name)).lower() for obj in known]
    left = " and not ".join(f"({one.expression})" for one in (rule, *before))
    return plain_traffic(left, resource.traffic, rule.lets_pass, tuple(names))


def depends_on_owner(resource: Resource, rule: ZoneRule) -> bool:
    """True if it depends on the name of the zone, or on the prefixes of the account, whether all
    plain traffic matches a rule."""
    is_active, is_request = rule.enforces or rule.lets_pass, resource.traffic == "request"
    names = OF_ZONES if is_request else OF_ACCOUNTS
    if not is_active or not any(name in rule.expression for name in names):
        return False
    if width(resource, rule, {}):
        return False
    _whole, *kinds = _kinds_of(resource.traffic, rule.lets_pass)
    if is_request:
        return _depends_on_zone(rule.expression, kinds[0])
    for kind in kinds:
        rest = _rest(kind, rule.expression)
        others = complement(union(part for to, _sources in rest for part in to))
        spaces = [("", space) for space in (*(to for to, _sources in rest), others) if space]
        if _in_words(kind._replace(spaces=spaces), rest):
            return True
    return False


def _depends_on_zone(expression: str, kind: Kind) -> bool:
    try:
        every = [leaf for leaf in leaves(parse(expression)) if OF_ZONES & _names(leaf)]
    except Unread:
        return False
    truths = product((True, False), repeat=len(every))
    return len(every) > MOST_OF_ZONES or any(
        _in_words(kind, _rest(kind, expression, dict(zip(every, one)))) for one in truths if one
    )


def _kinds_of(traffic: str, lets_pass: bool, names: Sequence[str] = ()) -> Iterator[Kind]:
    """The kinds of plain traffic to a zone or to prefixes with these names, those with the shortest
    words first; every request, or every packet, is of all kinds."""
    yield Kind(f"every {traffic}")
    if traffic == "request":
        paths = dict.fromkeys(URIS, b"/")
        yield Kind("every GET request over HTTPS", GET, paths)
        for name, host in ((name, start + name) for name in names for start in ("", "www.")):
            own = {**GET, "http.host": host.encode(), "cf.zone.name": name.encode()}
            uris = {**paths, **dict.fromkeys(FULL_URIS, f"https://{host}/".encode())}
            yield Kind(f"every GET request to https://{host}/...", own, uris)
        return
    prefixes = [(f" to {name}", [own]) for name in names for own in [range_of(name)] if own]
    for name in NUMBERS if lets_pass else ("tcp",):
        ports = " and ".join(f"{name}.{port} in {{1..65535}}" for port in PORTS)
        what, known = f"every {name.upper()} packet", _of_protocol(name)
        yield Kind(what, known, condition=ports, spaces=[*ANYWHERE, *prefixes])


def _of_protocol(name: str) -> Known:
    from .._expressions.operands import MISSING  # loaded if there is a rule

    known = {"ip": True, "ip.proto": name.encode(), "ip.proto.num": NUMBERS[name], "icmp": False}
    of_others = {f"{other}.{port}": MISSING for other in NUMBERS for port in PORTS if other != name}
    return {**known, **{other: other == name for other in NUMBERS}, **of_others}


@lru_cache(maxsize=4096)
def plain_traffic(
    expression: str, traffic: str, lets_pass: bool, names: tuple[str, ...] = ()
) -> str:
    """The first kind of plain traffic of which all, from half or more of a family, is proven to
    match an expression, in words; empty if there is none."""
    whole, *kinds = _kinds_of(traffic, lets_pass, names)
    words = (_in_words(kind, _rest(kind, expression)) for kind in kinds)
    first = next(filter(None, words), "")
    return first and (_in_words(whole, _rest(whole, expression)) or first)


def _rest(kind: Kind, expression: str, assumed: Mapping[Comparison, bool] | None = None) -> Parts:
    """The traffic of a kind that may not match; `assumed` is taken for the truth of
    comparisons."""
    return unmatched(expression, kind.condition, partial(_decided, kind, assumed or {}))


def _in_words(kind: Kind, rest: Parts) -> str:
    for destinations, space in kind.spaces:
        parts: dict[Range, Ranges] = {}
        for family in EVERYTHING:
            own = intersection(space, [family])
            others = union(one for to, sources in rest if intersection(own, to) for one in sources)
            part = difference([family], others)
            parts.update({family: part} if own and 2 * count(part) >= count([family]) else {})
        if parts:
            is_all = bool(destinations) or [*parts] == EVERYTHING
            return kind.what + destinations + _from(union(chain(*parts.values())), [*parts], is_all)
    return ""


def _from(sources: Ranges, families: Ranges, is_all: bool) -> str:
    """The sources of traffic in words; empty if they are all."""
    others = difference(families, sources)
    every = "" if is_all else f" from {first_few(networks(families))}"
    if not others:
        return every
    named, without = networks(sources), networks(others)
    if len(named) <= len(without):
        return f" from {first_few(named)}"
    return f"{every} but those from {first_few(without)}"


def _decided(kind: Kind, assumed: Mapping[Comparison, bool], leaf: Comparison) -> object:
    if leaf in assumed:
        return assumed[leaf]
    truth = _truth(leaf, kind.values)
    return _of_longer_texts(kind, leaf) if isinstance(truth, NotKnown) else truth


def _truth(leaf: Comparison, values: Known) -> bool | NotKnown:
    from .._expressions.evaluation import leaf_decider  # loaded if there is a rule
    from .._expressions.operands import Fields

    return leaf_decider(leaf)(Fields(values))


FUNCTIONS = frozenset(["lower", "starts_with", "upper", "url_decode"])


def _names(leaf: Comparison) -> frozenset[str]:
    return frozenset(token.text for token in tokens_of(leaf.field) if token.kind == WORD)


def _of_longer_texts(kind: Kind, leaf: Comparison) -> object:
    """The truth of a comparison of a text of which the beginning is known, if it is the same
    however the text goes on."""
    named = _names(leaf) - FUNCTIONS
    start = kind.starts.get(next(iter(named), ""), b"")
    if not start or len(named) > 1:
        return None
    truth = _truth(leaf, kind.starts)
    if isinstance(truth, NotKnown):
        return None
    is_wildcard = leaf.operator.endswith("wildcard")
    last = leaf.operands[0].text.rstrip('#"') if leaf.operands else ""
    if leaf.operator == "matches":  # at its end, `.*$` says nothing
        grows = not {"$", "\\"} & {*leaf.operands[0].text.replace('.*$"', '"')}
    elif is_wildcard:
        grows = last.endswith("*") and not last.endswith("\\*")
    else:
        grows = leaf.operator in ("", "contains")
    if truth and grows:
        return True
    tokens = (*tokens_of(leaf.field), *leaf.operands)
    from .._expressions.operands import text_of

    texts = [text_of(token).lower() for token in tokens if token.kind in (QUOTED, RAW)]
    heads = [text.partition(b"*")[0] if is_wildcard else text for text in texts]
    may_go_on = any(
        head.startswith(start.lower()) or (is_wildcard and start.lower().startswith(head))
        for head in heads
    )
    return None if may_go_on or leaf.operator in ("contains", "matches") else truth
