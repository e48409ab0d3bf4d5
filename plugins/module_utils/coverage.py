# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an account protects, and how: pure functions over its state (facts.md, section 2).

An address is protected if it lies in a protected prefix and in no excluded one; any excluded entry carves out its
network, whatever other entries there are inside or around it.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Iterable, Mapping, Sequence

from .address_space import Range, Ranges, count, counted, difference, intersection, networks, range_of, union
from .component import DISABLED, ENABLED, MONITORING, OFF, UNDECIDED, Component, Modes, Piece, component, in_order
from .declaration import Object
from .errors import listed
from .resources import ALLOWLIST, KINDS, PREFIXES, STATUS
from .values import FLAG

IDLE = frozenset([OFF, DISABLED])
UNKNOWN_STATUS = "Whether TCP protection is on is not known."


def ranges_of(entries: Sequence[Object]) -> Ranges:
    """The networks of some entries as a set; malformed ones are the network of nothing."""
    return union(found for found in (range_of(entry.get("prefix")) for entry in entries) if found)


def says(entry: Object, flag: str) -> bool:
    """Whether a flag of an entry is set."""
    return FLAG.meaning(entry.get(flag)) == "true"


@dataclass(frozen=True)
class Coverage:
    """The coverage of an account; `state` holds collections by their plural, and None or nothing where not known."""

    state: Mapping[str, Sequence[Object]]

    @cached_property
    def enabled(self) -> bool | None:
        """Whether the account's protection is on; None where that is not known."""
        status = self.state.get(STATUS.plural)
        if not status or not isinstance(status[0].get("enabled"), bool):
            return None
        return bool(status[0]["enabled"])

    @cached_property
    def inside(self) -> Ranges:
        """What lies in a protected prefix, exclusions not yet taken off."""
        return ranges_of([entry for entry in self._prefixes if not says(entry, "excluded")])

    @cached_property
    def carved_out(self) -> Ranges:
        """What excluded entries name."""
        return ranges_of([entry for entry in self._prefixes if says(entry, "excluded")])

    @cached_property
    def protected(self) -> Ranges:
        """What is protected, as far as prefixes decide."""
        return difference(self.inside, self.carved_out)

    @cached_property
    def bypassing(self) -> Ranges:
        """The sources that meet no rule, since an active entry of the allowlist lets them pass."""
        return ranges_of([entry for entry in self.state.get(ALLOWLIST.plural) or [] if says(entry, "enabled")])

    @cached_property
    def components(self) -> Sequence[Component]:
        """What decides for each kind."""
        return [component(kind, self.state) for kind in KINDS]

    @cached_property
    def pieces(self) -> Mapping[str, Sequence[Piece]]:
        """By kind: the protected addresses by the modes that their traffic may meet."""
        return {item.kind: item.pieces(self.protected) for item in self.components}

    @cached_property
    def uncovered(self) -> Ranges:
        """What is protected by prefix, and yet one of the components does nothing for it."""
        return union(
            item for pieces in self.pieces.values() for ranges, modes in pieces if modes <= IDLE for item in ranges
        )

    @property
    def _prefixes(self) -> Sequence[Object]:
        return self.state.get(PREFIXES.plural) or []

    @cached_property
    def undecided(self) -> Sequence[str]:
        """What is not understood, a sentence each."""
        malformed = [
            f"The prefix {entry.get('prefix')!r} is malformed; it counts as no network."
            for entry in [*self._prefixes, *(self.state.get(ALLOWLIST.plural) or [])]
            if range_of(entry.get("prefix")) is None
        ]
        unknown = [UNKNOWN_STATUS] if self.enabled is None else []
        if self.state.get(PREFIXES.plural) is None:
            unknown.append("The protected prefixes are not known.")
        return unknown + malformed + [problem for item in self.components for problem in item.undecided]

    @cached_property
    def reasons(self) -> Sequence[str]:
        """Why the account is not effectively protected; empty where nothing stands in the way."""
        found = []
        if not self.enabled:
            found.append("TCP protection is off." if self.enabled is False else UNKNOWN_STATUS)
        if not self.protected:
            return [*found, "Every protected prefix is excluded." if self.inside else "There is no protected prefix."]
        for item in self.components:
            modes = all_of(modes for dummy, modes in self.pieces[item.kind])
            if ENABLED not in modes:
                found.append(f"{_capital(item.title)} mitigates nothing: {_why_not(modes)}.")
        return found

    @cached_property
    def gaps(self) -> Sequence[str]:
        """For which of the protected addresses a component does not mitigate all traffic, a sentence each."""
        return [
            f"{_capital(item.title)} {_does(modes)} {counted(ranges)}."
            for item in self.components
            for ranges, modes in self.pieces[item.kind]
            if modes != {ENABLED}
        ]

    def in_words(self) -> list[str]:
        """The coverage in a few lines for people."""
        switch = {True: "on", False: "off"}.get(self.enabled, "in an unknown state")  # type: ignore[arg-type]
        lines = [f"TCP protection is {switch}" + (", and effective." if not self.reasons else ", and not effective.")]
        lines += [reason for reason in self.reasons if not reason.startswith("TCP protection is")]
        for title, ranges in (
            ("Protected", self.protected),
            ("Excluded", intersection(self.inside, self.carved_out)),
            ("Allowed as sources", self.bypassing),
        ):
            lines.append(f"{title}: {counted(ranges)}{_first(ranges)}.")
        for item in self.components:
            told = [f"{' or '.join(in_order(modes))} for {counted(ranges)}" for ranges, modes in self.pieces[item.kind]]
            lines += [f"{_capital(item.title)}: {'; '.join(told)}."] if told else []
        return lines

    def summary(self) -> dict[str, Any]:
        """The coverage as results show it."""
        return {
            "summary": self.in_words(),
            "effective": not self.reasons,
            "reasons": list(self.reasons),
            "gaps": list(self.gaps),
            "undecided": list(self.undecided),
            "enabled": self.enabled,
            "protected": sized(self.protected),
            "excluded": sized(intersection(self.inside, self.carved_out)),
            "uncovered": sized(self.uncovered),
            "bypassing": sized(self.bypassing),
            "modes": {
                kind: [dict(modes=in_order(modes), **sized(ranges)) for ranges, modes in pieces]
                for kind, pieces in self.pieces.items()
            },
            "prefixes": self._by_prefix(),
        }

    def _by_prefix(self) -> list[dict[str, Any]]:
        excluded = _Lookup([(item, frozenset()) for item in self.carved_out])
        protected = _Lookup([(item, frozenset()) for item in self.protected])
        modes = {
            kind: _Lookup(sorted((item, modes) for ranges, modes in pieces for item in ranges))
            for kind, pieces in self.pieces.items()
        }
        return [
            {
                "prefix": entry["prefix"],
                "addresses": count(protected.within(asked)),
                "excluded": networks(excluded.within(asked)),
                "modes": {kind: in_order(lookup.modes(asked)) for kind, lookup in modes.items()},
            }
            for asked, entry in (
                (range_of(entry.get("prefix")), entry) for entry in self._prefixes if not says(entry, "excluded")
            )
            if asked
        ]


def all_of(several: Iterable[Modes]) -> Modes:
    """Every mode that one of several sets holds."""
    return frozenset(mode for modes in several for mode in modes)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _first(ranges: Ranges) -> str:
    return f" ({listed(networks(ranges))})" if ranges else ""


def _why_not(modes: Modes) -> str:
    if UNDECIDED in modes:
        return "what it does cannot be told"
    if MONITORING in modes:
        return "it only monitors"
    return "its rules and filters are disabled" if DISABLED in modes else "there is no rule"


def _does(modes: Modes) -> str:
    if UNDECIDED in modes:
        return "does what cannot be told for"
    if modes == {MONITORING}:
        return "only monitors the traffic to"
    if modes <= IDLE:
        return "does nothing for"
    return f"treats traffic differently ({', '.join(in_order(modes))}) for"


def sized(ranges: Ranges) -> dict[str, Any]:
    """A set of addresses as results show it: its networks, and how many addresses they hold."""
    return {"networks": networks(ranges), "addresses": count(ranges)}


class _Lookup:
    """Finds the pieces inside a network without looking at the others."""

    def __init__(self, pieces: Sequence[tuple[Range, Modes]]) -> None:
        self._pieces = pieces
        self._lasts = [last for (dummy, last), modes in pieces]

    def _touched(self, asked: Range) -> Sequence[tuple[Range, Modes]]:
        start = bisect_left(self._lasts, asked[0])
        end = start
        while end < len(self._pieces) and self._pieces[end][0][0] <= asked[1]:
            end += 1
        return self._pieces[start:end]

    def within(self, asked: Range) -> Ranges:
        return [(max(first, asked[0]), min(last, asked[1])) for (first, last), dummy in self._touched(asked)]

    def modes(self, asked: Range) -> Modes:
        return all_of(modes for dummy, modes in self._touched(asked))


def answer(coverage: Coverage, asked: str) -> dict[str, Any]:
    """Whether and how an address or a network is protected; raises ValueError where it is neither."""
    found = range_of(asked)
    if found is None:
        raise ValueError(f"'{asked}' is neither an address nor a network")
    protected = intersection(coverage.protected, [found])
    return {
        "network": networks([found])[0],
        "protected": protected == [found],
        "parts": {
            "protected": sized(protected),
            "excluded": sized(intersection(intersection(coverage.inside, coverage.carved_out), [found])),
            "outside": sized(difference([found], coverage.inside)),
        },
        "protected_by": coverage_by(coverage, found, False),
        "excluded_by": coverage_by(coverage, found, True),
        "modes": {item.kind: item.deciders(found) for item in coverage.components},
    }


def coverage_by(coverage: Coverage, asked: Range, excluded: bool) -> list[str]:
    """The prefixes that hold the network or a part of it, the widest first."""
    holders = [
        (found, str(entry["prefix"]))
        for entry in coverage.state.get(PREFIXES.plural) or []
        if says(entry, "excluded") is excluded
        for found in [range_of(entry.get("prefix"))]
        if found and found[0] <= asked[1] and asked[0] <= found[1]
    ]
    return [text for found, text in sorted(holders, key=lambda item: (item[0][0] - item[0][1], item[1]))]
