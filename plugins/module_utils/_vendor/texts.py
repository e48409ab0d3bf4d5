# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The texts that fields and functions of expressions have, by the vendor's page on each of them
("Fields reference", "Functions", Ruleset Engine), read on 2026-11-28."""

from __future__ import annotations

import re
from typing import Callable, Mapping, NamedTuple

from .fields import FIELD_KINDS, TEXT


def _unchanged(text: str) -> str:
    return text


class TextForm(NamedTuple):
    """The form of the texts of a field: their pattern, and words that stand behind the name of the
    field. With `of_parts`, parts of texts have this form as well. Each text begins with `start`.
    `corrected` returns what may be meant by a text of another form; it may have another form as
    well."""

    pattern: re.Pattern[str]
    words: str
    of_parts: bool = False
    start: str = ""
    corrected: Callable[[str], str] = _unchanged

    def has(self, text: str) -> bool:
        """Return whether a text has this form."""
        return bool(self.pattern.fullmatch(text))

    def suggestion(self, text: str) -> str:
        """The text that may be meant by one of another form; empty if none is known."""
        corrected = self.corrected(text)
        return corrected if self.has(corrected) else ""


def _one_of(*texts: str, corrected: Callable[[str], str] = _unchanged) -> TextForm:
    """The form of a field that has one of these texts, or is empty."""
    pattern = "|".join([*map(re.escape, texts), ""])
    return TextForm(re.compile(pattern), f"is one of {', '.join(texts)}", corrected=corrected)


CAPITALS = TextForm(
    re.compile(r"[^a-z]*"), "has no small letters", of_parts=True, corrected=str.upper
)
SMALL = TextForm(
    re.compile(r"[^A-Z]*"), "has no capital letters", of_parts=True, corrected=str.lower
)
TWO_CAPITALS = TextForm(
    re.compile("(?:[A-Z][A-Z0-9])?"), "has two capital letters, such as DE", corrected=str.upper
)
CONTINENTS = ("AF", "AN", "AS", "EU", "NA", "OC", "SA", "T1")
CONTINENT = _one_of(*CONTINENTS, corrected=str.upper)
COUNTRY_FIELDS = ("ip.src.country", "ip.geoip.country", "ip.dst.country")
# These pages speak of every text of a field, so that they decide whether rules match.
TEXTS_OF_FIELDS: Mapping[str, TextForm] = {
    "http.request.method": CAPITALS,
    "upper": CAPITALS,
    **dict.fromkeys(COUNTRY_FIELDS, TWO_CAPITALS),
    **dict.fromkeys(
        ("http.request.uri.path.extension", "http.response.content_type.media_type", "lower"), SMALL
    ),
    **dict.fromkeys(("ip.src.continent", "ip.geoip.continent"), CONTINENT),
    "cf.waf.score.class": _one_of("attack", "likely_attack", "likely_clean", "clean"),
}


ISO_3166_1 = """
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE
EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM
HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC
LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO
TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
"""
OTHER_CODES = ("XX", "T1", "XK")  # no country, Tor, Kosovo
COUNTRY_CODES = frozenset([*ISO_3166_1.split(), *OTHER_CODES])
COMMON_CODES = {"UK": "GB", "EN": "GB", "EL": "GR", "KO": "KR", "JA": "JP"}  # that are no countries


def _country(text: str) -> str:
    code = text.strip().upper()
    return COMMON_CODES.get(code, code)


SCHEME = re.compile("[a-zA-Z]+://")


def _host_of_url(text: str) -> str:
    return SCHEME.sub("", text).partition("/")[0].lower()


def _from_root(text: str) -> str:
    return f"/{text}"


HTTP_VERSIONS = ("HTTP/1.0", "HTTP/1.1", "HTTP/1.2", "HTTP/2", "HTTP/3")


def _http_version(text: str) -> str:
    number = re.sub("(?i)http/?", "", text).strip()
    return f"HTTP/{number[0]}" if number in ("2.0", "3.0") else f"HTTP/{number}"


def _tls_version(text: str) -> str:
    number = re.sub("(?i)tls ?v?", "", text).strip()
    return "TLSv1" if number == "1.0" else f"TLSv{number}"


PATHS = TextForm(
    re.compile(r"(?:/.*|\*)?", re.DOTALL), "begins with a slash", start="/", corrected=_from_root
)
# The texts that fields are known to have: another one can hardly be meant, which is said alone.
USUAL_TEXTS: Mapping[str, TextForm] = {
    **dict.fromkeys(
        (
            name
            for name, kind in FIELD_KINDS.items()
            if kind == TEXT and name.endswith(("http.request.uri", "http.request.uri.path"))
        ),
        PATHS,
    ),
    **dict.fromkeys(
        ("http.request.full_uri", "raw.http.request.full_uri"),
        TextForm(
            re.compile("(?:https?://.*)?", re.DOTALL),
            "begins with http:// or https://",
            start="http",
        ),
    ),
    **dict.fromkeys(
        COUNTRY_FIELDS,
        TextForm(
            re.compile("|".join([*sorted(COUNTRY_CODES), ""])),
            "is a code of ISO 3166-1 in capital letters, such as DE",
            corrected=_country,
        ),
    ),
    "http.host": TextForm(
        re.compile("[^A-Z/]*"),
        "has no capital letters, no scheme and no path",
        of_parts=True,
        corrected=_host_of_url,
    ),
    "http.request.uri.path.extension": TextForm(
        re.compile("[^A-Z./]*"),
        "has no dot, no slash and no capital letters",
        of_parts=True,
        corrected=lambda text: text.rpartition(".")[2].lower(),
    ),
    "http.request.version": _one_of(*HTTP_VERSIONS, corrected=_http_version),
    "cf.tls_version": _one_of(
        "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3", "SSLv3", "none", corrected=_tls_version
    ),
}
