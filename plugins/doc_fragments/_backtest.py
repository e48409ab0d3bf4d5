# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private to the collection: it may change with any version."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  backtest:
    description:
      - Evaluate the requests of the last hours under the existing rules and under the planned ones,
        and return C(backtest). It needs the permission C(Analytics Read) of the zone, or a
        O(backtest.file).
      - See U(https://github.com/edgeops/ansible-protection/blob/main/docs/backtest.md).
    version_added: 1.0.0
    type: dict
    suboptions:
      hours:
        description: The hours whose requests are evaluated. They do not bound a O(backtest.file).
        type: float
        default: 24
      max_blocked_percent:
        description: The percentage of the requests that pass today which the plan may newly block
          or challenge. Undecided requests count as blocked.
        type: float
        default: 0.1
      file:
        description: A file on the control node with Logpush records of the dataset
          C(http_requests), NDJSON, plain or compressed with gzip. The module reads it instead of
          the analytics.
        type: path
"""
