# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rule that blocks an attack: its expression, and what it must not block."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...module_utils._errors import OptionError
from ...module_utils._schema.account import PREFIXES
from ...module_utils._schema.resource import ACCOUNT_OPTION, ZONE_OPTION
from ...module_utils._text import Option
from ...module_utils._values.address_set import WIDEST_USUAL, networks_overlap, parse_network
from .._baseline.variables import PREFIX
from .._variables import Mistakes

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


class BlockForm(NamedTuple):
    """A kind of values to block, such as networks or countries: `field` is the field of the
    expression, `pattern` matches a valid text, `written` puts a text into the expression's syntax,
    and `example` describes valid texts for error messages.
    """

    field: str
    pattern: str
    written: str
    example: str = ""


BLOCK_OPTION = "attack_block"
NETWORKS = "networks"
BLOCK_FORMS = {
    NETWORKS: BlockForm("ip.src", "(.*)", "{}"),
    "asns": BlockForm(
        "ip.src.asnum", "(?:AS)?([1-9][0-9]{0,9})", "{}", "the number of a system, such as 64496"
    ),
    "countries": BlockForm(
        "ip.src.country",
        f"({'|'.join(COUNTRIES.split())})",
        '"{}"',
        "the code of a country, such as GB",
    ),
}
BLOCKING = {"enabled": True, "position": "first"}
OF_A_BLOCK = {**BLOCKING, "description": ""}  # what a baseline that names the rule sets back
BLOCKED_BY = {ACCOUNT_OPTION: "network_firewall_rules", ZONE_OPTION: "custom_rules"}
NETWORK_VARIABLES = tuple(f"{PREFIX}{name}" for name in ("prefixes", "allowlist"))
# The networks of the account itself: those that it has, and those of the variables.
ACCOUNT_NETWORKS = {
    PREFIXES.plural: "in the account",
    **{variable: f"in {variable}" for variable in NETWORK_VARIABLES},
}
MAPPED_BITS = 96  # in front of the address of IPv4 in ::ffff:192.0.2.1


def blocking_expression(block: Mapping[str, Any], host: Mapping[str, Any]) -> str:
    """The expression that matches the packets or requests to block; raises Mistakes with everything
    that is wrong with the block.
    """
    sets: list[str] = []
    problems: list[OptionError] = []
    for name, form in BLOCK_FORMS.items():
        written: dict[str, None] = {}
        for index, text in enumerate(block.get(name) or ()):
            match = re.fullmatch(form.pattern, text.upper())
            if name == NETWORKS:
                problem = _network_problem(text, host)
                listed = text
            else:
                problem = "" if match else f"'{text}' is not {form.example}"
                listed = match[1] if match else ""
            if problem:
                problems.append(OptionError(Option(BLOCK_OPTION, name, index), problem))
            written[form.written.format(listed)] = None
        if written:
            sets.append(f"{form.field} in {{{' '.join(written)}}}")
    if not sets and not problems:
        problems.append(
            OptionError(Option(BLOCK_OPTION), "it names no networks, asns or countries")
        )
    if problems:
        raise Mistakes(problems)
    return " or ".join(sets)


def _network_problem(network: str, host: Mapping[str, Any]) -> str:
    """The reason why a network must not be blocked; empty if it may be."""
    try:
        blocked = parse_network(network)
    except ValueError as exc:
        return str(exc)
    address = getattr(blocked.network_address, "ipv4_mapped", None)
    if address is not None and blocked.prefixlen >= MAPPED_BITS:
        ipv4_network = f"{address}/{blocked.prefixlen - MAPPED_BITS}"
        ipv4_problem = _network_problem(ipv4_network, host)
        return ipv4_problem or f"Cloudflare sees {network} as {ipv4_network}; write {ipv4_network}"
    widest = WIDEST_USUAL[blocked.version]
    if blocked.prefixlen < widest:
        return f"{network} is wider than /{widest}; block the parts that attack"
    for protected, owner in _protected_networks(host).items():
        if networks_overlap(protected, network):
            return f"{network} has addresses of {protected}, {owner}"
    return ""


def _protected_networks(host: Mapping[str, Any]) -> dict[str, str]:
    """The networks that a block must not overlap, each with words on whose network it is."""
    networks = {_working_address(): "from which you work (SSH_CONNECTION)"}
    for name, where in ACCOUNT_NETWORKS.items():
        for entry in host.get(name) or ():
            if isinstance(entry, Mapping) and not entry.get("excluded"):
                networks[str(entry.get("prefix"))] = f"your own {where}"
    return networks


def _working_address() -> str:
    """The address of the user's SSH client; empty if nobody works over SSH."""
    connection = os.environ.get("SSH_CONNECTION", "").split()
    if not connection:
        return ""
    address, _percent, _interface = connection[0].partition("%")
    if "." in address:  # ::ffff:192.0.2.1 is an IPv4 address
        _prefix, _colon, address = address.rpartition(":")
    return address
