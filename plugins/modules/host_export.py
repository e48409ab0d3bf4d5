#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_export
short_description: (internal) Export of an account and its zone as variables
version_added: 1.0.0
description:
  - The action of the role C(edgeops.protection.export), whose variables it reads. It reads the
    account and the zone of a host, and writes C(HOST/protection.yml) below C(export_directory), and
    C(.protection.schema.json), the schema of the variables, which the file names for editors. If
    the task runs once, it does so for all hosts of the play.
  - It refuses to overwrite a file that people have edited, unless C(export_overwrite) is true.
author:
  - The edgeops.protection authors (@edgeops)
attributes:
  action:
    description: An action plugin runs it on the control node.
    support: full
  async:
    description: Supports C(async).
    support: none
  check_mode:
    description: Supports check mode, which returns the same changes as the run that follows and
      makes none of them.
    support: full
  diff_mode:
    description: Returns the text of the file before and after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing, unless somebody else made a
      change in between.
    support: full
seealso:
  - module: edgeops.protection.host_baseline
  - module: edgeops.protection.protection_info
  - module: edgeops.protection.custom_rules_info
"""

EXAMPLES = r"""
- name: Write all accounts and zones as variables
  edgeops.protection.host_export:
  run_once: true
"""

RETURN = r"""
hosts:
  description: The result of each host, without C(-v) of those alone that failed.
  returned: for several hosts
  type: dict
path:
  description: The path of the file.
  returned: success
  type: str
  sample: /srv/edge/exported/frankfurt/protection.yml
diff:
  description: The text of the file before and after.
  returned: success
  type: dict
"""
