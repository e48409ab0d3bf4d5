# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files that follow from declarations, in whole or in part, each with what brings its text up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tests.documentation import plain_resources as plain
from tests.documentation.assumptions import PAGE as EVIDENCE
from tests.documentation.assumptions import with_assumptions
from tests.documentation.report_schema import PLAN_SCHEMA, SCHEMA, plan_schema, report_schema
from tests.documentation.risks import FRAGMENTS, PAGE, with_fragments, with_limits, with_tables
from tests.documentation.roles import BASELINE, with_lists
from tests.documentation.variables_schema import SCHEMA as VARIABLES
from tests.documentation.variables_schema import variables_schema

GENERATED: Sequence[tuple[Path, Callable[[str], str]]] = (
    (plain.RUNTIME, plain.with_action_groups),
    (plain.NOX, plain.with_patterns),
    (plain.README, plain.with_rows),
    (BASELINE, plain.with_variables),
    (BASELINE, plain.with_purge_choices),
    *plain.of_existing_modules(),
    (BASELINE, with_lists),
    (BASELINE, with_limits),
    (FRAGMENTS, with_fragments),
    (PAGE, with_tables),
    (EVIDENCE, with_assumptions),
    (SCHEMA, lambda _text: report_schema()),
    (PLAN_SCHEMA, lambda _text: plan_schema()),
    (VARIABLES, lambda _text: variables_schema()),
)
