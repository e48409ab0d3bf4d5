# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The functions of expressions by the kind that they return, of the vendor's page "Functions"
(Ruleset Engine), read on 2026-11-28."""

from __future__ import annotations

from .fields import ADDRESS, ARRAY, FLAG, NUMBER, TEXT

FUNCTIONS_BY_KIND = {
    TEXT: """
concat decode_base64 encode_base64 join lower lookup_json_string regex_replace remove_bytes
remove_query_args sha256 sha512 substring to_string trim trim_end trim_start upper url_decode uuidv4
wildcard_replace
""",
    NUMBER: "bit_slice hash_in_range len lookup_json_integer",
    FLAG: """
all any contains ends_with has_key has_value ip_in_range is_jwt_present is_jwt_valid
is_timed_hmac_valid_v0 starts_with wildcard
""",
    ADDRESS: "cidr cidr6",
    ARRAY: "split",
    "": "coalesce hmac",
}
RESULTS_OF_FUNCTIONS: dict[str, str] = {}
for _kind, _names in FUNCTIONS_BY_KIND.items():
    RESULTS_OF_FUNCTIONS.update(dict.fromkeys(_names.split(), _kind))
