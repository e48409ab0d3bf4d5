# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The action of the role report: what a run of the role baseline would do for a host, as a record
of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleError
from ansible_collections.edgeops.protection.plugins.action.host_baseline import (
    ActionModule as BaselineAction,
)
from ansible_collections.edgeops.protection.plugins.plugin_utils._baseline.variables import Part
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.document import host_record
from ansible_collections.edgeops.protection.plugins.plugin_utils._report.results import (
    HostResults,
    is_refusal,
)

ACCEPTED = "the report predicts only"


class ActionModule(BaselineAction):
    """Predicts a host, part by part; a part that fails stops neither the others nor the play."""

    _quiet = False

    def run(
        self, tmp: str | None = None, task_vars: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        variables = task_vars or {}
        self._task.check_mode = (
            True  # whatever the play says, a report writes nothing to the service
        )
        host = str(variables["inventory_hostname"])
        try:
            predicted = self._predict_host(host, variables)
        except (AnsibleError, ValueError) as exc:
            predicted = HostResults(host, failures=[{"failed": True, "msg": str(exc)}])
        record = host_record(predicted)
        return {"changed": bool(record["operations"]), "record": record}

    def _predict_host(self, host: str, variables: Mapping[str, Any]) -> HostResults:
        if self._would_travel(variables):
            raise AnsibleError(self._refusal(variables))
        parts = self.parts(host, self._values(variables))
        if not parts:
            raise ValueError(f"No rules of the zone {host} are described, so that it is not read.")
        results: dict[str, dict[str, Any]] = {}
        failures = []
        for part in parts:
            results[part.module] = self._run_part(part, variables)
            if is_refusal(results[part.module]):
                refusal = {**results[part.module], "module": part.module}
                failures.append(refusal)
                results[part.module] = self._predict_refused(part, refusal, variables)
        owners = {
            name: value
            for part in parts
            for name, value in part.options.items()
            if name.endswith("_id")
        }
        return HostResults(host, owners.get("account_id"), owners.get("zone_id"), results, failures)

    def _predict_refused(
        self, part: Part, refusal: Mapping[str, Any], variables: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What a plan with risks would do; its refusal alone does not tell how the account is
        protected now."""
        accepted = [{"code": risk["code"], "reason": ACCEPTED} for risk in refusal["risks"]]
        options = {
            **part.options,
            "accept_risks": [*part.options.get("accept_risks", ()), *accepted],
        }
        self._quiet = True  # nobody accepts these risks
        try:
            return self._run_part(Part(part.module, options), variables)
        finally:
            self._quiet = False

    def _warn(self, text: str) -> None:
        if not self._quiet:
            super()._warn(text)
