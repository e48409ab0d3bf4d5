# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Brings the RETURN block of every module up to date, the lists of the baseline, the pages and options of risks, and of assumptions."""

from __future__ import annotations

from ansible_collections.edgeops.protection.plugins.module_utils._specs.registry import HOST_MODULE, MODULE_SPECS

from tests.documentation.generated import GENERATED
from tests.documentation.pages import MODULES, with_return
from tests.documentation.plain_resources import write_new_files
from tests.documentation.samples import REQUESTS, sampled_results
from tests.fake_service import LocalService

if __name__ == "__main__":
    write_new_files(REQUESTS)
    for path, brought_up_to_date in GENERATED:
        path.write_text(brought_up_to_date(path.read_text(encoding="utf-8")), encoding="utf-8")
    with LocalService() as service:
        for module in sorted({*MODULE_SPECS} - {HOST_MODULE}):
            path = MODULES / f"{module}.py"
            before = path.read_text(encoding="utf-8")
            after = with_return(before, module, sampled_results(module, service))
            if after != before:
                path.write_text(after, encoding="utf-8")
                print(f"{module}: RETURN is updated.")
