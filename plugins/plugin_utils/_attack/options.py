# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of the playbook attack, and the values of a posture that they ask for."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from ...module_utils._arguments import TEXTS, Arguments
from ...module_utils._errors import OptionError
from ...module_utils._guard.acceptance import parse_acceptances
from ...module_utils._guard.risks.registry import CODES
from ...module_utils._schema.account import COMPONENTS, PREFIXES, TCP_KINDS
from ...module_utils._schema.resource import ACCOUNT_OPTION, OWNERS, ZONE_OPTION
from ...module_utils._specs.registry import MODULE_SPECS
from ...module_utils._text import Option, first_few
from ...module_utils._values.address_set import WIDEST_USUAL, networks_overlap, parse_network
from .._baseline.posture import RISKS, no_such_posture
from .._baseline.variables import PREFIX, names_owner
from .._variables import Mistakes, errors_of, expiry_of

# The codes of ISO 3166-1, and those that Cloudflare has for Tor, Kosovo, and no known country.
COUNTRIES = """\
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR
BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ
EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW
GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY
KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV
MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY
QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG
TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM
ZW T1 XK XX"""
# Of what a block names: its field, its form, the item of an expression, and an example.
BLOCK_FORMS = {
    "networks": ("ip.src", "(.*)", "{}", ""),
    "asns": (
        "ip.src.asnum",
        "(?:AS)?([1-9][0-9]{0,9})",
        "{}",
        "the number of a system, such as 64496",
    ),
    "countries": (
        *("ip.src.country", f"({'|'.join(COUNTRIES.split())})", '"{}"'),
        "the code of a country, such as GB",
    ),
}
VALUES = ("block", "mitigate", "sensitivity", "security_level")
ASKED: Arguments = {
    **{name: {"type": "str"} for name in ("posture", "until", "reason")},
    "over": {"type": "raw"},  # true, or a text
    "hours": {"type": "float"},
    "block": {"type": "dict", "options": dict.fromkeys(BLOCK_FORMS, TEXTS)},
    "mitigate": {**TEXTS, "choices": list(COMPONENTS)},
    "sensitivity": MODULE_SPECS["protection_rule"].options["rate_sensitivity"],
    "security_level": {**MODULE_SPECS["security_level"].options["level"], "required": False},
    "accept_risks": {"type": "list", "elements": "raw"},
    "all": {"type": "bool"},
}
ATTACK: Arguments = {f"attack_{name}": argument for name, argument in ASKED.items()}
ENDS = ("attack_hours", "attack_until")
NAMED_HERE = {RISKS: "attack_accept_risks"}
NO, YES = ("", "false", "no"), ("true", "yes")
SHORTEST_ATTACK, LONGEST_ATTACK = 1 / 60, 24 * 31  # hours
BLOCKING = {"enabled": True, "position": "first"}
BLOCKED_BY = {ACCOUNT_OPTION: "network_firewall_rules", ZONE_OPTION: "custom_rules"}
OWN_NETWORKS = {  # those that the account has, and those of the variables
    PREFIXES.plural: "in the account",
    **{name: f"in {name}" for name in (f"{PREFIX}prefixes", f"{PREFIX}allowlist")},
}
MAPPED_BITS = 96  # in front of the address of IPv4 in ::ffff:192.0.2.1


def which_end(value: Any) -> str:
    """The postures that attack_over ends; empty for none."""
    over = str(value or "")
    return "" if over.lower() in NO else over


WHICH_HOSTS = (
    "Which hosts are under attack? The hosts are {}. Name them by --limit, or set attack_all: true"
    " for all of them"
)


def errors_of_attack(
    hosts: Sequence[str],
    limit: Any,
    named: Any,
    own: Mapping[str, Any],
    options: Mapping[str, Any],
    given: Container[str],
) -> Iterator[OptionError]:
    """An error for each thing that is missing or does not fit together, by the hosts that there
    are, the limit, the prepared postures, and the variables with the networks of one's own."""
    if not (limit or "attack_all" in given):
        yield OptionError(Option(), WHICH_HOSTS.format(first_few(hosts)))
    ways = [f"attack_{name}" for name in ("posture", *VALUES)]
    is_over = bool(which_end(options["attack_over"]))
    without_reason = ("attack_reason",) if is_over else ()
    chosen, times = (
        [name for name in every if name in given] for every in ((*ways, *without_reason), ENDS)
    )
    if is_over and (chosen or times):
        without_others = f"it ends postures, and goes without {first_few(chosen + times)}"
        yield OptionError(Option("attack_over"), without_others)
    elif not is_over and not chosen:
        all_ways = f"set attack_posture, or {first_few(ways[1:])}, or attack_over"
        yield OptionError(Option(), f"Nothing says what to do: {all_ways}")
    if not is_over and len(times) != 1:
        ask = "Keep one of" if times else "Until when? Set one of"
        yield OptionError(Option(), f"{ask} attack_hours and attack_until")
    hours, until, name = (options[one] for one in (*ENDS, "attack_posture"))
    if hours is not None and not SHORTEST_ATTACK <= hours <= LONGEST_ATTACK:
        problem = f"{hours:g} is less than a minute, or more than {LONGEST_ATTACK}"
        yield OptionError(Option("attack_hours"), problem)
    if name and isinstance(named, Mapping) and name not in named:
        problem = f"{no_such_posture(name, named)}; {first_few(ways[1:])} need none"
        yield OptionError(Option("attack_posture"), problem)
    yield from errors_of(
        lambda: expiry_of("attack_until", until) if until else None,
        lambda: parse_acceptances(NAMED_HERE[RISKS], options[NAMED_HERE[RISKS]] or (), CODES),
        lambda: _blocking(options["attack_block"], own) if options["attack_block"] else None,
    )


def is_meant(over: str, entry: Mapping[str, Any]) -> bool:
    """Return whether attack_over is about an entry: about all, or by its name or reason."""
    return over.lower() in YES or over in (str(entry.get(name, "")) for name in ("name", "reason"))


def asked_values(options: Mapping[str, Any], host: Mapping[str, Any]) -> dict[str, Any]:
    """The values that the options ask for; raises ValueError for a block of one's own, and if the
    host has nothing that they are for."""
    owners = [owner for owner in OWNERS if names_owner(host, owner)]
    values: dict[str, Any] = {}
    if options["block"]:
        expression = _blocking(options["block"], host)
        # The same block again is the same rule; another one is another rule.
        ref = f"attack-{sha256(expression.encode()).hexdigest()[:8]}"
        rule = {"ref": ref, "action": "block", "expression": expression, **BLOCKING}
        values = {BLOCKED_BY[owner]: [{**rule}] for owner in owners}
    components, level = options["mitigate"] or (), options["sensitivity"]
    fields = {"scope": "global", **({"mode": "enabled"} if components else {})}
    fields.update({f"{name}_sensitivity": level for name in ("rate", "burst") if level})
    for name in (components or (COMPONENTS if level else ())) if ACCOUNT_OPTION in owners else ():
        if name in TCP_KINDS:
            values.setdefault("rules", []).append({"kind": name, **fields})
        else:
            values["dns_rules"] = [fields]
    if options["security_level"] and ZONE_OPTION in owners:
        values["security_level"] = options["security_level"]
    if not values:
        asked = first_few(f"attack_{name}" for name in VALUES if options[name])
        raise ValueError(
            f"The host has nothing that {asked} could change. Leave it out of --limit."
        )
    return values


def _blocking(block: Mapping[str, Any], host: Mapping[str, Any]) -> str:
    """The packets or requests to block; raises ValueError with all that is wrong."""
    sets, problems = [], []
    for name, (field, form, written, example) in BLOCK_FORMS.items():
        items = []
        for index, text in enumerate(block.get(name) or ()):
            match = re.fullmatch(form, text.upper())
            problem = f"'{text}' is not {example}" if not match else ""
            problem = problem if example else _problem(text, host)
            problems += [f"attack_block.{name}[{index}]: {problem}."] if problem else []
            items += [written.format(match[1] if example else text)] if match else []
        sets += [f"{field} in {{{' '.join(dict.fromkeys(items))}}}"] if items else []
    if problems or not sets:
        nothing = "attack_block: it names no networks, asns or countries."
        raise Mistakes(problems or [nothing])
    return " or ".join(sets)


def _problem(network: str, host: Mapping[str, Any]) -> str:
    """The reason why a network is not to be blocked; empty if it may be."""
    try:
        blocked = parse_network(network)
    except ValueError as exc:
        return str(exc)
    first = getattr(blocked.network_address, "ipv4_mapped", None)
    if first is not None and blocked.prefixlen >= MAPPED_BITS:
        meant = f"{first}/{blocked.prefixlen - MAPPED_BITS}"
        return _problem(meant, host) or f"Cloudflare sees {network} as {meant}; write {meant}"
    widest = WIDEST_USUAL[blocked.version]
    if blocked.prefixlen < widest:
        return f"{network} is wider than /{widest}; block the parts that attack"
    here = next(iter(os.environ.get("SSH_CONNECTION", "").split()), "").partition("%")[0]
    here = here.rpartition(":")[2] if "." in here else here  # ::ffff:192.0.2.1 is an IPv4 address
    own = {here: "from which you work (SSH_CONNECTION)"}
    for name, where in OWN_NETWORKS.items():
        entries = (one for one in host.get(name) or () if isinstance(one, Mapping))
        named = (str(one.get("prefix")) for one in entries if not one.get("excluded"))
        own.update(dict.fromkeys(named, f"your own {where}"))
    near = (f"{one}, {whose}" for one, whose in own.items() if networks_overlap(one, network))
    return next((f"{network} has addresses of {one}" for one in near), "")
