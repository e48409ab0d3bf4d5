#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: host
short_description: (internal) Do what roles and playbooks do to a host
version_added: 1.0.0
description:
  - The action of the roles and playbooks of this collection; use these. It may change with any
    version.
  - It takes the account, the zone, the credentials and the limits from the variables of the host,
    and checks them first, as the playbooks tell Ansible not to. Neither C(module_defaults) nor the
    environment replace them. C(ansible-doc -t role edgeops.protection.baseline) describes them.
  - The tasks V(check), V(doctor), V(export), V(predict) and V(report) are about all hosts of the
    play if the task runs once. They, and V(news), only read; they are no modules with names that
    end with C(_info), since they write files, and nobody calls them outside of a playbook.
extends_documentation_fragment:
  - edgeops.protection._connection
  - edgeops.protection._plan
options:
  task:
    description:
      - V(baseline) makes one plan of all that the C(baseline_*) variables describe, and applies it.
      - V(predict) predicts it for all hosts of the play, and names those that need a task of their
        own.
      - V(first) and V(last) are V(baseline) in two turns, for an account whose lists rules of other
        hosts name. The first makes and changes them, the last removes what no rule names.
        V(room) is V(baseline) before them, for a zone that makes room for new lists.
      - V(attack) takes postures of the host, or ends them, by the variables of the playbook
        C(edgeops.protection.attack).
      - V(check) fails if a variable is wrong, as far as it can be told without a request.
      - V(doctor) says which permissions the token has, which products there are, and which
        assumptions of this collection hold. It writes O(directory)/HOST/bundle.json, which has the
        shapes of answers, but no value, no id and no name.
      - V(export) writes C(HOST/protection.yml) and C(.protection.schema.json) below
        C(export_directory). It does not overwrite a file that people have edited, unless
        C(export_overwrite) is true.
      - V(news) compares the report with what was told before, by the variables of the playbook
        C(edgeops.protection.notify).
      - V(report) compares each host with its baseline, and writes the report. A host that cannot be
        read gets the status C(unknown), with the reason, and stops no other one.
      - V(restore) makes the host what O(file) says, a snapshot or an export of this host, reads it
        again, and fails with all differences. It names objects that cannot be brought back before
        it changes anything, and leaves what C(baseline_ignore_ids) and
        C(baseline_custom_rules_ignore) give to others.
      - V(restore_predict), V(restore_room), V(restore_first) and V(restore_last) are for V(restore)
        what V(predict), V(room), V(first) and V(last) are for V(baseline).
    type: str
    required: true
    choices:
      - attack
      - baseline
      - check
      - doctor
      - export
      - first
      - last
      - news
      - predict
      - report
      - restore
      - restore_first
      - restore_last
      - restore_predict
      - restore_room
      - room
  file:
    description: The file of V(restore), below the working directory of the process. Either this or O(before).
    type: str
  before:
    description:
      - Takes the host's own newest snapshot from before this moment, out of C(baseline_snapshot_directory). A host
        without one fails.
      - A timestamp with offset such as C(2027-01-31T18:00:00+01:00), a date such as C(2027-01-31), which means its
        beginning in UTC, or V(latest).
    type: str
  since:
    description: With O(before), a snapshot from before this moment is not taken. A host without a later one fails.
    type: str
  accept_risks:
    description: The risks that V(restore) accepts, as
      O(edgeops.protection.account_protection#module:accept_risks) has them.
    type: list
    elements: raw
  leave_objects:
    description: Objects that the restore leaves as they are, each by its id, or as the refusal
      names it, such as C(prefix 203.0.113/24).
    type: list
    elements: str
  leave_fields:
    description: Names of fields without an option that the restore does not compare and does not
      bring back.
    type: list
    elements: str
  directory:
    description: The directory of the bundles of V(doctor), by default C(doctor), or of the report,
      by default C(report).
    type: path
  fail_on:
    description:
      - When the task fails. For V(doctor), C(deviation), if an assumption does not hold, and
        C(unknown), if something cannot be read. For V(report), the statuses of hosts.
    type: list
    elements: str
  record:
    description: Whether V(doctor) also writes O(directory)/recording.json, one file for all hosts of
      the task. It has the types of answers, the names of their fields and headers, and words of
      enumerations such as modes, but no other value, id, name or address.
    type: bool
  previous:
    description: A file C(report.json) of an earlier run. The report says what changed since.
    type: path
  plan:
    description: Whether V(report) writes the plan page as well, C(plan.md) and C(plan.json).
    type: bool
  plan_base:
    description: The directory of a report that was made with the files of the base branch.
    type: path
  moved:
    description: Whether to say what Cloudflare itself has changed since the former report.
    type: bool
  mode:
    description: The permissions of the files of the report, in octal digits, by default C(0600).
    type: str
  playbook:
    description: V(check) checks the variables of this playbook instead, which has no action of its own.
    type: str
    choices: [evaluate, notify]
  inventory:
    description:
      - V(check) checks all hosts of the inventory that the playbooks of this collection are for,
        whatever C(--limit) says, and its files.
    type: bool
  sarif:
    description: The file for the mistakes that V(check) finds, in SARIF 2.1.0. None is written in check mode.
    type: path
  account_id:
    description: The action fills it from the variables, as all options that follow.
    type: str
  zone_id:
    description: Likewise.
    type: str
  zone_name:
    description: Likewise.
    type: str
  described:
    description: The described state, by the names of variables without C(baseline_).
    type: dict
    default: {}
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
      makes none of them. V(check), V(doctor) and V(report) write no file.
    support: full
  diff_mode:
    description: Returns the difference between the objects, or the text of the file, before and
      after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing, unless somebody else made a
      change in between.
    support: full
seealso:
  - module: edgeops.protection.account_protection
"""

EXAMPLES = r"""
- name: Update the account and the zone of the host to match its variables
  edgeops.protection.host:
    task: baseline
  become: false
  register: baseline_result

- name: Undo the last run on this host
  edgeops.protection.host:
    task: restore
    before: latest
    accept_risks: [{code: skips_monitoring, resource: syn_flood_rule, entries: [syn_flood global]}]
"""

RETURN = r"""
hosts:
  description: The result of each host, without C(-v) of those alone that failed.
  returned: for several hosts
  type: dict
operations:
  description: The operations of the plan, in the order in which they are applied.
  returned: by V(baseline), V(attack) and V(restore)
  type: list
  elements: dict
diff:
  description: The objects that change, before and after, by collection, or the text of the file.
  returned: when something changes
  type: dict
plan_id:
  description: The plan of the host, as V(baseline_expected_plan) takes it. It is empty if there is nothing to do.
  returned: with RV(operations), or when the plan is not the approved one
  type: str
snapshot:
  description: The path of the file with the state before.
  returned: when a snapshot was written
  type: str
deleted_snapshots:
  description: The paths of older snapshots of the host that C(baseline_snapshot_keep) let the role delete.
  returned: when there were some
  type: list
  elements: str
watch:
  description:
    - The watch of the change, with the terms of C(baseline_watch), and C(since), C(covered_until), C(known), C(unknown),
      C(requests), C(stopped), C(rules), C(set_back), C(confirmed) and C(staying).
    - C(covered_until) is the moment up to which the analytics are complete. Each of C(rules) has C(resource), C(key),
      C(stopped), C(percent), C(examples) of stopped requests, and C(all_rules) if all rules of the zone count for it.
      C(staying) has a sentence for each object that the way back left alone, since others had changed it.
    - In check mode, it has the terms alone.
  returned: when a change is watched, or was
  type: dict
postures:
  description:
    - The postures of the host that hold, each with C(name), C(until), C(reason) and C(since).
    - The name is null where an entry has the values themselves.
  returned: when the host has one
  type: list
  elements: dict
postures_file:
  description: The path of the file of postures.
  returned: by V(attack)
  type: str
risks:
  description: The risks of the plan, accepted or not, as M(edgeops.protection.account_protection) returns them.
  returned: when there are some
  type: list
  elements: dict
pending:
  description: The rules and filters that are to be enabled later.
  returned: when there are some
  type: list
  elements: dict
coverage:
  description: How well the account is protected before and after; if nothing changes, its summary.
  returned: when the host is an account
  type: dict
unmanaged:
  description: The objects that no variable names, and whether they take protection away.
  returned: by V(baseline)
  type: list
  elements: dict
protection:
  description: The account afterwards. Each further variable has its objects under its own name.
  returned: when something changes, or with C(-v)
  type: dict
file:
  description: The file from which the host was restored.
  returned: by V(restore)
  type: str
differences:
  description: A sentence for each object that is not what the file says.
  returned: by V(restore), when the changes were made, and something differs
  type: list
  elements: str
problems:
  description: A sentence for each thing that is wrong.
  returned: by V(check), when something is wrong, for a single host
  type: list
  elements: str
path:
  description: The path of the bundle, or of the file of variables.
  returned: by V(doctor) and V(export), for a single host
  type: str
doctor:
  description:
    - The answers of the host, with C(host), C(checked), the moment, and C(calls), their number.
    - C(permissions) and C(products) have C(name), C(available), which is null if it is not known, and the C(reason).
      C(answers) has each resource, with the number of its C(objects), or the C(reason) why it could not be read.
      C(assumptions) has the C(name), whether it C(holds), which is null if no answer shows it, and the C(reasons).
  returned: by V(doctor), for a single host
  type: dict
news:
  description:
    - The news, with C(title), a sentence; C(lines), one for each host; C(hosts), each with C(host), C(what) (C(new),
      C(again), C(found), C(over) or C(moved)), C(status), C(reason), C(since), C(unmanaged), C(owner) and C(runbook);
      C(left), the number of hosts that are not well; C(state_file) and C(state), what the file is to hold afterwards.
  returned: by V(news)
  type: dict
directory:
  description: The directory of the report.
  returned: by V(report)
  type: str
summary:
  description: The report in some lines.
  returned: by V(report)
  type: list
  elements: str
plan_ids:
  description: The C(plan_id) of each host that was read, empty if nothing is to be changed.
  returned: by V(report)
  type: dict
plan:
  description: The label and the numbers of the plan page.
  returned: with O(plan)
  type: dict
records:
  description: The part of the report about each host that was read, as C(docs/report.schema.json) describes it.
  returned: by V(report), with C(-v)
  type: dict
totals:
  description: The numbers of the report, as in C(report.json).
  returned: by V(report)
  type: dict
"""

from ansible_collections.edgeops.protection.plugins.module_utils._module import run_host_module


def main() -> None:
    run_host_module()


if __name__ == "__main__":
    main()
