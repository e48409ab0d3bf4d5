# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the playbook attack, and the posture that they make of a host."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from ...module_utils._schema.account import COMPONENTS, TCP_KINDS
from ...module_utils._schema.resource import OWNERS
from ...module_utils._specs.arguments import TEXTS, Arguments
from ...module_utils._specs.registry import MODULE_SPECS
from ...module_utils._text import first_few
from ...module_utils._timestamps import parse_expiry, write_timestamp
from ...module_utils._values.address_set import WIDEST_USUAL, networks_overlap, parse_network
from .._baseline.misspelt import misspelt
from .._baseline.posture import LONG_AGO
from .._baseline.variables import PREFIX, names_owner
from .._plain import plain
from .._variables import expiry_of, read_variables

POSTURE_NAME, OVER, ALL = "attack_posture", "attack_over", "attack_all"
HOURS, UNTIL, REASON, ACCEPT = (
    f"attack_{name}" for name in ("hours", "until", "reason", "accept_risks")
)
BLOCK, MITIGATE, SENSITIVITY, LEVEL = (
    f"attack_{name}" for name in ("block", "mitigate", "sensitivity", "security_level")
)
VALUES = (BLOCK, MITIGATE, SENSITIVITY, LEVEL)
ATTACK: Arguments = {
    **{name: {"type": "str"} for name in (POSTURE_NAME, UNTIL, REASON)},
    HOURS: {"type": "float"},
    BLOCK: {"type": "dict", "options": dict.fromkeys(("networks", "asns", "countries"), TEXTS)},
    MITIGATE: {**TEXTS, "choices": list(COMPONENTS)},
    SENSITIVITY: MODULE_SPECS["protection_rule"].options["rate_sensitivity"],
    LEVEL: {**MODULE_SPECS["security_level"].options["level"], "required": False},
    ACCEPT: {"type": "list", "elements": "raw"},
    **{name: {"type": "bool"} for name in (OVER, ALL)},
}
LONGEST_ATTACK = 24 * 31
BLOCK_REF = "attack-block"
SET_OF_A_BLOCK = re.compile(r"(\S+) in \{([^}]*)\}")
BLOCKED_BY = {"account_id": "network_firewall_rules", "zone_id": "custom_rules"}
OWN_NETWORKS = ("prefixes", "allowlist")
# The risks of the way back, which is no other than the end of what the posture added.
WAY_BACK = {
    "rules": ("stops_mitigation", "lowers_sensitivity"),
    "dns_rules": ("stops_mitigation", "lowers_sensitivity"),
    "security_level": ("lowers_sensitivity",),
    "network_firewall_rules": ("weakens_network_firewall", "empties_list"),
    "custom_rules": ("weakens_zone", "empties_list"),
}
BESIDE_VALUES = ("until", "since", "reason", "accept_risks")
BACK = "the way back"
AFTERWARDS = timedelta(days=7)  # in which a run is to take it back


def read_options(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The options in these values, of which a survey leaves some empty; raises ValueError for wrong
    ones, and if one of the names is close to theirs."""
    if wrong := misspelt(names, "attack_", ATTACK, "the playbook attack"):
        raise ValueError(" ".join(wrong))
    filled = {name: value for name, value in values.items() if value != ""}
    return dict(plain(read_variables(ATTACK, filled)))


def check_options(options: Mapping[str, Any], hosts: Sequence[str], limit: Any) -> None:
    """Raises ValueError for options that do not fit together, and if nobody said which hosts are
    meant."""
    if not limit and not options.get(ALL):
        raise ValueError(
            f"Which hosts are under attack? There are {first_few(hosts)}. Name them by --limit, or"
            f" set {ALL}: true for all of them."
        )
    chosen = [name for name in (POSTURE_NAME, *VALUES) if options.get(name)]
    times = [name for name in (HOURS, UNTIL) if options.get(name) is not None]
    if options.get(OVER):
        if chosen or times:
            raise ValueError(
                f"{OVER} ends a posture, and goes without {first_few(chosen + times)}."
            )
    elif not chosen:
        raise ValueError(
            f"Nothing says what to do: set {POSTURE_NAME}, or {first_few(VALUES)}, or {OVER}."
        )
    elif POSTURE_NAME in chosen and len(chosen) > 1:
        raise ValueError(f"{POSTURE_NAME} goes without {first_few(chosen[1:])}.")
    elif len(times) != 1:
        raise ValueError(f"Until when? Set one of {HOURS} and {UNTIL}.")


def _end_of_attack(options: Mapping[str, Any], now: datetime) -> datetime:
    """The time until which the posture holds; raises ValueError."""
    hours = options.get(HOURS)
    if hours is not None:
        if not 0 < hours <= LONGEST_ATTACK:
            raise ValueError(f"{HOURS}: {hours:g} is not above 0 and at most {LONGEST_ATTACK}.")
        return now + timedelta(hours=hours)
    until = expiry_of(UNTIL, options[UNTIL])
    if not timedelta() < until - now <= timedelta(hours=LONGEST_ATTACK):
        raise ValueError(
            f"{UNTIL}: {write_timestamp(until)} is not within {LONGEST_ATTACK} hours from now on,"
            f" {write_timestamp(now)} by Cloudflare's clock."
        )
    return until


def asked_posture(options: Mapping[str, Any]) -> dict[str, Any]:
    """The posture that the options of a host ask for, without its time; raises ValueError."""
    reason = {"reason": options[REASON]} if options.get(REASON) else {}
    if options.get(POSTURE_NAME):
        return {"name": options[POSTURE_NAME], **reason}
    return {**reason, **_posture_values(options, options)}


def next_posture(
    options: Mapping[str, Any],
    posture: Mapping[str, Any],
    path: Path,
    written: Mapping[str, Any],
    now: datetime,
) -> dict[str, Any]:
    """The posture that is to hold from now on in the file, which may hold one; raises
    ValueError."""
    until = _end_of_attack(options, now)
    current = written if written and holds(written, now) else {}
    accepted = [*(options.get(ACCEPT) or ())]
    if current.get("name") == posture.get("name"):
        known = _accepted_before(current)
        accepted = [*known, *(risk for risk in accepted if risk not in known)]
        posture = {**({"reason": current["reason"]} if "reason" in current else {}), **posture}
    posture = _carried(path, written, posture, now)
    posture["since"] = current.get("since") or write_timestamp(now)
    accepted += [] if "name" in posture else _way_back(posture, until)
    return _with_end(posture, accepted, until)


def last_posture(
    options: Mapping[str, Any], written: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    """The posture in the file, which ends now."""
    accepted = [*(written.get("accept_risks") or ()), *(options.get(ACCEPT) or ())]
    return _with_end(written, accepted, now)


def _with_end(
    posture: Mapping[str, Any], accepted: Sequence[Any], until: datetime
) -> dict[str, Any]:
    risks = {"accept_risks": accepted} if accepted else {}
    return {**posture, **risks, "until": write_timestamp(until)}


def _posture_values(options: Mapping[str, Any], host: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a posture that the options say directly; raises ValueError for a block of what
    it must not block, and if the host has nothing that they are for."""
    owners = [owner for owner in OWNERS if names_owner(host, owner)]
    values: dict[str, Any] = {}
    if block := options.get(BLOCK):
        rule = {"ref": BLOCK_REF, "action": "block", "expression": _blocking(block, host)}
        values = {BLOCKED_BY[owner]: [{**rule, "position": "first"}] for owner in owners}
    if "account_id" in owners:
        for name, rules in _rules_at_once(options):
            values.setdefault(name, []).extend(rules)
    if options.get(LEVEL) and "zone_id" in owners:
        values["security_level"] = options[LEVEL]
    if not values:
        asked = first_few(name for name in VALUES if options.get(name))
        raise ValueError(
            f"The host has nothing that {asked} could change. Leave it out of --limit."
        )
    return values


def holds(written: Mapping[str, Any], now: datetime) -> bool:
    """Return whether the posture in a file has not ended."""
    until = written.get("until")
    return parse_expiry(until.isoformat() if isinstance(until, date) else str(until)) > now


def _carried(
    path: Path, written: Mapping[str, Any], posture: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    """A posture with the values that the file holds, since nothing else takes back what they have
    added; raises ValueError for a posture that has no place for them."""
    earlier = {name: item for name, item in written.items() if name not in BESIDE_VALUES}
    if not earlier or "name" in earlier:
        return dict(posture)
    if "name" in posture:
        raise ValueError(
            f"{path} has values without a name, and {POSTURE_NAME} would not take them back. End"
            f" them first with -e {OVER}=true."
        )
    is_in = holds(written, now)
    values = {**earlier, **posture} if is_in else dict(posture)
    for name, own in earlier.items():
        new = posture.get(name) or []
        if isinstance(own, list) and (is_in or "ref" in own[0]):
            ended = {} if is_in else {"expires": LONG_AGO}
            values[name] = _of_both([{**item, **ended} for item in own], new)
    return values


def _of_both(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries of two lists; where both have one, the newer values count, and a block is one of
    what either blocks."""
    entries: dict[Any, dict[str, Any]] = {}
    for item in (*old, *new):
        key = item.get("kind"), item.get("ref")
        before = entries.get(key, {})
        before = {} if "expires" in before else before
        entries[key] = {**before, **item}
        if "expression" in before:
            entries[key]["expression"] = _either(before["expression"], item["expression"])
    return list(entries.values())


def _either(earlier: str, later: str) -> str:
    """An expression for what either blocks; people may have changed the earlier one."""
    sets = [dict(SET_OF_A_BLOCK.findall(text)) for text in (earlier, later)]
    if _any_of(sets[0]) != earlier:
        return earlier if later in earlier else f"({earlier}) or {later}"
    names = dict.fromkeys([*sets[0], *sets[1]])
    items = {name: " ".join(side.get(name, "") for side in sets).split() for name in names}
    return _any_of({name: " ".join(dict.fromkeys(known)) for name, known in items.items()})


def _any_of(sets: Mapping[str, str]) -> str:
    return " or ".join(f"{name} in {{{items}}}" for name, items in sets.items() if items)


def _way_back(values: Mapping[str, Any], until: datetime) -> list[dict[str, Any]]:
    """The acceptances without which nothing may take these values back, and of nothing else."""
    end = write_timestamp(until + AFTERWARDS)
    return [
        {"code": code, "entries": _entries_of(name, value), "expires": end, "reason": BACK}
        for name, value in values.items()
        for code in WAY_BACK.get(name, ())
    ]


def _entries_of(name: str, value: Any) -> list[str]:
    """The objects of a value, as acceptances name them."""
    if not isinstance(value, list):
        return [name]
    return [item.get("ref") or f"{item.get('kind', 'dns')} {item['scope']}" for item in value]


def _accepted_before(written: Mapping[str, Any]) -> list[Any]:
    """The acceptances that somebody has given to the posture in a file."""
    return [
        risk
        for risk in written.get("accept_risks") or ()
        if not isinstance(risk, Mapping) or risk.get("reason") != BACK
    ]


def _rules_at_once(options: Mapping[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The global rules of components, by the variable that has them."""
    mitigated, sensitivity = options.get(MITIGATE) or (), options.get(SENSITIVITY)
    for name in mitigated or (COMPONENTS if sensitivity else ()):
        rule = {"scope": "global", **({"mode": "enabled"} if name in mitigated else {})}
        for field in ("rate_sensitivity", "burst_sensitivity") if sensitivity else ():
            rule[field] = str(sensitivity)
        is_tcp = name in TCP_KINDS
        yield "rules" if is_tcp else "dns_rules", [{"kind": name, **rule} if is_tcp else rule]


def _blocking(block: Mapping[str, Any], host: Mapping[str, Any]) -> str:
    """The packets or requests to block; raises ValueError."""
    networks = [str(text) for text in block.get("networks") or ()]
    for index, network in enumerate(networks):
        if problem := _problem(network, host):
            raise ValueError(f"{BLOCK}.networks[{index}]: {problem}.")
    asns = _matching("asns", block, "(?:AS)?([1-9][0-9]{0,9})", "the number of a system, as 64496")
    countries = _matching("countries", block, "([A-Z]{2})", "the code of a country, as DE")
    quoted = [f'"{country}"' for country in countries]
    parts = {"ip.src": networks, "ip.src.asnum": asns, "ip.src.country": quoted}
    expression = _any_of({name: " ".join(items) for name, items in parts.items()})
    if not expression:
        raise ValueError(f"{BLOCK}: it names no networks, asns or countries.")
    return expression


def _matching(name: str, block: Mapping[str, Any], pattern: str, form: str) -> list[str]:
    matches = [(text, re.fullmatch(pattern, str(text).upper())) for text in block.get(name) or ()]
    for index, (text, match) in enumerate(matches):
        if not match:
            raise ValueError(f"{BLOCK}.{name}[{index}]: '{text}' is not {form}.")
    return [match[1] for _text, match in matches if match]


def _problem(network: str, host: Mapping[str, Any]) -> str:
    """The reason why a network is not to be blocked; empty if it may be."""
    try:
        blocked = parse_network(network)
    except ValueError as exc:
        return str(exc)
    widest = WIDEST_USUAL[blocked.version]
    if blocked.prefixlen < widest:
        return f"{network} is wider than /{widest}; block the parts that attack"
    for name in OWN_NETWORKS:
        for entry in host.get(f"{PREFIX}{name}") or ():
            if not entry.get("excluded") and networks_overlap(entry.get("prefix"), network):
                return f"{network} has addresses of {entry['prefix']}, your own in {PREFIX}{name}"
    here = next(iter(os.environ.get("SSH_CONNECTION", "").split()), "")
    if here and networks_overlap(here, network):
        return f"{network} has {here}, from which you work (SSH_CONNECTION)"
    return ""
