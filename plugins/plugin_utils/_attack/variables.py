# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The variables of the playbook attack, and the entries of postures that they ask for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from ...module_utils._schema.account import COMPONENTS, PREFIXES, TCP_KINDS
from ...module_utils._schema.resource import OWNERS
from ...module_utils._specs.arguments import TEXTS, Arguments
from ...module_utils._specs.registry import MODULE_SPECS
from ...module_utils._text import first_few
from ...module_utils._timestamps import write_time
from ...module_utils._values.address_set import WIDEST_USUAL, networks_overlap, parse_network
from .._baseline.misspelt import misspelt
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
    **{name: {"type": "str"} for name in (POSTURE_NAME, UNTIL, REASON, OVER)},
    HOURS: {"type": "float"},
    BLOCK: {"type": "dict", "options": dict.fromkeys(("networks", "asns", "countries"), TEXTS)},
    MITIGATE: {**TEXTS, "choices": list(COMPONENTS)},
    SENSITIVITY: MODULE_SPECS["protection_rule"].options["rate_sensitivity"],
    LEVEL: {**MODULE_SPECS["security_level"].options["level"], "required": False},
    ACCEPT: {"type": "list", "elements": "raw"},
    ALL: {"type": "bool"},
}
LONGEST_ATTACK = 24 * 31
BLOCKED_BY = {"account_id": "network_firewall_rules", "zone_id": "custom_rules"}
BLOCK_FORMS = {  # of what a block names: its field, its form, and an example
    "asns": ("ip.src.asnum", "(?:AS)?([1-9][0-9]{0,9})", "the number of a system, as 64496"),
    "countries": ("ip.src.country", "([A-Z]{2})", "the code of a country, as DE"),
}
ACCOUNT_PREFIXES = PREFIXES.plural  # those that the account has
OWN_NETWORKS = {
    **{name: f"in {name}" for name in (f"{PREFIX}prefixes", f"{PREFIX}allowlist")},
    ACCOUNT_PREFIXES: "in the account",
}
NO, YES = ("", "false", "no"), ("true", "yes")


def read_attack(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The options in these values, of which a survey leaves some empty; raises ValueError for wrong
    ones, and if one of the names is close to theirs."""
    if wrong := misspelt(names, "attack_", ATTACK, "the playbook attack"):
        raise ValueError(" ".join(wrong))
    filled = {name: value for name, value in values.items() if value != ""}
    if isinstance(block := filled.get(BLOCK), (str, list)):
        networks = block if isinstance(block, str) else first_few(map(str, block))
        raise ValueError(f"{BLOCK}: write {{networks: [{networks}]}}; asns and countries likewise.")
    options: dict[str, Any] = plain(read_variables(ATTACK, filled))
    over = str(options.get(OVER) or "")
    return {**options, OVER: "" if over.lower() in NO else over}


def check_options(options: Mapping[str, Any], hosts: Sequence[str], limit: Any) -> None:
    """Raises ValueError with all that is missing or does not fit together."""
    problems = []
    if not limit and not options.get(ALL):
        problems.append(
            f"Which hosts are under attack? There are {first_few(hosts)}. Name them by --limit, or"
            f" set {ALL}: true for all of them."
        )
    chosen = [name for name in (POSTURE_NAME, *VALUES) if options.get(name)]
    times = [name for name in (HOURS, UNTIL) if options.get(name) is not None]
    if options[OVER]:
        if chosen or times:
            problems.append(f"{OVER} ends postures, and goes without {first_few(chosen + times)}.")
    else:
        if not chosen:
            ways = first_few(VALUES)
            problems.append(f"Nothing says what to do: set {POSTURE_NAME}, or {ways}, or {OVER}.")
        if len(times) != 1:
            problems.append(f"Until when? Set one of {HOURS} and {UNTIL}.")
    hours = options.get(HOURS)
    if hours is not None and not 0 < hours <= LONGEST_ATTACK:
        problems.append(f"{HOURS}: {hours:g} is not above 0 and at most {LONGEST_ATTACK}.")
    if problems:
        raise ValueError(" ".join(problems))


def is_meant(over: str, entry: Mapping[str, Any]) -> bool:
    """Return whether attack_over is about an entry: about all, or by its name or reason."""
    return over.lower() in YES or over in (entry.get("name"), entry.get("reason"))


def end_of_attack(options: Mapping[str, Any], now: datetime) -> datetime:
    """The time until which a posture is to hold; raises ValueError."""
    if options.get(HOURS) is not None:
        return now + timedelta(hours=options[HOURS])
    until = expiry_of(UNTIL, options[UNTIL])
    if not timedelta() < until - now <= timedelta(hours=LONGEST_ATTACK):
        raise ValueError(
            f"{UNTIL}: {write_time(until)} is not within {LONGEST_ATTACK} hours from now on,"
            f" {write_time(now)} by Cloudflare's clock."
        )
    return until


def asked_entries(options: Mapping[str, Any], until: str, since: str) -> list[dict[str, Any]]:
    """The entries that the options of a host ask for; raises ValueError for a block of what it must
    not block, and if the host has nothing that they are for."""
    every = [{"name": options[POSTURE_NAME]}] if options.get(POSTURE_NAME) else []
    if asked := [name for name in VALUES if options.get(name)]:
        every.append(_values(options))
        if not every[-1]:
            raise ValueError(
                f"The host has nothing that {first_few(asked)} could change. Leave it out of"
                " --limit."
            )
    beside = {"until": until, "reason": options.get(REASON), "since": since}
    beside["accept_risks"] = options.get(ACCEPT)
    return [{**one, **{name: item for name, item in beside.items() if item}} for one in every]


def _values(options: Mapping[str, Any]) -> dict[str, Any]:
    owners = [owner for owner in OWNERS if names_owner(options, owner)]
    values: dict[str, Any] = {}
    if block := options.get(BLOCK):
        expression = _blocking(block, options)
        # The same block again is the same rule; another one is another rule.
        ref = f"attack-{sha256(expression.encode()).hexdigest()[:8]}"
        rule = {"ref": ref, "action": "block", "expression": expression, "position": "first"}
        values = {BLOCKED_BY[owner]: [rule] for owner in owners}
    if "account_id" in owners:
        for name, rule in _rules_at_once(options):
            values.setdefault(name, []).append(rule)
    if options.get(LEVEL) and "zone_id" in owners:
        values["security_level"] = options[LEVEL]
    return values


def _rules_at_once(options: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The global rules of components, by the variable that has them."""
    mitigated, sensitivity = options.get(MITIGATE) or (), options.get(SENSITIVITY)
    for name in mitigated or (COMPONENTS if sensitivity else ()):
        rule = {"scope": "global", **({"mode": "enabled"} if name in mitigated else {})}
        for field in ("rate_sensitivity", "burst_sensitivity") if sensitivity else ():
            rule[field] = str(sensitivity)
        is_tcp = name in TCP_KINDS
        yield "rules" if is_tcp else "dns_rules", {"kind": name, **rule} if is_tcp else rule


def _blocking(block: Mapping[str, Any], host: Mapping[str, Any]) -> str:
    """The packets or requests to block; raises ValueError with all that is wrong."""
    networks = [str(text) for text in block.get("networks") or ()]
    problems = [
        f"networks[{i}]: {text}" for i, one in enumerate(networks) if (text := _problem(one, host))
    ]
    parts = {"ip.src": networks}
    for name, (field, pattern, form) in BLOCK_FORMS.items():
        texts = [str(text) for text in block.get(name) or ()]
        matches = [re.fullmatch(pattern, text.upper()) for text in texts]
        parts[field] = [match[1] for match in matches if match]
        problems += [
            f"{name}[{i}]: '{texts[i]}' is not {form}"
            for i, match in enumerate(matches)
            if not match
        ]
    parts["ip.src.country"] = [f'"{country}"' for country in parts["ip.src.country"]]
    expression = " or ".join(
        f"{name} in {{{' '.join(dict.fromkeys(items))}}}" for name, items in parts.items() if items
    )
    if problems:
        raise ValueError(" ".join(f"{BLOCK}.{text}." for text in problems))
    if not expression:
        raise ValueError(f"{BLOCK}: it names no networks, asns or countries.")
    return expression


def _problem(network: str, host: Mapping[str, Any]) -> str:
    """The reason why a network is not to be blocked; empty if it may be."""
    try:
        blocked = parse_network(network)
    except ValueError as exc:
        return str(exc)
    widest = WIDEST_USUAL[blocked.version]
    if blocked.prefixlen < widest:
        return f"{network} is wider than /{widest}; block the parts that attack"
    for name, where in OWN_NETWORKS.items():
        for entry in host.get(name) or ():
            if not entry.get("excluded") and networks_overlap(entry.get("prefix"), network):
                return f"{network} has addresses of {entry['prefix']}, your own {where}"
    here = next(iter(os.environ.get("SSH_CONNECTION", "").split()), "")
    if here and networks_overlap(here, network):
        return f"{network} has {here}, from which you work (SSH_CONNECTION)"
    return ""
