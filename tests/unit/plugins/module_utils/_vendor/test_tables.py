# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The vendor's tables: a name has one kind, and a text of another form is corrected to one of its field."""

from __future__ import annotations

from collections import Counter

import pytest
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.fields import (
    FIELDS_BY_KIND,
    PACKET_FIELDS_BY_KIND,
)
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.functions import FUNCTIONS_BY_KIND
from ansible_collections.edgeops.protection.plugins.module_utils._vendor.texts import TEXTS_OF_FIELDS, USUAL_TEXTS


@pytest.mark.parametrize("names_by_kind", [FIELDS_BY_KIND, PACKET_FIELDS_BY_KIND, FUNCTIONS_BY_KIND])
def test_a_name_has_one_kind(names_by_kind: dict[str, str]) -> None:
    counts = Counter(name for names in names_by_kind.values() for name in names.split())
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize(
    ("field", "text", "correct"),
    [
        ("http.request.method", "get", "GET"),
        ("ip.src.continent", "eu", "EU"),
        ("ip.src.country", "UK", "GB"),
        ("ip.src.country", "de", "DE"),
        ("http.host", "https://Shop.example/admin", "shop.example"),
        ("http.request.uri.path", "admin", "/admin"),
        ("http.request.uri.path.extension", ".PHP", "php"),
        ("http.request.version", "HTTP/2.0", "HTTP/2"),
        ("cf.tls_version", "TLS 1.2", "TLSv1.2"),
    ],
)
def test_a_text_of_another_form_is_corrected(field: str, text: str, correct: str) -> None:
    form = USUAL_TEXTS.get(field) or TEXTS_OF_FIELDS[field]
    assert not form.has(text)
    assert form.suggestion(text) == correct
    assert form.has(correct)


@pytest.mark.parametrize("text", ["Germany", "ZZZ"])
def test_a_text_that_no_correction_mends_has_no_suggestion(text: str) -> None:
    assert USUAL_TEXTS["ip.src.country"].suggestion(text) == ""
