#!/usr/bin/python

# Copyright (c) 2026, The edgeops.protection authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or
# https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: report_comment
short_description: Write a report into the comment of a merge request
version_added: 1.0.0
description:
  - Writes a file, such as C(report.md) of the role C(edgeops.protection.report), as a comment of the
    pull request of GitHub or the merge request of GitLab that the job runs for. The next run updates
    the same comment, so that there is one.
  - The job's environment says which request it is. For GitHub that is E(GITHUB_REPOSITORY) and
    E(GITHUB_REF), and for GitLab E(CI_API_V4_URL), E(CI_PROJECT_ID) and E(CI_MERGE_REQUEST_IID).
  - Only a comment that the token's own user wrote is updated, since whoever wrote a comment can
    change it after somebody has read it.
  - It makes no calls to Cloudflare. The playbook C(edgeops.protection.comment) runs it.
author:
  - The edgeops.protection authors (@edgeops)
options:
  file:
    description: The file with the text, in Markdown.
    type: path
    required: true
  name:
    description: The name by which the comment is found again. Comments of several names stand beside each other.
    type: str
    default: report
  number:
    description: The number of the request, where the job runs for none, such as one of the event C(workflow_run).
    type: int
  token:
    description:
      - The token that writes. Without it, it is E(GITHUB_TOKEN) or E(GH_TOKEN), or for GitLab E(GITLAB_TOKEN).
      - On GitHub it needs C(pull-requests) with C(write), and on GitLab the scope C(api). The token of
        a job of GitLab cannot write comments.
    type: str
attributes:
  action:
    description: An action plugin runs it on the control node.
    support: full
  check_mode:
    description: Supports check mode, in which it reads the comments and writes none.
    support: full
seealso:
  - module: edgeops.protection.write_report
"""

EXAMPLES = r"""
- name: Show the report in the merge request
  edgeops.protection.report_comment:
    file: report/report.md
"""

RETURN = r"""
url:
  description: The address of the comment; an empty text if check mode would create it.
  returned: success
  type: str
"""
