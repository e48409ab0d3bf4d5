# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Brings the RETURN block of every module up to date, the lists of the baseline, the pages and options of risks, and of assumptions."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE, MODULE_SPECS

from tests.documentation.assumptions import PAGE as EVIDENCE
from tests.documentation.assumptions import with_assumptions
from tests.documentation.pages import MODULES, with_return
from tests.documentation.report_schema import SCHEMA, report_schema
from tests.documentation.risks import FRAGMENTS, PAGE, with_fragments, with_limits, with_tables
from tests.documentation.roles import BASELINE, with_lists
from tests.documentation.samples import sampled_results
from tests.documentation.variables_schema import SCHEMA as VARIABLES
from tests.documentation.variables_schema import variables_schema
from tests.fake_service import LocalService

if __name__ == "__main__":
    with LocalService() as service:
        for module in sorted({*MODULE_SPECS} - {HOST_MODULE}):
            path = MODULES / f"{module}.py"
            before = path.read_text(encoding="utf-8")
            after = with_return(before, module, sampled_results(module, service))
            if after != before:
                path.write_text(after, encoding="utf-8")
                print(f"{module}: RETURN is updated.")
    BASELINE.write_text(with_limits(with_lists(BASELINE.read_text(encoding="utf-8"))), encoding="utf-8")
    FRAGMENTS.write_text(with_fragments(FRAGMENTS.read_text(encoding="utf-8")), encoding="utf-8")
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    SCHEMA.write_text(report_schema(), encoding="utf-8")
    EVIDENCE.write_text(with_assumptions(EVIDENCE.read_text(encoding="utf-8")), encoding="utf-8")
    VARIABLES.write_text(variables_schema(), encoding="utf-8")
