#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host_export_shared
short_description: Internal, write what the hosts of a group share as variables
version_added: 1.0.0
description:
  - The last task of the role C(edgeops.protection.export), which runs it once for all hosts of the
    play. For each group that hosts name with C(export_group), it writes
    O(group_directory)/GROUP/protection.yml with the variables that all hosts of the group have with
    the same value, and O(directory)/HOST/protection.yml with the others.
  - It also writes the schema of the variables beside these files, as C(.protection.schema.json), which
    they name for editors.
  - A variable that a host sets itself, another group of a host, or another file of the group, stays
    in the files of the hosts, which win over the file of a group.
  - It refuses a group of which a host was not exported, and files that people have edited, unless
    O(overwrite=true). It writes nothing for such a group.
  - It makes no calls, except for those of the inventory, which it reads again.
options:
  directory:
    description: The directory of the files of hosts. A relative one is below the working directory of the process.
    type: str
    default: host_vars
  group_directory:
    description: The directory of the files of groups, in the same way.
    type: str
    default: group_vars
  overwrite:
    description: Whether files that people have edited are overwritten.
    type: bool
    default: false
author:
  - The edgeops.protection authors (@edgeops)
attributes:
  action:
    description: An action plugin runs it on the control node.
    support: full
  check_mode:
    description: Supports check mode, in which it writes no file.
    support: full
  diff_mode:
    description: Returns the text of each file that changes, before and after.
    support: full
seealso:
  - module: edgeops.protection.host_export
"""

EXAMPLES = r"""
- name: Write what the hosts share
  edgeops.protection.host_export_shared:
    directory: inventory/host_vars
    group_directory: inventory/group_vars
  run_once: true
"""

RETURN = r"""
paths:
  description: The paths of all files, also of those that stay as they are.
  returned: success
  type: list
  elements: str
diff:
  description: The text of each file that changes, before and after.
  returned: success
  type: list
  elements: dict
"""
