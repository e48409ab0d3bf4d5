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
from itertools import chain
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence, Tuple

from .._expressions.expression import Expression
from .._expressions.grammar import Comparison
from .._expressions.solve import TRUE, Flows, unmatched
from .._schema.account import PREFIXES
from .._schema.neighbours import ZONE
from .._schema.resource import Key, Object, Resource, State
from .._text import Unread, first_few
from .._values.address_set import (
    EVERYTHING,
    GLOBAL_IPV6,
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
from .._values.kinds import FLAG
from .rules_in_force import ZoneRule, beyond

# The prefixes of an account, in a state of the rules that packets to them meet.
OWN_PREFIXES = replace(PREFIXES, plural="own_prefixes")
OWNER_NAMES = {  # each with its field, and its words
    "request": (ZONE, "name", "the name of the zone is"),
    "packet": (OWN_PREFIXES, "prefix", "the protected prefixes are"),
}
Known = Mapping[str, Any]  # values by field
Spaces = Sequence[Tuple[str, Ranges]]  # destinations, with their words

URI = "http.request.uri"
URIS = (URI, f"{URI}.path", f"raw.{URI}", f"raw.{URI}.path")
FULL_URIS = ("http.request.full_uri", "raw.http.request.full_uri")
# Of every request, whatever they are.
ANY_HEADER = ("http.cookie", "http.referer", "http.user_agent", "http.x_forwarded_for")
ANY_TEXTS = (*ANY_HEADER, "http.request.version", f"{URI}.query", f"raw.{URI}.query")
PLACES = ("ip.src.country", "ip.dst.country", "ip.src.continent", "ip.geoip.country")
OF_ZONES = frozenset(["http.host", "cf.zone.name", *FULL_URIS])
OF_ACCOUNTS = frozenset(["ip.dst"])
GET: Known = {"http.request.method": b"GET", "ssl": True, "cf.edge.server_port": 443}
PROTOCOL_NUMBERS = {"tcp": 6, "udp": 17}  # of protocols
PORTS = ("srcport", "dstport")
ANY_HEADERS = "ip.len ge 28 and ip.hdr_len ge 20 and ip.ttl gt 0"  # of every packet with ports
# Ordinary clients have addresses of IPv4, and of the part of IPv6 that is in use.
IN_USE = [EVERYTHING[0], *filter(None, [range_of(GLOBAL_IPV6)])]
ANYWHERE: Spaces = (("", EVERYTHING),)


class TrafficKind(NamedTuple):
    """Traffic in words. The values of some of its fields are known, and of others the beginning; it
    meets a condition."""

    what: str
    values: Mapping[str, Any] = {}
    starts: Mapping[str, Any] = {}
    condition: Expression = TRUE
    spaces: Spaces = ANYWHERE


Match = Tuple[ZoneRule, str, Sequence[ZoneRule]]


def rules_matching_all_traffic(
    resource: Resource, rules: Sequence[ZoneRule], state: State
) -> list[Match]:
    """The active rules that all plain traffic of a kind meets and matches, each with words for the
    traffic, and with the others that it takes to match all of it."""
    if not any(wide_groups(resource, rules)):
        return []
    met: dict[Key, Match] = {}
    before: list[ZoneRule] = []
    narrow: list[ZoneRule] = []
    for rule in rules:
        if width(resource, rule, state, before):
            ending = [one for one in narrow if one.terminates]
            before += _fewest_together(resource, rule, ending, state)
        what = width(resource, rule, state, before)
        if what:
            met[rule.key] = rule, what, ()
            before += [rule] if rule.terminates else []
        elif rule.enforces or rule.lets_pass:
            narrow.append(rule._replace(expression=beyond(rule, before)))
    groups = [[one for one in narrow if one.enforces]]
    for item in sorted({item for one in narrow if one.lets_pass for item in one.skips}):
        groups.append([one for one in narrow if one.lets_pass and item in one.skips])
    by_key = {rule.key: rule for rule in rules}
    for group in filter(None, groups):
        every = _fewest_together(resource, group[0], group, state)
        what = width(resource, union_of_rules(group[0], every), state)
        for key in (one.key for one in every):
            others = [by_key[one.key] for one in every if one.key != key]
            met.setdefault(key, (by_key[key], what, others))
    return [met[rule.key] for rule in rules if rule.key in met]


def _fewest_together(
    resource: Resource, rule: ZoneRule, rules: Sequence[ZoneRule], state: State
) -> list[ZoneRule]:
    """The fewest of some rules of which all plain traffic of a kind matches one; `rule` is one of
    those that this traffic concerns."""

    def are_wide(some: Sequence[ZoneRule]) -> bool:
        return bool(width(resource, union_of_rules(rule, some), state))

    fewest: list[ZoneRule] = []
    rules = rules if len(rules) > 1 and are_wide(rules) else ()
    while rules and not are_wide(fewest):
        low, high = 1, len(rules)  # of the shortest part that does it, the last one is needed
        while low < high:
            middle = (low + high) // 2
            is_enough = are_wide([*fewest, *rules[:middle]])
            low, high = (low, middle) if is_enough else (middle + 1, high)
        fewest.append(rules[low - 1])
        rules = rules[: low - 1]
    return fewest


def wide_groups(resource: Resource, rules: Iterable[ZoneRule]) -> Iterator[list[ZoneRule]]:
    """The rules that stop traffic, and those that let it pass, each with one for all of them;
    without those of which no part is wide, whatever the names of their owner are."""
    every = [*rules]
    for group in ([one for one in every if one.enforces], [one for one in every if one.lets_pass]):
        whole = union_of_rules(group[0], group) if group else None
        if whole and _may_be_wide(whole.expression, resource.traffic, whole.lets_pass) is not False:
            yield [*group, whole]


def union_of_rules(rule: ZoneRule, some: Sequence[ZoneRule]) -> ZoneRule:
    """A rule for all that some match."""
    return rule._replace(expression=Expression.any_of([one.expression for one in some]))


def owner_names_in(resource: Resource, state: State) -> Sequence[Object] | None:
    """The objects whose names the rules of a resource may use; None if a state does not have them.
    The plan of a host may change the prefixes of its account."""
    own, _field, _words = OWNER_NAMES[resource.traffic]
    of_plan = state.get(PREFIXES.plural) if own is OWN_PREFIXES else None
    return state.get(own.plural) if of_plan is None else of_plan


def width(resource: Resource, rule: ZoneRule, state: State, before: Sequence[ZoneRule] = ()) -> str:
    """The kind of plain traffic of which all matches an active rule, and none of those before, in
    words; empty if there is none."""
    if not (rule.enforces or rule.lets_pass):
        return ""
    _own, name, _words = OWNER_NAMES[resource.traffic]
    objects = owner_names_in(resource, state) or ()
    known = [obj for obj in objects if FLAG.normalise(obj.get("excluded")) != "true"]
    names = [str(obj[name]).lower() for obj in known if obj.get(name)]
    return plain_traffic(beyond(rule, before), resource.traffic, rule.lets_pass, tuple(names))


def depends_on_owner(resource: Resource, rule: ZoneRule) -> bool:
    """True if it depends on the name of the zone, or on the prefixes of the account, whether all
    plain traffic matches a rule."""
    is_active = rule.enforces or rule.lets_pass
    return is_active and _depends_on_owner(rule.expression, resource.traffic, rule.lets_pass)


@lru_cache(maxsize=4096)
def _depends_on_owner(expression: Expression, traffic: str, lets_pass: bool) -> bool:
    is_request = traffic == "request"
    if (OF_ZONES if is_request else OF_ACCOUNTS).isdisjoint(expression.names):
        return False
    # Prefixes are of one family each.
    owners: list[tuple[str, ...]] = [()] if is_request else [(one,) for one in networks(EVERYTHING)]
    are_wide = (plain_traffic(expression, traffic, lets_pass, names) for names in owners)
    return not all(are_wide) and _may_be_wide(expression, traffic, lets_pass) is True


@lru_cache(maxsize=4096)
def _may_be_wide(expression: Expression, traffic: str, lets_pass: bool) -> bool | None:
    """True if all plain traffic of a kind matches an expression, should the names of its owner be
    the best for it; None if the expression cannot be read, or has too many cases."""
    try:
        truths = expression.truths_in_favour(OF_ZONES)
    except Unread:
        return None
    assumed = dict(truths)
    _whole, *kinds = _kinds_of(traffic, lets_pass)
    for kind in kinds:
        # A comparison with a name may have to be true as well as false.
        is_clear = len(assumed) == len(truths)
        rest = _rest(kind, expression, assumed) if is_clear else []
        if rest == [(EVERYTHING, EVERYTHING)]:
            return None
        others = complement(union(part for to, _sources in rest for part in to))
        spaces = [("", space) for space in (*(to for to, _sources in rest), others) if space]
        if _in_words(kind._replace(spaces=spaces), rest):
            return True
    return False


def _kinds_of(traffic: str, lets_pass: bool, names: Sequence[str] = ()) -> Iterator[TrafficKind]:
    """The kinds of plain traffic to a zone or to prefixes with these names, those with the shortest
    words first; every request, or every packet, is of all kinds."""
    prefixes = [(f" to {name}", [own]) for name in names for own in [range_of(name)] if own]
    owned = [one for one in EVERYTHING if any(intersection([one], to) for _to, to in prefixes)]
    anywhere = [("", owned)] if traffic == "packet" and owned else ANYWHERE
    yield TrafficKind(f"every {traffic}", spaces=anywhere)
    if traffic == "request":
        texts = {**dict.fromkeys(URIS, b"/"), **dict.fromkeys((*ANY_TEXTS, *PLACES), b"")}
        yield TrafficKind("every GET request over HTTPS", GET, texts)
        for name, host in ((name, start + name) for name in names for start in ("", "www.")):
            own = {**GET, "http.host": host.encode(), "cf.zone.name": name.encode()}
            uris = {**texts, **dict.fromkeys(FULL_URIS, f"https://{host}/".encode())}
            yield TrafficKind(f"every GET request to https://{host}/...", own, uris)
        return
    for name in PROTOCOL_NUMBERS if lets_pass else ("tcp",):
        starts = {**dict.fromkeys(PLACES, b""), f"{name}.flags": 0}
        known: dict[str, Any] = {other: other == name for other in ("icmp", *PROTOCOL_NUMBERS)}
        number = PROTOCOL_NUMBERS[name]
        known.update({"ip": True, "ip.proto": name.encode(), "ip.proto.num": number})
        headers = " and ".join([*(f"{name}.{port} in {{1..65535}}" for port in PORTS), ANY_HEADERS])
        what = f"every {name.upper()} packet"
        condition = Expression.of(headers)
        yield TrafficKind(what, known, starts, condition, [*anywhere, *prefixes])


@lru_cache(maxsize=4096)
def plain_traffic(
    expression: Expression, traffic: str, lets_pass: bool, names: tuple[str, ...] = ()
) -> str:
    """The first kind of plain traffic of which all, from half or more of a family, is proven to
    match an expression, in words; empty if there is none."""
    whole, *kinds = _kinds_of(traffic, lets_pass, names)
    words = (_in_words(kind, _rest(kind, expression)) for kind in kinds)
    first = next(filter(None, words), "")
    return first and (_in_words(whole, _rest(whole, expression)) or first)


def _rest(
    kind: TrafficKind, expression: Expression, assumed: Mapping[Comparison, bool] | None = None
) -> Flows:
    """The traffic of a kind that may not match; `assumed` is taken for the truth of
    comparisons."""
    return unmatched(expression, kind.condition, partial(_settled, kind, assumed or {}))


def _in_words(kind: TrafficKind, rest: Flows) -> str:
    for destinations, space in kind.spaces:
        parts: dict[Range, Ranges] = {}
        for family in EVERYTHING:
            own = intersection(space, [family])
            others = union(one for to, sources in rest if intersection(own, to) for one in sources)
            part, used = difference([family], others), intersection([family], IN_USE)
            is_half = 2 * count(intersection(part, used)) >= count(used)
            parts.update({family: part} if own and is_half else {})
        if parts:
            families = [one for one in EVERYTHING if intersection(space, [one])]
            is_all = bool(destinations) or [*parts] == families
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


def _settled(kind: TrafficKind, assumed: Mapping[Comparison, bool], leaf: Comparison) -> object:
    from .._expressions.evaluation import truth_by  # loaded if there is a rule
    from .._expressions.operands import LowerBound

    if leaf in assumed:
        return assumed[leaf]
    starts = {name: LowerBound(start) for name, start in kind.starts.items()}
    return truth_by({**starts, **kind.values}, leaf)
