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
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence, Tuple

from .._expressions.expression import Expression
from .._expressions.grammar import Comparison
from .._expressions.solve import Flows, unmatched
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
from .._values.hostnames import in_punycode
from .._values.kinds import FLAG
from .rules_in_force import beyond
from .zone_rule import ZoneRule

# The prefixes of an account, in a state of the rules that packets to them meet.
OWN_PREFIXES = replace(PREFIXES, plural="own_prefixes")


class OwnerNames(NamedTuple):
    """The collection and the field that contain the names of an owner (a zone, or an account's
    prefixes), with words for these names."""

    resource: Resource
    field: str
    words: str


OWNER_NAMES = {  # by the kind of traffic
    "request": OwnerNames(ZONE, "name", "the name of the zone is"),
    "packet": OwnerNames(OWN_PREFIXES, "prefix", "the protected prefixes are"),
}
FieldValues = Mapping[str, Any]  # by field
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
GET: FieldValues = {"http.request.method": b"GET", "ssl": True, "cf.edge.server_port": 443}
PLAIN_PROTOCOL_NUMBERS = {"tcp": 6, "udp": 17}  # of protocols
PORTS = ("srcport", "dstport")
# Of every packet with ports.
ANY_HEADERS = Expression.of("ip.len ge 28 and ip.hdr_len ge 20 and ip.ttl gt 0")
# Ordinary clients have addresses of IPv4, and of the part of IPv6 that is in use.
IN_USE = [EVERYTHING[0], *filter(None, [range_of(GLOBAL_IPV6)])]
ANYWHERE: Spaces = (("", EVERYTHING),)


class TrafficKind(NamedTuple):
    """A kind of plain traffic; `what` describes it in words. Its fields have the given `values`, or
    values that begin with `starts`; all of it meets `condition` (None: no condition)."""

    what: str
    values: Mapping[str, Any] = {}
    starts: Mapping[str, Any] = {}
    condition: Expression | None = None
    spaces: Spaces = ANYWHERE


class WideRule(NamedTuple):
    """A rule that all plain traffic of a kind reaches and matches. `traffic` is that kind in words;
    `helpers` are other rules without which the rule would not match all of it."""

    rule: ZoneRule
    traffic: str
    helpers: Sequence[ZoneRule] = ()


def rules_matching_all_traffic(
    resource: Resource, rules: Sequence[ZoneRule], state: State
) -> list[WideRule]:
    """The active rules that all plain traffic of a kind reaches and matches, by themselves or
    together with others."""
    if not any(wide_groups(resource, rules)):
        return []
    wide: dict[Key, WideRule] = {}
    before: list[ZoneRule] = []
    narrow: list[ZoneRule] = []
    for rule in rules:
        if width(resource, rule, state, before):
            ending = [earlier for earlier in narrow if earlier.terminates]
            before += _few_together(resource, rule, ending, state)
        traffic = width(resource, rule, state, before)
        if traffic:
            wide[rule.key] = WideRule(rule, traffic)
            if rule.terminates:
                before.append(rule)
        elif rule.enforces or rule.lets_pass:
            narrow.append(rule._replace(expression=beyond(rule, before)))
    by_key = {rule.key: rule for rule in rules}
    for group in _groups_by_effect(narrow):
        together = _few_together(resource, group[0], group, state)
        traffic = width(resource, union_of_rules(group[0], together), state)
        for rule in together:
            helpers = [by_key[helper.key] for helper in together if helper.key != rule.key]
            wide.setdefault(rule.key, WideRule(by_key[rule.key], traffic, helpers))
    return [wide[rule.key] for rule in rules if rule.key in wide]


def _groups_by_effect(rules: Sequence[ZoneRule]) -> list[list[ZoneRule]]:
    """Groups of rules with a common effect: the rules that stop traffic and, for each name that
    rules skip, the rules that skip it."""
    groups = [[rule for rule in rules if rule.enforces]]
    passing = [rule for rule in rules if rule.lets_pass]
    skipped: set[str] = set()
    for rule in passing:
        skipped |= rule.skips
    for name in sorted(skipped):
        groups.append([rule for rule in passing if name in rule.skips])
    return [group for group in groups if group]


def _few_together(
    resource: Resource, rule: ZoneRule, rules: Sequence[ZoneRule], state: State
) -> list[ZoneRule]:
    """A small set of `rules` that together match all plain traffic of some kind; no rule of the set
    can be left out. Empty if all the rules together do not match that much, or if there are fewer
    than two. The rules of a set are judged as one: a copy of `rule` with the expressions of all."""

    def are_wide(candidates: Sequence[ZoneRule]) -> bool:
        return bool(width(resource, union_of_rules(rule, candidates), state))

    if len(rules) < 2 or not are_wide(rules):
        return []
    together: list[ZoneRule] = []
    while rules and not are_wide(together):
        low, high = 1, len(rules)  # of the shortest part that does it, the last rule is needed
        while low < high:
            middle = (low + high) // 2
            if are_wide([*together, *rules[:middle]]):
                high = middle
            else:
                low = middle + 1
        together.append(rules[low - 1])
        rules = rules[: low - 1]
    return together


def wide_groups(resource: Resource, rules: Iterable[ZoneRule]) -> Iterator[list[ZoneRule]]:
    """The rules that stop traffic, and those that let it pass, each group followed by a rule that
    stands for all of it. A group is left out if its rules together cannot match all plain
    traffic."""
    in_order = [*rules]
    stopping = [rule for rule in in_order if rule.enforces]
    passing = [rule for rule in in_order if rule.lets_pass]
    for group in (stopping, passing):
        if not group:
            continue
        union = union_of_rules(group[0], group)
        if _may_be_wide(union.expression, resource.traffic, union.lets_pass) is not False:
            yield [*group, union]


def union_of_rules(rule: ZoneRule, rules: Sequence[ZoneRule]) -> ZoneRule:
    """A copy of `rule` that matches the traffic that any of `rules` matches."""
    expressions = [matching.expression for matching in rules]
    return rule._replace(expression=Expression.any_of(expressions))


def owner_names_in(traffic: str, state: State) -> Sequence[Object] | None:
    """The objects that contain the names to which traffic of a kind goes (the zone, or prefixes);
    None if the state does not contain them. Planned prefixes take precedence."""
    owner = OWNER_NAMES[traffic].resource
    planned = state.get(PREFIXES.plural)
    if owner is OWN_PREFIXES and planned is not None:
        return planned
    return state.get(owner.plural)


def width(resource: Resource, rule: ZoneRule, state: State, before: Sequence[ZoneRule] = ()) -> str:
    """The first kind of plain traffic, in words, that an active rule matches completely, not
    counting traffic that the rules `before` match; empty if there is none."""
    if not (rule.enforces or rule.lets_pass):
        return ""
    names = destination_names(resource.traffic, state)
    return plain_traffic(beyond(rule, before), resource.traffic, rule.lets_pass, names)


def destination_names(traffic: str, state: State) -> tuple[str, ...]:
    """The name of the zone, or the protected prefixes of the account, to which traffic goes; empty
    if the state does not contain them."""
    field = OWNER_NAMES[traffic].field
    names = []
    for obj in owner_names_in(traffic, state) or ():
        is_excluded = FLAG.normalise(obj.get("excluded")) == "true"
        if not is_excluded and obj.get(field):
            names.append(str(obj[field]).lower())
    return tuple(names)


def depends_on_owner(resource: Resource, rule: ZoneRule) -> bool:
    """Return whether the name of the zone, or the account's prefixes, decides whether all plain
    traffic matches a rule."""
    is_active = rule.enforces or rule.lets_pass
    return is_active and _depends_on_owner(rule.expression, resource.traffic, rule.lets_pass)


@lru_cache(maxsize=4096)
def _depends_on_owner(expression: Expression, traffic: str, lets_pass: bool) -> bool:
    is_request = traffic == "request"
    fields = OF_ZONES if is_request else OF_ACCOUNTS
    if fields.isdisjoint(expression.names):
        return False
    owners: list[tuple[str, ...]] = [()]
    if not is_request:  # prefixes are of one family each
        owners = [(family,) for family in networks(EVERYTHING)]
    are_wide = [bool(plain_traffic(expression, traffic, lets_pass, names)) for names in owners]
    return not all(are_wide) and _may_be_wide(expression, traffic, lets_pass) is True


@lru_cache(maxsize=4096)
def _may_be_wide(expression: Expression, traffic: str, lets_pass: bool) -> bool | None:
    """Return whether an expression matches all plain traffic of a kind for some names of the owner;
    None if that cannot be told."""
    try:
        truths = expression.truths_in_favour(OF_ZONES)
    except Unread:
        return None
    assumed = dict(truths)
    # A comparison with a name may have to be true as well as false.
    is_clear = len(assumed) == len(truths)
    _whole, *kinds = _kinds_of(traffic, lets_pass)
    for kind in kinds:
        unmatched_flows = _unmatched_flows(kind, expression, assumed) if is_clear else []
        if unmatched_flows == [(EVERYTHING, EVERYTHING)]:
            return None
        if _remaining_in_words(kind._replace(spaces=_spaces_of(unmatched_flows)), unmatched_flows):
            return True
    return False


def _spaces_of(unmatched_flows: Flows) -> Spaces:
    """The destinations of each flow, and the destinations that no flow has; all without words."""
    concerned: list[Range] = []
    for destinations, _sources in unmatched_flows:
        concerned += destinations
    spaces = [destinations for destinations, _sources in unmatched_flows]
    spaces.append(complement(union(concerned)))
    return [("", space) for space in spaces if space]


def _kinds_of(traffic: str, lets_pass: bool, names: Sequence[str] = ()) -> Iterator[TrafficKind]:
    """The kinds of plain traffic to a zone or to prefixes with these names, in the order in which
    they are tried. The first kind is all traffic, which includes every other kind."""
    if traffic == "request":
        yield TrafficKind("every request")
        yield from _kinds_of_requests(names)
        return
    prefixes = []
    for name in names:
        network = range_of(name)
        if network:
            prefixes.append((f" to {name}", [network]))
    anywhere = _families_of(prefixes)
    yield TrafficKind("every packet", spaces=anywhere)
    for protocol in PLAIN_PROTOCOL_NUMBERS if lets_pass else ("tcp",):
        yield _kind_of_packets(protocol, [*anywhere, *prefixes])


def _families_of(prefixes: Spaces) -> Spaces:
    """The address families of some prefixes, without words; all addresses if there are no
    prefixes."""
    families = []
    for family in EVERYTHING:
        if any(intersection([family], space) for _words, space in prefixes):
            families.append(family)
    return [("", families)] if families else ANYWHERE


def _kinds_of_requests(names: Sequence[str]) -> Iterator[TrafficKind]:
    starts: dict[str, Any] = dict.fromkeys(URIS, b"/")
    starts.update(dict.fromkeys((*ANY_TEXTS, *PLACES), b""))
    yield TrafficKind("every GET request over HTTPS", GET, starts)
    for name in names:
        domain = in_punycode(name)
        # The vendor does not say in which form rules see the name of a zone.
        for zone_name in dict.fromkeys((domain, name)):
            for host in (domain, f"www.{domain}"):
                values = {**GET, "http.host": host.encode(), "cf.zone.name": zone_name.encode()}
                full_uris = dict.fromkeys(FULL_URIS, f"https://{host}/".encode())
                words = f"every GET request to https://{host}/..."
                yield TrafficKind(words, values, {**starts, **full_uris})


def _kind_of_packets(protocol: str, spaces: Spaces) -> TrafficKind:
    values: dict[str, Any] = {name: name == protocol for name in ("icmp", *PLAIN_PROTOCOL_NUMBERS)}
    values.update(
        {
            "ip": True,
            "ip.proto": protocol.encode(),
            "ip.proto.num": PLAIN_PROTOCOL_NUMBERS[protocol],
        }
    )
    starts: dict[str, Any] = dict.fromkeys(PLACES, b"")
    starts[f"{protocol}.flags"] = 0
    with_ports = [Expression.of(f"{protocol}.{port} in {{1..65535}}") for port in PORTS]
    condition = ANY_HEADERS.and_(*with_ports)
    return TrafficKind(f"every {protocol.upper()} packet", values, starts, condition, spaces)


@lru_cache(maxsize=4096)
def plain_traffic(
    expression: Expression, traffic: str, lets_pass: bool, names: tuple[str, ...] = ()
) -> str:
    """The first kind of plain traffic, in words, that is proven to match an expression completely,
    from at least half of the sources of a family; empty if there is none."""
    whole, *kinds = _kinds_of(traffic, lets_pass, names)
    for kind in kinds:
        words = _remaining_in_words(kind, _unmatched_flows(kind, expression))
        if words:
            return _remaining_in_words(whole, _unmatched_flows(whole, expression)) or words
    return ""


def met_plain_traffic_of(
    resource: Resource,
    rule: ZoneRule,
    former: Sequence[ZoneRule],
    state: State,
    chosen: Callable[[ZoneRule], bool],
) -> bool:
    """Return whether all plain traffic of the kinds that `rule` matches is proven to meet one of
    the `chosen` of the `former` rules, whichever it is, before a rule that ends their evaluation
    otherwise. False if `rule` is not proven to match a kind."""
    if rule.doubts:
        return False
    ending: list[ZoneRule] = []
    pieces: list[Expression] = []
    for former_rule in former:
        if former_rule.active and chosen(former_rule) and not former_rule.doubts:
            pieces.append(beyond(former_rule, ending))
        elif former_rule.terminates or (former_rule.active and former_rule.unknown):
            ending.append(former_rule)
    names = destination_names(resource.traffic, state)
    met = Expression.any_of(pieces)
    return _includes_plain_traffic(met, rule.expression, resource.traffic, rule.lets_pass, names)


@lru_cache(maxsize=4096)
def _includes_plain_traffic(
    met: Expression, expression: Expression, traffic: str, lets_pass: bool, names: tuple[str, ...]
) -> bool:
    """Return whether `met` is proven to match all traffic of the kinds of plain traffic that an
    expression is proven to match; False if there is no such kind."""
    _whole, *kinds = _kinds_of(traffic, lets_pass, names)
    either = met.or_(expression.not_())
    is_wide = False
    for kind in kinds:
        unmatched_flows = _unmatched_flows(kind, expression)
        if _remaining_in_words(kind, unmatched_flows):
            is_wide = True
            spaces = [*_wide_spaces(kind, unmatched_flows)]
            for destinations, _sources in _unmatched_flows(kind, either):
                if any(intersection(space, destinations) for space in spaces):
                    return False
    return is_wide


def _wide_spaces(kind: TrafficKind, unmatched_flows: Flows) -> Iterator[Ranges]:
    """The destinations, of one family each, to which at least half of the sources remain if a kind
    is left without these flows."""
    for _words, space in kind.spaces:
        for family in EVERYTHING:
            if _matched_sources(family, space, unmatched_flows):
                yield intersection(space, [family])


def _unmatched_flows(
    kind: TrafficKind, expression: Expression, assumed: Mapping[Comparison, bool] | None = None
) -> Flows:
    """The traffic of a kind that may not match an expression; `assumed` contains comparisons whose
    truth is assumed."""
    return unmatched(expression, kind.condition, partial(_settled, kind, assumed or {}))


def _remaining_in_words(kind: TrafficKind, unmatched_flows: Flows) -> str:
    """The traffic of a kind without these flows, in words: for the first destinations to which at
    least half of the sources of a family remain. Empty if there are none."""
    for destinations, space in kind.spaces:
        matched = {}
        for family in EVERYTHING:
            sources = _matched_sources(family, space, unmatched_flows)
            if sources:
                matched[family] = sources
        if matched:
            families = [family for family in EVERYTHING if intersection(space, [family])]
            is_all = bool(destinations) or [*matched] == families
            sources = union(chain(*matched.values()))
            return kind.what + destinations + _from(sources, [*matched], is_all)
    return ""


def _matched_sources(family: Range, space: Ranges, unmatched_flows: Flows) -> Ranges:
    """The sources of a family whose traffic to `space` is in none of the flows; empty if they are
    fewer than half of the sources in use."""
    destinations = intersection(space, [family])
    if not destinations:
        return []
    unmatched_sources: list[Range] = []
    for flow_destinations, sources in unmatched_flows:
        if intersection(destinations, flow_destinations):
            unmatched_sources += sources
    matched = difference([family], union(unmatched_sources))
    used = intersection([family], IN_USE)
    is_half = 2 * count(intersection(matched, used)) >= count(used)
    return matched if is_half else []


def _from(sources: Ranges, families: Ranges, is_all: bool) -> str:
    """The sources of traffic in words; empty if `sources` are all addresses."""
    excepted = difference(families, sources)
    of_families = "" if is_all else f" from {first_few(networks(families))}"
    if not excepted:
        return of_families
    source_networks, excepted_networks = networks(sources), networks(excepted)
    if len(source_networks) <= len(excepted_networks):
        return f" from {first_few(source_networks)}"
    return f"{of_families} but those from {first_few(excepted_networks)}"


def _settled(kind: TrafficKind, assumed: Mapping[Comparison, bool], leaf: Comparison) -> object:
    from .._expressions.evaluation import truth_by  # loaded if there is a rule
    from .._expressions.operands import LowerBound

    if leaf in assumed:
        return assumed[leaf]
    starts = {name: LowerBound(start) for name, start in kind.starts.items()}
    return truth_by({**starts, **kind.values}, leaf)
